// The stand-in's misbehaviour on order, as the real client sees it.
import type { EventStoreDBClient } from '@eventstore/db-client';
import { UnknownError } from '@eventstore/db-client';
import { expect } from 'chai';
import { collected, next, paid, Rig, rejection, someEvents, someStream } from './rig.ts';

describe('the EventStoreDB stand-in, ordered to misbehave,', () => {
  let rig: Rig;
  let client: EventStoreDBClient;

  before(async () => {
    rig = await Rig.open();
  });
  beforeEach(async () => {
    client = rig.client();
    await client.appendToStream('warm', paid());
  });
  afterEach(async () => {
    await client.dispose();
    await rig.loopback.order({ order: 'behave' });
  });
  after(() => rig.close());

  for (const [when, revisions] of [
    ['before', []],
    ['after', [0n]],
  ] as const) {
    it(`cuts the connection ${when} an append is written`, async () => {
      const stream = someStream();
      const event = paid();
      const { appends: before } = await rig.loopback.counters();
      await rig.loopback.order({ order: 'cut appends', when, appends: 1 });
      expect(await rejection(client.appendToStream(stream, event, { expectedRevision: 'no_stream' }))).to.include({
        code: 14,
      });
      const found = await collected(rig.client().readStream(stream)).catch(() => []);
      expect(found.map((resolved) => resolved.event?.revision)).to.deep.equal(revisions);
      const { nextExpectedRevision } = await rig
        .client()
        .appendToStream(stream, event, { expectedRevision: 'no_stream' });
      expect(nextExpectedRevision).to.equal(0n);
      const { appends } = await rig.loopback.counters(stream);
      expect(appends).to.deep.include({ repeated: before.repeated + revisions.length, byStream: { [stream]: 2 } });
    });

    it(`never answers an append, ${when} it is written`, async () => {
      const stream = someStream();
      await rig.loopback.order({ order: 'ignore appends', when, appends: 1 });
      let answered = false;
      const append = client.appendToStream(stream, paid()).finally(() => {
        answered = true;
      });
      await client.appendToStream('warm', paid());
      const found = await collected(client.readStream(stream)).catch(() => []);
      expect(found).to.have.length(revisions.length);
      expect(answered).to.equal(false);
      await client.dispose();
      await rejection(append);
    });
  }

  it('misbehaves only for streams with the ordered prefix', async () => {
    await rig.loopback.order({ order: 'cut appends', when: 'before', appends: 1, prefix: 'refund-' });
    await client.appendToStream('payment-1', paid());
    expect(await rejection(client.appendToStream('refund-1', paid()))).to.include({ code: 14 });
  });

  it('answers one append late, and others meanwhile', async () => {
    await rig.loopback.order({ order: 'delay appends', ms: 2_000, appends: 1 });
    const before = performance.now();
    const late = client.appendToStream('payment-1', paid()).then(() => performance.now() - before);
    await client.appendToStream('payment-2', paid());
    const soon = performance.now() - before;
    expect(await late).to.be.at.least(1_999);
    expect(soon).to.be.below(await late);
  });

  it('answers an append twice, which makes the client throw uncatchably', async () => {
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const unhandled = next(process, 'unhandledRejection');
    await rig.loopback.order({ order: 'answer appends twice', gapMs: 20, appends: 1 });
    await client.appendToStream('payment-1', paid());
    expect(await unhandled).to.be.instanceOf(TypeError);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });

  it('answers everything slowly', async () => {
    await rig.loopback.order({ order: 'slow answers', ms: 100 });
    const asked = [
      (): Promise<unknown> => client.appendToStream('payment-1', paid()),
      (): Promise<unknown> => collected(client.readStream('warm')),
      (): Promise<unknown> => next(client.subscribeToAll().resume(), 'caughtUp'),
    ];
    for (const ask of asked) {
      const before = performance.now();
      await ask();
      expect(performance.now() - before).to.be.at.least(99);
    }
  });

  it('is not ready for a while: appends and reads fail in different ways', async () => {
    await rig.loopback.order({ order: 'be not ready', ms: 60_000 });
    const error = await rejection(client.appendToStream('payment-1', paid()));
    expect(error).to.be.instanceOf(UnknownError);
    expect(error).to.include({ message: 'Could not recognize Server Is Not Ready' });
    expect(await rejection(collected(client.readAll()))).to.include({ code: 14 });
    await rig.loopback.order({ order: 'behave' });
    await rig.client().appendToStream('payment-1', paid());
  });

  it('cuts all connections', async () => {
    const subscription = client.subscribeToAll();
    await next(subscription.resume(), 'caughtUp');
    const dropped = next(subscription, 'error');
    await rig.loopback.order({ order: 'cut connections' });
    expect(await dropped).to.include({ code: 14 });
  });

  it('counts appends that it wrote, had written before, or refused', async () => {
    const fresh = await Rig.open();
    const writer = fresh.client();
    const events = someEvents(2);
    await writer.appendToStream('payment-1', events, { expectedRevision: 'no_stream' });
    await writer.appendToStream('payment-1', events, { expectedRevision: 'no_stream' });
    await rejection(writer.appendToStream('payment-1', paid(), { expectedRevision: 'no_stream' }));
    await writer.appendToStream('refund-1', { ...paid(), type: 'refunded' });
    const { appends, log } = await fresh.loopback.counters('payment-');
    expect(appends).to.deep.equal({
      received: 4,
      written: 2,
      repeated: 1,
      wrongExpected: 1,
      byType: { paid: 3, refunded: 1 },
      byStream: { 'payment-1': 3 },
    });
    expect(log.events).to.equal((await collected(writer.readAll())).length);
    await fresh.close();
  });
});
