// Reads of the stand-in, by the real client.
import type { EventStoreDBClient } from '@eventstore/db-client';
import { AccessDeniedError, StreamDeletedError, StreamNotFoundError, UnknownError } from '@eventstore/db-client';
import { expect } from 'chai';
import { until } from '../until.ts';
import { collected, paid, Rig, rejection, someEvents, someStream } from './rig.ts';

describe('reads of the EventStoreDB stand-in', () => {
  let rig: Rig;
  let client: EventStoreDBClient;

  before(async () => {
    rig = await Rig.open();
    client = rig.client();
  });
  after(() => rig.close());

  describe('that name a stream', () => {
    const stream = someStream();
    const revisions = async (
      options: Parameters<EventStoreDBClient['readStream']>[1],
    ): Promise<readonly (bigint | undefined)[]> =>
      (await collected(client.readStream(stream, options))).map(({ event }) => event?.revision);

    before(() => client.appendToStream(stream, someEvents(5)));

    it('include the revision they start from', async () => {
      expect(await revisions({ fromRevision: 3n })).to.deep.equal([3n, 4n]);
      expect(await revisions({ direction: 'backwards', fromRevision: 1n })).to.deep.equal([1n, 0n]);
    });

    it('go backwards from the end, or from the start, where they find one event', async () => {
      expect(await revisions({ direction: 'backwards', fromRevision: 'end', maxCount: 2 })).to.deep.equal([4n, 3n]);
      expect(await revisions({ direction: 'backwards' })).to.deep.equal([0n]);
    });

    it('stop at the count', async () => {
      expect(await revisions({ maxCount: 2 })).to.deep.equal([0n, 1n]);
    });

    it('find no event beyond the head', async () => {
      expect(await revisions({ fromRevision: 5n })).to.deep.equal([]);
    });

    it('fail forwards from the end, and with a count of 0', async () => {
      expect(await rejection(revisions({ fromRevision: 'end' }))).to.include({ code: 3 });
      expect(await rejection(revisions({ maxCount: 0 }))).to.include({ code: 3 });
    });

    it('fail for a stream that does not exist, or no longer exists', async () => {
      const missing = someStream();
      const error = await rejection(collected(client.readStream(missing)));
      expect(error).to.be.instanceOf(StreamNotFoundError);
      expect(error).to.include({ streamName: missing });
      await client.appendToStream(missing, paid());
      await client.deleteStream(missing);
      expect(await rejection(collected(client.readStream(missing)))).to.be.instanceOf(StreamNotFoundError);
      await client.tombstoneStream(missing);
      expect(await rejection(collected(client.readStream(missing)))).to.be.instanceOf(StreamDeletedError);
    });

    it('skip events that the stream’s metadata truncates', async () => {
      const truncated = someStream();
      await client.appendToStream(truncated, someEvents(5));
      await client.setStreamMetadata(truncated, { truncateBefore: 3 });
      expect(await collected(client.readStream(truncated))).to.have.length(2);
      await client.setStreamMetadata(truncated, { maxCount: 1 });
      expect(await collected(client.readStream(truncated))).to.have.length(1);
    });

    it('find a stream of which the metadata hides all, and bring none of its events', async () => {
      for (const metadata of [{ truncateBefore: 5 }, { maxAge: 0 }]) {
        const hidden = someStream();
        await client.appendToStream(hidden, someEvents(2));
        await client.setStreamMetadata(hidden, metadata);
        await until(async () => (await collected(client.readStream(hidden))).length === 0);
        await client.setStreamMetadata(hidden, { maxAge: 3_600 });
        expect(await collected(client.readStream(hidden))).to.have.length(2);
      }
    });

    it('send more than any buffer holds to a slow reader', async () => {
      const long = someStream();
      const bulk = { text: 'x'.repeat(1_000) };
      await client.appendToStream(
        long,
        someEvents(900).map((event) => ({ ...event, data: bulk })),
      );
      let seen = 0n;
      for await (const { event } of client.readStream(long)) {
        if (seen % 300n === 0n) await new Promise(setImmediate);
        expect(event?.revision).to.equal(seen);
        seen += 1n;
      }
      expect(seen).to.equal(900n);
    });
  });

  describe('that name $all', () => {
    it('begin with the server’s own events', async () => {
      const [first] = await collected(client.readAll({ maxCount: 1 }));
      expect(first?.event?.streamId).to.match(/^\$/);
      expect(first?.event?.position.commit).to.not.equal(0n);
    });

    it('include the position they start from, going forwards', async () => {
      const stream = someStream();
      const { position } = await client.appendToStream(stream, paid(7));
      await client.appendToStream(stream, paid(8));
      const found = await collected(client.readAll({ ...(position && { fromPosition: position }), maxCount: 2 }));
      expect(found.map(({ event }) => [event?.streamId, event?.revision])).to.deep.equal([
        [stream, 0n],
        [stream, 1n],
      ]);
      expect(found[0]?.commitPosition).to.equal(position?.commit);
    });

    it('go backwards from the end, or from before a position', async () => {
      const stream = someStream();
      await client.appendToStream(stream, paid(1));
      const { position } = await client.appendToStream(stream, paid(2));
      const latest = await collected(client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 2 }));
      expect(latest.map(({ event }) => event?.revision)).to.deep.equal([1n, 0n]);
      const earlier = await collected(
        client.readAll({ direction: 'backwards', ...(position && { fromPosition: position }), maxCount: 1 }),
      );
      expect(earlier.map(({ event }) => event?.revision)).to.deep.equal([0n]);
    });

    it('fail inside a record, forwards from the end, and with a count of 0; beyond the end they find no event forwards, and fail backwards', async () => {
      const { position } = await client.appendToStream(someStream(), paid());
      await client.appendToStream(someStream(), paid());
      const commit = (position?.commit ?? 0n) + 1n;
      const error = await rejection(collected(client.readAll({ fromPosition: { commit, prepare: commit } })));
      expect(error).to.be.instanceOf(UnknownError);
      expect(error).to.include({ code: 2 });
      const beyond = commit + 1_000_000n;
      const there = { fromPosition: { commit: beyond, prepare: beyond } };
      expect(await collected(client.readAll(there))).to.deep.equal([]);
      expect(await rejection(collected(client.readAll({ ...there, direction: 'backwards' })))).to.include({ code: 2 });
      expect(await rejection(collected(client.readAll({ fromPosition: 'end' })))).to.include({ code: 3 });
      expect(await rejection(collected(client.readAll({ maxCount: 0 })))).to.include({ code: 3 });
    });

    it('still show deleted events', async () => {
      const stream = someStream();
      await client.appendToStream(stream, paid());
      await client.deleteStream(stream);
      const all = await collected(client.readAll());
      expect(all.filter(({ event }) => event?.streamId === stream)).to.have.length(1);
    });

    it('show a tombstone in its stream, at the largest possible revision, and the metadata of a soft deletion beside it', async () => {
      const [hard, soft] = [someStream(), someStream()];
      for (const stream of [hard, soft]) await client.appendToStream(stream, paid());
      await client.tombstoneStream(hard);
      await client.deleteStream(soft);
      const all = await collected(client.readAll());
      const last = all.findLast(({ event }) => event?.streamId === hard)?.event;
      expect([last?.type, last?.revision]).to.deep.equal(['$streamDeleted', 2n ** 63n - 1n]);
      const metadata = all.findLast(({ event }) => event?.streamId === `$$${soft}`)?.event;
      expect([metadata?.type, metadata?.data]).to.deep.equal(['$metadata', { $tb: 2 ** 63 }]);
    });

    it('are denied on order, and so are subscriptions', async () => {
      await rig.loopback.order({ order: 'refuse $all' });
      expect(await rejection(collected(client.readAll()))).to.be.instanceOf(AccessDeniedError);
      expect(await rejection(collected(client.subscribeToAll()))).to.be.instanceOf(AccessDeniedError);
      await rig.loopback.order({ order: 'behave' });
      expect(await collected(client.readAll({ maxCount: 1 }))).to.have.length(1);
    });
  });

  it('are counted, and so are those that a client leaves open', async () => {
    const other = await Rig.open();
    const reader = other.client();
    const stream = someStream();
    await reader.appendToStream(
      stream,
      someEvents(900).map((event) => ({ ...event, data: 'x'.repeat(1_000) })),
    );
    await collected(reader.readStream(stream, { maxCount: 1 }));
    for await (const _ of reader.readStream(stream)) break;
    await collected(reader.readAll({ maxCount: 1 }));
    const { reads, open } = await other.loopback.counters();
    expect(reads).to.deep.equal({ stream: 2, all: 1 });
    expect(open).to.include({ reads: 1, connections: 1, batchAppends: 1 });
    await other.close();
  });
});
