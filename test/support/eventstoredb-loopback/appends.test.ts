// Appends to the stand-in, by the real client.
import { randomUUID } from 'node:crypto';
import type { EventStoreDBClient } from '@eventstore/db-client';
import {
  binaryEvent,
  DeadlineExceededError,
  jsonEvent,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { expect } from 'chai';
import { type AppendOutcome, batchAnswer } from './append/append-answer.ts';
import { FRAME_HEADER_BYTES } from './grpc/grpc-call.ts';
import { collected, paid, Rig, rejection, someEvents, someStream } from './rig.ts';

describe('an append to the EventStoreDB stand-in', () => {
  let rig: Rig;
  let client: EventStoreDBClient;

  before(async () => {
    rig = await Rig.open();
    client = rig.client();
  });
  after(() => rig.close());

  it('answers the last revision and its position', async () => {
    const stream = someStream();
    const first = await client.appendToStream(stream, someEvents(3), { expectedRevision: 'no_stream' });
    const second = await client.appendToStream(stream, paid(), { expectedRevision: 2n });
    expect([first.nextExpectedRevision, second.nextExpectedRevision]).to.deep.equal([2n, 3n]);
    const events = await collected(client.readStream(stream));
    expect(events.map(({ event }) => event?.revision)).to.deep.equal([0n, 1n, 2n, 3n]);
    expect(events[2]?.event).to.have.deep.property('position', first.position);
    expect(events[3]?.event).to.have.deep.property('position', second.position);
  });

  it('names the revision that the stream has instead of the expected one', async () => {
    const stream = someStream();
    await client.appendToStream(stream, someEvents(2));
    for (const expectedRevision of ['no_stream', 0n, 2n] as const) {
      const error = await rejection(client.appendToStream(stream, paid(), { expectedRevision }));
      expect(error).to.be.instanceOf(WrongExpectedVersionError);
      expect(error).to.include({
        actualVersion: 1n,
        expectedVersion: expectedRevision,
        streamName: stream,
        message: '',
      });
    }
  });

  it('names no_stream as the revision of a stream that does not exist', async () => {
    for (const expectedRevision of ['stream_exists', 0n] as const) {
      const error = await rejection(client.appendToStream(someStream(), paid(), { expectedRevision }));
      expect(error).to.be.instanceOf(WrongExpectedVersionError);
      expect(error).to.include({ actualVersion: 'no_stream' });
    }
  });

  it('may expect any stream, or any that exists', async () => {
    const stream = someStream();
    await client.appendToStream(stream, paid(), { expectedRevision: 'any' });
    const { nextExpectedRevision } = await client.appendToStream(stream, paid(), {
      expectedRevision: 'stream_exists',
    });
    expect(nextExpectedRevision).to.equal(1n);
  });

  it('is refused above 1 MB of data', async () => {
    const large = jsonEvent({ type: 'paid', data: 'x'.repeat(1024 * 1024) });
    const error = await rejection(client.appendToStream(someStream(), large));
    expect(error).to.be.instanceOf(MaxAppendSizeExceededError);
    expect(error).to.include({ maxAppendSize: 1024 * 1024 });
  });

  it('is measured by its data alone, without metadata', async () => {
    const text = 'x'.repeat(700 * 1024);
    const event = jsonEvent({ type: 'paid', data: text, metadata: { text } });
    expect((await client.appendToStream(someStream(), event)).nextExpectedRevision).to.equal(0n);
  });

  it('keeps data, metadata and type unchanged', async () => {
    const stream = someStream();
    const json = jsonEvent({
      id: randomUUID().toUpperCase(),
      type: 'größer',
      data: { name: 'Zoë' },
      metadata: { by: '✓' },
    });
    const binary = binaryEvent({ type: 'raw', data: Uint8Array.from([0, 255]), metadata: Uint8Array.from([1]) });
    const before = Date.now();
    await client.appendToStream(stream, [json, binary]);
    const [first, second] = await collected(client.readStream(stream));
    expect(first?.event).to.deep.include({ streamId: stream, id: json.id.toLowerCase(), type: 'größer', isJson: true });
    expect(first?.event).to.deep.include({ data: { name: 'Zoë' }, metadata: { by: '✓' } });
    expect(first?.event?.created.getTime()).to.be.within(before, Date.now());
    expect(second?.event).to.deep.include({
      type: 'raw',
      isJson: false,
      data: Uint8Array.from([0, 255]),
      metadata: Uint8Array.from([1]),
    });
  });

  it('may come in several messages', async () => {
    const stream = someStream();
    const { nextExpectedRevision } = await client.appendToStream(stream, someEvents(20), { batchAppendSize: 300 });
    expect(nextExpectedRevision).to.equal(19n);
  });

  it('among many in flight keeps its order, and gives every event its own position', async () => {
    const stream = someStream();
    const appended = await Promise.all(
      someEvents(64).map((event, index) =>
        client.appendToStream(stream, event, { expectedRevision: index === 0 ? 'no_stream' : BigInt(index - 1) }),
      ),
    );
    const positions = appended.map(({ position }) => position?.commit ?? 0n);
    for (const [index, position] of positions.slice(1).entries())
      expect(position > (positions[index] ?? 0n) + 100n).to.equal(true);
    expect(appended.every(({ position }) => position?.commit === position?.prepare)).to.equal(true);
  });

  describe('of the same ids', () => {
    it('answers as the first one did, even with other data', async () => {
      const stream = someStream();
      const [one, two] = [randomUUID(), randomUUID()];
      const first = await client.appendToStream(stream, [paid(1, one), paid(2, two)], {
        expectedRevision: 'no_stream',
      });
      await client.appendToStream(stream, paid(), { expectedRevision: 1n });
      const again = await client.appendToStream(stream, [paid(8, one), paid(9, two)], {
        expectedRevision: 'no_stream',
      });
      expect(again).to.deep.equal(first);
      expect(await collected(client.readStream(stream))).to.have.length(3);
    });

    it('answers the same for the first event alone', async () => {
      const stream = someStream();
      const [one, two] = [randomUUID(), randomUUID()];
      await client.appendToStream(stream, [paid(1, one), paid(2, two)], { expectedRevision: 'no_stream' });
      const { nextExpectedRevision } = await client.appendToStream(stream, paid(1, one), {
        expectedRevision: 'no_stream',
      });
      expect(nextExpectedRevision).to.equal(0n);
    });

    it('writes them a second time when it expects the head', async () => {
      const stream = someStream();
      const event = paid();
      await client.appendToStream(stream, event, { expectedRevision: 'no_stream' });
      const { nextExpectedRevision } = await client.appendToStream(stream, event, { expectedRevision: 0n });
      expect(nextExpectedRevision).to.equal(1n);
    });

    it('is a conflict at another revision, and where only a part was written', async () => {
      const stream = someStream();
      const event = paid();
      await client.appendToStream(stream, [paid(), paid(), event], { expectedRevision: 'no_stream' });
      expect(await rejection(client.appendToStream(stream, event, { expectedRevision: 0n }))).to.be.instanceOf(
        WrongExpectedVersionError,
      );
      const partly = client.appendToStream(stream, [event, paid()], { expectedRevision: 1n });
      expect(await rejection(partly)).to.be.instanceOf(WrongExpectedVersionError);
    });

    it('answers as the first one did when both expect any revision', async () => {
      const stream = someStream();
      const event = paid();
      const first = await client.appendToStream(stream, event, { expectedRevision: 'any' });
      expect(await client.appendToStream(stream, event, { expectedRevision: 'any' })).to.deep.equal(first);
    });
  });

  it('succeeds with no events, even without a stream', async () => {
    const { nextExpectedRevision } = await client.appendToStream(someStream(), []);
    expect(nextExpectedRevision).to.equal(0n);
  });

  it('times out at the client’s deadline, on the server’s clock', async () => {
    await rig.loopback.order({ order: 'shift clock', ms: 15_000 });
    const error = await rejection(client.appendToStream(someStream(), paid()));
    expect(error).to.be.instanceOf(DeadlineExceededError);
    await rig.loopback.order({ order: 'behave' });
    await client.appendToStream(someStream(), paid());
  });

  it('is a bad request if an id is the nil UUID or no UUID, or a type is empty', async () => {
    const shortlived = await Rig.open();
    const events = [
      paid(1, 'payment-1'),
      paid(1, '00000000-0000-0000-0000-000000000000'),
      jsonEvent({ type: '', data: {} }),
    ];
    // The second answer comes 2 s later and would throw uncatchably in the client, so the server is killed before.
    const errors = await Promise.all(
      events.map((event) => rejection(shortlived.client().appendToStream(someStream(), event))),
    );
    await shortlived.loopback.kill();
    for (const error of errors) {
      expect(error).to.be.instanceOf(UnknownError);
      expect(error).to.include({ message: 'Could not recognize BadRequest' });
    }
    await shortlived.close();
  });

  it('ends the call of all appends when its message has 17 MB', async () => {
    const shortlived = await Rig.open();
    const huge = jsonEvent({ type: 'paid', data: 'x'.repeat(17 * 1024 * 1024) });
    const patient = { deadline: 120_000 }; // the client's own 10 s are few for 17 MB on a busy machine
    const error = await rejection(shortlived.client().appendToStream(someStream(), huge, patient));
    expect(error).to.include({ code: 8 });
    await shortlived.close();
  });

  it('also has an error code for each kind of failure', () => {
    const sender = { correlation: Buffer.alloc(0), identifier: Buffer.alloc(0), expected: 'any' } as const;
    const codeOf = (outcome: AppendOutcome): number | undefined =>
      streams.BatchAppendResp.deserializeBinary(batchAnswer(outcome, sender).subarray(FRAME_HEADER_BYTES))
        .getError()
        ?.getCode();
    expect(codeOf({ kind: 'not_ready' })).to.equal(0);
    expect(codeOf({ kind: 'bad_request', reason: '' })).to.equal(3);
    expect(codeOf({ kind: 'too_large' })).to.equal(3);
    expect(codeOf({ kind: 'timeout' })).to.equal(4);
    expect(codeOf({ kind: 'deleted' })).to.equal(5);
    expect(codeOf({ kind: 'wrong_expected', current: 1 })).to.equal(6);
  });

  it('cannot be undone by a deletion at a wrong revision', async () => {
    const stream = someStream();
    await client.appendToStream(stream, paid());
    const error = await rejection(client.deleteStream(stream, { expectedRevision: 5n }));
    expect(error).to.be.instanceOf(WrongExpectedVersionError);
    expect(error).to.include({ actualVersion: 0n, expectedVersion: 5n });
  });

  describe('to a deleted stream', () => {
    it('answers without a position for ids that the stream has', async () => {
      const stream = someStream();
      const events = someEvents(2);
      await client.appendToStream(stream, events, { expectedRevision: 'no_stream' });
      await client.deleteStream(stream);
      const again = await client.appendToStream(stream, events, { expectedRevision: 'no_stream' });
      expect(again).to.include({ success: true, nextExpectedRevision: 1n, position: undefined });
    });

    it('continues after the last revision if the deletion was soft', async () => {
      const stream = someStream();
      await client.appendToStream(stream, someEvents(2));
      await client.deleteStream(stream);
      const { nextExpectedRevision } = await client.appendToStream(stream, paid(), { expectedRevision: 'no_stream' });
      expect(nextExpectedRevision).to.equal(2n);
      const events = await collected(client.readStream(stream));
      expect(events.map(({ event }) => event?.revision)).to.deep.equal([2n]);
    });

    it('is refused if the stream has a tombstone', async () => {
      const stream = someStream();
      await client.appendToStream(stream, paid());
      await client.tombstoneStream(stream);
      expect(await rejection(client.appendToStream(stream, paid()))).to.be.instanceOf(StreamDeletedError);
    });
  });
});
