// Subscriptions to the stand-in: their events and their ends, as the real client sees them.
import { randomUUID } from 'node:crypto';
import type { AllStreamSubscription, EventStoreDBClient, Filter, Position } from '@eventstore/db-client';
import {
  eventTypeFilter,
  jsonEvent,
  START,
  streamNameFilter,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import { expect } from 'chai';
import { next, paid, Rig, someEvents } from './rig.ts';

/** The next `count` events of a subscription, as stream and revision. */
async function take(subscription: AllStreamSubscription, count: number): Promise<string[]> {
  const taken: string[] = [];
  await new Promise<void>((resolve, reject) => {
    subscription.on('error', reject).on('data', ({ event }) => {
      taken.push(`${event?.streamId} ${event?.revision}`);
      if (taken.length === count) resolve();
    });
  });
  return taken;
}

describe('subscriptions to the EventStoreDB stand-in', () => {
  let rig: Rig;
  let client: EventStoreDBClient;
  /** Each test has its own category, and so its own streams. */
  let category: string;
  const stream = (id: string): string => `${category}-${id}`;
  const ofCategory = (): Filter => streamNameFilter({ prefixes: [`${category}-`] });

  before(async () => {
    rig = await Rig.open();
  });
  beforeEach(() => {
    client = rig.client();
    category = randomUUID().slice(0, 8);
  });
  afterEach(async () => {
    await client.dispose();
    await rig.loopback.order({ order: 'behave' });
  });
  after(() => rig.close());

  it('send all events, say that they caught up, and go on with new ones', async () => {
    await client.appendToStream(stream('1'), someEvents(2));
    const subscription = client.subscribeToAll({ filter: ofCategory() });
    const said: string[] = [];
    subscription.on('caughtUp', () => said.push('caught up'));
    const received = new Promise<void>((resolve) => {
      subscription.on('data', ({ event }) => {
        said.push(String(event?.revision));
        if (event?.revision === 3n) resolve();
      });
    });
    await next(subscription, 'caughtUp');
    await client.appendToStream(stream('1'), someEvents(2));
    await received;
    expect(said).to.deep.equal(['0', '1', 'caught up', '2', '3']);
    await subscription.unsubscribe();
  });

  it('exclude the position they start from', async () => {
    const { position } = await client.appendToStream(stream('1'), paid());
    await client.appendToStream(stream('1'), paid());
    const all = client.subscribeToAll({ fromPosition: position ?? START });
    expect(await take(all, 1)).to.deep.equal([`${stream('1')} 1`]);
    const one = client.subscribeToStream(stream('1'), { fromRevision: 0n });
    expect(await next(one, 'data')).to.have.nested.property('event.revision', 1n);
  });

  it('may begin before their stream does, and then never say that they caught up', async () => {
    const { open } = await rig.loopback.counters();
    const subscription = client.subscribeToStream(stream('1'));
    let caughtUp = false;
    subscription.on('caughtUp', () => {
      caughtUp = true;
    });
    const received = next(subscription, 'data');
    await rig.counted(({ open: now }) => now.live > open.live);
    await client.appendToStream(stream('2'), paid());
    await client.appendToStream(stream('1'), paid());
    expect(await received).to.have.nested.property('event.streamId', stream('1'));
    expect(caughtUp).to.equal(false);
  });

  it('from the end skip earlier events', async () => {
    await client.appendToStream(stream('1'), someEvents(3));
    const subscription = client.subscribeToAll({ fromPosition: 'end' });
    await next(subscription, 'caughtUp');
    const received = take(subscription, 1);
    await client.appendToStream(stream('1'), paid());
    expect(await received).to.deep.equal([`${stream('1')} 3`]);
  });

  it('from beyond the end are live at once, and send every new event, wherever it lies', async () => {
    const { position } = await client.appendToStream(stream('1'), paid());
    const beyond = (position?.commit ?? 0n) + 1_000_000n;
    const subscription = client.subscribeToAll({ fromPosition: { commit: beyond, prepare: beyond } });
    await next(subscription, 'caughtUp');
    const received = take(subscription, 1);
    await client.appendToStream(stream('2'), paid());
    expect(await received).to.deep.equal([`${stream('2')} 0`]);
  });

  it('from inside a record fail', async () => {
    const { position } = await client.appendToStream(stream('1'), paid());
    await client.appendToStream(stream('1'), paid());
    const inside = (position?.commit ?? 0n) + 1n;
    const subscription = client.subscribeToAll({ fromPosition: { commit: inside, prepare: inside } });
    const error = await next(subscription, 'error');
    expect(error).to.be.instanceOf(UnknownError);
    expect(error).to.include({ code: 2 });
  });

  it('filter by prefixes or patterns of stream names or types', async () => {
    const refunded = jsonEvent({ type: `refunded-${category}`, data: {} });
    await client.appendToStream(stream('1'), paid());
    await client.appendToStream(stream('2'), refunded);
    await client.appendToStream(stream('3'), paid());
    const [one, two, three] = ['1', '2', '3'].map((id) => `${stream(id)} 0`);
    const wanted = [
      [streamNameFilter({ prefixes: [stream('2'), stream('3')] }), [two, three]],
      [streamNameFilter({ regex: `^${category}.[13]$` }), [one, three]],
      [eventTypeFilter({ prefixes: [`refunded-${category}`] }), [two]],
      [eventTypeFilter({ regex: `d-${category.slice(0, 7)}` }), [two]],
    ] as const;
    for (const [filter, found] of wanted) {
      expect(await take(client.subscribeToAll({ filter }), found.length)).to.deep.equal(found);
    }
  });

  it('with a filter send a checkpoint every 32 × interval events', async () => {
    const { position: start } = await client.appendToStream('before', paid());
    await client.appendToStream('before', someEvents(200));
    const { position } = await client.appendToStream(stream('1'), paid());
    const checkpoints: Position[] = [];
    const filter = streamNameFilter({
      prefixes: [stream('')],
      checkpointInterval: 2,
      checkpointReached: async (_subscription, reached) => {
        checkpoints.push(reached);
      },
    });
    const subscription = client.subscribeToAll({ filter, fromPosition: start ?? START });
    await next(subscription, 'caughtUp');
    expect(checkpoints).to.have.length(3);
    expect(checkpoints.every(({ commit }) => commit < (position?.commit ?? 0n))).to.equal(true);
    await subscription.unsubscribe();
    const [last] = checkpoints.slice(-1);
    expect(await take(client.subscribeToAll({ filter, fromPosition: last ?? START }), 1)).to.deep.equal([
      `${stream('1')} 0`,
    ]);
  });

  it('send the whole of a long log to a slow consumer', async () => {
    for (let block = 0; block < 10; block += 1) {
      await client.appendToStream(
        stream('1'),
        someEvents(300).map((event) => ({ ...event, data: 'x'.repeat(500) })),
      );
    }
    let seen = 0n;
    const subscription = client.subscribeToAll({ filter: ofCategory() });
    for await (const { event } of subscription) {
      expect(event?.revision).to.equal(seen);
      seen += 1n;
      if (seen % 500n === 0n) await new Promise(setImmediate);
      if (seen === 3_000n) break;
    }
    await subscription.unsubscribe();
  });

  it('are dropped as too slow when more than 32 events wait, and miss no event after they resume', async () => {
    const subscription = client.subscribeToAll({ filter: ofCategory() });
    const seen: bigint[] = [];
    let last: Position | undefined;
    subscription.on('data', ({ event }) => {
      if (event === undefined) return;
      seen.push(event.revision);
      last = event.position;
    });
    const dropped = next(subscription, 'error');
    await next(subscription, 'caughtUp');
    await client.appendToStream(stream('1'), paid());
    await rig.loopback.order({ order: 'hold subscriptions', held: true });
    for (let count = 0; count < 32; count += 1) await client.appendToStream(stream('1'), paid());
    const { dropped: earlier } = (await rig.loopback.counters()).subscriptions;
    await client.appendToStream(stream('1'), paid());
    const error = await dropped;
    expect(error).to.be.instanceOf(TimeoutError);
    expect(error).to.include({ code: 10 });
    expect(error)
      .to.have.property('message')
      .that.matches(/Consumer too slow .* resubscription required/);
    await rig.loopback.order({ order: 'behave' });
    expect(seen).to.deep.equal([0n]);
    const again = await take(client.subscribeToAll({ fromPosition: last ?? START }), 33);
    expect(again.at(-1)).to.equal(`${stream('1')} 33`);
    expect((await rig.loopback.counters()).subscriptions.dropped).to.equal(earlier + 1);
  });

  it('are dropped on order, once or repeatedly: as too slow, without a status, or as unavailable', async () => {
    const endings = [
      ['too_slow', TimeoutError, 10],
      ['reset', UnknownError, 13],
      ['unavailable', UnavailableError, 14],
    ] as const;
    const { dropped: earlier } = (await rig.loopback.counters()).subscriptions;
    for (const [as, kind, code] of endings) {
      const subscription = rig.client().subscribeToAll({ fromPosition: 'end' });
      await next(subscription.resume(), 'caughtUp');
      const dropped = next(subscription, 'error');
      await rig.loopback.order({ order: 'drop subscriptions', as });
      const error = await dropped;
      expect(error).to.be.instanceOf(kind);
      expect(error).to.include({ code });
    }
    await rig.loopback.order({ order: 'drop subscriptions', everyMs: 20 });
    for (let times = 0; times < 3; times += 1)
      expect(await next(client.subscribeToAll({ fromPosition: 'end' }).resume(), 'error')).to.include({ code: 10 });
    await rig.loopback.order({ order: 'behave' });
    expect((await rig.loopback.counters()).subscriptions.dropped).to.equal(earlier + 6);
  });

  it('are counted while they are open, even if a client has forgotten them', async () => {
    await rig.counted(({ open }) => open.subscriptions === 0);
    const forgotten = client.subscribeToAll({ fromPosition: 'end' });
    await next(forgotten.resume(), 'caughtUp');
    expect((await rig.loopback.counters()).open).to.include({ subscriptions: 1, live: 1 });
    await forgotten.unsubscribe();
    await rig.counted(({ open }) => open.subscriptions === 0 && open.live === 0);
  });
});
