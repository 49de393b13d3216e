// The stand-in's data and clients when its process is killed, frozen, ended and started again.
import { appendFile, readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventStoreDBClient, jsonEvent, UnknownError, WrongExpectedVersionError } from '@eventstore/db-client';
import { expect } from 'chai';
import { collected, next, paid, Rig, rejection, someEvents, someStream } from './rig.ts';

describe('the EventStoreDB stand-in, killed and frozen,', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.open();
  });
  afterEach(() => rig.close());

  it('keeps every acknowledged append when it is killed with 64 in flight', async () => {
    const client = rig.client();
    const acknowledged: string[] = [];
    let killed: Promise<void> | undefined;
    const write = async (stream: string): Promise<void> => {
      for (let revision = -1; ; revision += 1) {
        await client.appendToStream(stream, someEvents(2), {
          expectedRevision: revision === -1 ? 'no_stream' : BigInt(2 * revision + 1),
        });
        acknowledged.push(stream);
        if (acknowledged.length === 500) killed = rig.loopback.kill();
      }
    };
    const streams = Array.from({ length: 64 }, someStream);
    for (const error of await Promise.all(streams.map((stream) => rejection(write(stream)))))
      expect(error).to.include({ code: 14 });
    await killed;
    await rig.loopback.start();
    const reader = rig.client();
    for (const stream of streams) {
      const found = await collected(reader.readStream(stream)).catch(() => []);
      const count = acknowledged.filter((name) => name === stream).length;
      expect(found.length).to.be.within(2 * count, 2 * count + 2);
      expect(found.length % 2).to.equal(0);
    }
  });

  it('continues on its port with the same positions, and recognizes ids, except for appends that expect any revision', async () => {
    const [stream, event] = [someStream(), paid()];
    const { url } = rig.loopback;
    const first = await rig.client().appendToStream(stream, event, { expectedRevision: 'no_stream' });
    await rig.loopback.kill();
    await rig.loopback.start();
    expect(rig.loopback.url).to.equal(url);
    const client = rig.client();
    expect(await client.appendToStream(stream, event, { expectedRevision: 'no_stream' })).to.deep.equal(first);
    const [found] = await collected(client.readStream(stream));
    expect(found?.event).to.have.deep.property('position', first.position);
    expect(await rejection(client.appendToStream(stream, paid(), { expectedRevision: 3n }))).to.be.instanceOf(
      WrongExpectedVersionError,
    );
    const { nextExpectedRevision } = await client.appendToStream(stream, event, { expectedRevision: 'any' });
    expect(nextExpectedRevision).to.equal(1n);
  });

  it('keeps a log that is longer than one chunk of its memory', async () => {
    const text = 'x'.repeat(900_000);
    const client = rig.client();
    for (let revision = 0; revision < 24; revision += 1)
      await client.appendToStream('payment-1', jsonEvent({ type: 'paid', data: text }));
    const revisions = async (reader: EventStoreDBClient): Promise<readonly (bigint | undefined)[]> => {
      const all = await collected(reader.readAll());
      const one = await collected(reader.readStream('payment-1', { direction: 'backwards', fromRevision: 'end' }));
      expect(one.map(({ event }) => event?.revision)).to.deep.equal(
        Array.from({ length: 24 }, (_, index) => BigInt(23 - index)),
      );
      return all
        .filter(({ event }) => event?.streamId === 'payment-1' && event.data === text)
        .map(({ event }) => event?.revision);
    };
    const before = await revisions(client);
    expect(before).to.have.length(24);
    await rig.loopback.kill();
    await rig.loopback.start();
    expect(await revisions(rig.client())).to.deep.equal(before);
  });

  it('drops the whole of an append that was written in part', async () => {
    const stream = someStream();
    await rig.client().appendToStream(stream, paid());
    const { log } = await rig.loopback.counters();
    const { position } = await rig.client().appendToStream(stream, someEvents(3));
    await rig.loopback.kill();
    const file = await logFile(rig);
    // Cut at the start of the last event: two of three are whole, and none of the three may show.
    await truncate(file, Number(position?.commit));
    await rig.loopback.start();
    const client = rig.client();
    expect(await collected(client.readStream(stream))).to.have.length(1);
    expect((await client.appendToStream(stream, paid(), { expectedRevision: 0n })).nextExpectedRevision).to.equal(1n);
    expect((await rig.loopback.counters()).log.end).to.be.above(log.end);
  });

  it('drops a record that was written in part', async () => {
    const stream = someStream();
    await rig.client().appendToStream(stream, paid());
    await rig.loopback.kill();
    await appendFile(await logFile(rig), Buffer.from([0, 0, 0, 1, 0, 7]));
    await rig.loopback.start();
    expect(await collected(rig.client().readStream(stream))).to.have.length(1);
  });

  it('answers no request while it is frozen, and all of them afterwards', async () => {
    const client = rig.client();
    const stream = someStream();
    await client.appendToStream(stream, paid());
    rig.loopback.freeze();
    let answered = false;
    const append = client.appendToStream(stream, paid()).then(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).to.equal(false);
    rig.loopback.thaw();
    await append;
  });

  it('ends slowly on SIGTERM: it serves requests until its end, then drops subscriptions without a status', async () => {
    await rig.loopback.order({ order: 'end within', ms: 3_000 });
    const client = rig.client();
    await client.appendToStream('payment-1', paid());
    const subscription = client.subscribeToAll();
    await next(subscription.resume(), 'caughtUp');
    const dropped = next(subscription, 'error');
    const gone = rig.loopback.terminate();
    const received = next(subscription, 'data');
    await client.appendToStream('payment-2', paid());
    expect(await received).to.have.nested.property('event.streamId', 'payment-2');
    await client.appendToStream('payment-1', paid());
    const error = await dropped;
    expect(error).to.be.instanceOf(UnknownError);
    expect(error)
      .to.include({ code: 13 })
      .and.to.have.property('message')
      .that.matches(/Received RST_STREAM with code 0/);
    await gone;
    expect(await rejection(rig.client().appendToStream('payment-1', paid()))).to.include({ code: 14 });
    await rig.loopback.start();
    expect(await collected(rig.client().readStream('payment-1'))).to.have.length(2);
  });

  it('is not ready for a while after a start, when that was ordered', async () => {
    await rig.loopback.order({ order: 'start slowly', ms: 60_000 });
    await rig.loopback.kill();
    await rig.loopback.start();
    const error = await rejection(rig.client().appendToStream('payment-1', paid()));
    expect(error).to.include({ message: 'Could not recognize Server Is Not Ready' });
    await rig.loopback.order({ order: 'start slowly', ms: 0 });
    await rig.loopback.order({ order: 'behave' });
    await rig.client().appendToStream('payment-1', paid());
  });

  it('writes events of its own at every start', async () => {
    const [client, before] = [rig.client(), (await rig.loopback.counters()).log.events];
    await rig.loopback.kill();
    await rig.loopback.start();
    expect((await rig.loopback.counters()).log.events).to.be.above(before);
    const systemOnly = (await collected(client.readAll())).every(({ event }) => event?.streamId.startsWith('$'));
    expect(systemOnly).to.equal(true);
  });
});

async function logFile(rig: Rig): Promise<string> {
  const [file] = (await readdir(rig.directory)).filter((name) => name.endsWith('.log'));
  return join(rig.directory, file ?? '');
}
