// The messages that the EventStoreDB adapter writes and reads by hand, against the client's own: each side must
// understand the other.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams, { type BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import { expect } from 'chai';
import type { NewEvent } from '../../src/stores/event-store.ts';
import { appendRequest, correlated, readAppendResponse } from '../../src/stores/eventstoredb/append-messages.ts';
import { readReadResponse } from '../../src/stores/eventstoredb/recorded-event.ts';
import { WireReader } from '../../src/stores/eventstoredb/wire.ts';

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const OTHER = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const LARGEST = 18_446_744_073_709_551_615n;

const eventOf = (data: string, metadata = '{}'): NewEvent => ({ id: ID, type: 'Größe', data, metadata });
const parsed = (message: Buffer): BatchAppendReq =>
  streams.BatchAppendReq.deserializeBinary(correlated(OTHER, message));
const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe('an append request written by hand', () => {
  it('reads like the client’s own reader, whatever lengths and letters the message has', () => {
    for (const length of [0, 1, 126, 127, 128, 16_383, 16_384, 300_000]) {
      const data = JSON.stringify({ text: `${'x'.repeat(length)}ü€😀` });
      const [message, ...more] = appendRequest('category-ß', length === 0 ? 0 : length * 1_000_000, [
        eventOf(data, '{"a":"é"}'),
      ]).map(parsed);
      expect(more).to.deep.equal([]);
      const [proposed] = message?.getProposedMessagesList() ?? [];
      expect(message?.getCorrelationId()?.getString()).to.equal(OTHER);
      expect(textOf(message?.getOptions()?.getStreamIdentifier()?.getStreamName_asU8())).to.equal('category-ß');
      expect(message?.getOptions()?.hasStreamPosition()).to.equal(true);
      expect(message?.getOptions()?.getStreamPosition()).to.equal(String(length * 1_000_000));
      expect(message?.getIsFinal()).to.equal(true);
      expect(proposed?.getId()?.getString()).to.equal(ID);
      expect(textOf(proposed?.getData_asU8())).to.equal(data);
      expect(textOf(proposed?.getCustomMetadata_asU8())).to.equal('{"a":"é"}');
      expect(proposed?.getMetadataMap().toObject()).to.deep.equal([
        ['content-type', 'application/json'],
        ['type', 'Größe'],
      ]);
    }
  });

  it('expects no stream for a new one', () => {
    const [message] = appendRequest('category-new', -1, [eventOf('{}')]).map(parsed);
    expect(message?.getOptions()?.hasNoStream()).to.equal(true);
    expect(message?.getOptions()?.hasStreamPosition()).to.equal(false);
    expect(message?.getOptions()?.hasDeadline()).to.equal(false);
  });

  it('goes in several messages when it is large: the first has the options, the last is final', () => {
    const events = Array.from({ length: 5 }, () => eventOf(JSON.stringify('y'.repeat(400_000))));
    const messages = appendRequest('category-large', 3, events).map(parsed);
    expect(messages.map((message) => message.getProposedMessagesList().length)).to.deep.equal([2, 2, 1]);
    expect(messages.map((message) => message.hasOptions())).to.deep.equal([true, false, false]);
    expect(messages.map((message) => message.getIsFinal())).to.deep.equal([false, false, true]);
    expect(messages.map((message) => message.getCorrelationId()?.getString())).to.deep.equal([OTHER, OTHER, OTHER]);
  });
});

describe('answers read by hand', () => {
  it('to an append are a success or an error with its words', () => {
    const answer = new streams.BatchAppendResp()
      .setCorrelationId(new shared.UUID().setString(ID))
      .setStreamPosition('300');
    const success = answer.clone().setSuccess(new streams.BatchAppendResp.Success().setCurrentRevision('70000'));
    const error = answer.clone().setError(new status.Status().setMessage('Server Is Busy'));
    const read = [success, error].map((one) => readAppendResponse(Buffer.from(one.serializeBinary())));
    expect(read.map(({ correlation, isSuccess }) => [correlation, isSuccess])).to.deep.equal([
      [ID, true],
      [ID, false],
    ]);
    expect(read.map((one) => one.error?.getMessage())).to.deep.equal([undefined, 'Server Is Busy']);
  });

  it('to a read are an event with positions of 64 bits, exactly, or a word about the log', () => {
    const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
      .setId(new shared.UUID().setString(ID))
      .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from('category-ß')))
      .setStreamRevision('4294967296')
      .setCommitPosition(String(LARGEST))
      .setPreparePosition('9007199254740993')
      .setData(Buffer.from('{"a":"€"}'))
      .setCustomMetadata(Buffer.from('{"b":"é"}'));
    recorded.getMetadataMap().set('created', '1').set('type', 'Größe').set('content-type', 'application/json');
    const event = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition('7').setLink(undefined);
    const read = readReadResponse(Buffer.from(new streams.ReadResp().setEvent(event).serializeBinary()));
    expect({ ...read.event, data: read.event?.data(), metadata: read.event?.metadata() }).to.deep.equal({
      id: ID,
      type: 'Größe',
      stream: 'category-ß',
      revision: 4_294_967_296n,
      commit: LARGEST,
      prepare: 9_007_199_254_740_993n,
      data: '{"a":"€"}',
      metadata: '{"b":"é"}',
    });
    const caughtUp = new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
    const fellBehind = new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind());
    const notFound = new streams.ReadResp().setStreamNotFound(new streams.ReadResp.StreamNotFound());
    const all = [caughtUp, fellBehind, notFound, new streams.ReadResp()];
    const nothing = { event: undefined, caughtUp: false, fellBehind: false, notFound: false };
    expect(all.map((one) => readReadResponse(Buffer.from(one.serializeBinary())))).to.deep.equal([
      { ...nothing, caughtUp: true },
      { ...nothing, fellBehind: true },
      { ...nothing, notFound: true },
      nothing,
    ]);
  });

  it('are refused when they end too early', () => {
    expect(() => new WireReader(Buffer.from([0x0a, 5, 1])).message()).to.throw('longer than its message');
    expect(() => new WireReader(Buffer.from([0x80])).varint()).to.throw('ends within a field');
  });
});
