// Copying a log: everything in its place, resumable wherever it ended, and never into another log.
import { expect } from 'chai';
import { type CopyProgress, copyLog, ForeignEvent, TargetDiffers, TargetInUse } from '../../src/journal/copy-log.ts';
import type { EventStore, NewEvent, StoredEvent } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { eventOf, eventsOf, faultOf } from '../contract/store-under-test.ts';

const signal = new AbortController().signal;
const options = { signal };

async function logIn(store: EventStore): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const { events, caughtUp } of store.follow(-1n, [], signal)) {
    found.push(...events);
    if (caughtUp) break;
  }
  return found;
}

const withoutPosition = (events: readonly StoredEvent[]): readonly object[] =>
  events.map(({ position: _, ...rest }) => rest);

/** Several streams whose events lie between each other. */
async function filled(rounds = 40): Promise<EventStore> {
  const store = openMemoryEventStore();
  for (let round = 0; round < rounds; round += 1) {
    for (const [place, stream] of ['payment-a', 'payment-b', 'clientSession-c'].entries()) {
      await store.append(stream, round * (place + 1) - 1, eventsOf(place + 1));
    }
  }
  return store;
}

/** The store, whose `nth` append (from 1 on) fails, before or after its effect. */
function failing(store: EventStore, nth: number, moment: 'before' | 'after'): EventStore {
  let appends = 0;
  return {
    append: async (stream, after, events) => {
      appends += 1;
      const gone = new StoreUnavailable('gone', { outcomeUnknown: moment === 'after' });
      if (appends === nth && moment === 'before') throw gone;
      const result = await store.append(stream, after, events);
      if (appends === nth) throw gone;
      return result;
    },
    read: (stream, after) => store.read(stream, after),
    follow: (after, categories, until) => store.follow(after, categories, until),
    head: () => store.head(),
    close: () => store.close(),
  };
}

describe('a copied log', () => {
  it('holds the same events in the same order, with their ids, texts and revisions, and the same digest', async () => {
    const [source, target] = [await filled(), openMemoryEventStore()];
    const copied = await copyLog(source, target, options);
    expect(copied).to.include({ events: 240, found: 0, targetDigest: copied.sourceDigest });
    expect(withoutPosition(await logIn(target))).to.deep.equal(withoutPosition(await logIn(source)));
  });

  it('goes on from wherever a failed append left it, whether that had an effect or not', async () => {
    const [source, target] = [await filled(), openMemoryEventStore()];
    let runs = 0;
    for (const moment of ['before', 'after', 'before', 'after'] as const) {
      expect(await faultOf(copyLog(source, failing(target, 20, moment), options))).to.be.instanceOf(StoreUnavailable);
      runs += 1;
      const there = await logIn(target);
      expect(withoutPosition(there)).to.deep.equal(withoutPosition((await logIn(source)).slice(0, there.length)));
    }
    const copied = await copyLog(source, target, options);
    expect(copied.found).to.be.greaterThan(runs * 20);
    expect(copied).to.include({ events: 240, targetDigest: copied.sourceDigest });
    expect(withoutPosition(await logIn(target))).to.deep.equal(withoutPosition(await logIn(source)));
  });

  it('takes in newer events of the source, and nothing when there are none', async () => {
    const [source, target] = [await filled(5), openMemoryEventStore()];
    await copyLog(source, target, options);
    expect(await copyLog(source, target, options)).to.include({ events: 30, found: 30 });
    await source.append('payment-new', -1, eventsOf(3));
    expect(await copyLog(source, target, options)).to.include({ events: 33, found: 30 });
    expect(withoutPosition(await logIn(target))).to.deep.equal(withoutPosition(await logIn(source)));
  });

  it('can be of an empty log', async () => {
    expect(await copyLog(openMemoryEventStore(), openMemoryEventStore(), options)).to.include({ events: 0, found: 0 });
  });

  it('is appended in few pieces where a stream has long runs, none of them too large for a store', async () => {
    const [source, target] = [openMemoryEventStore(), openMemoryEventStore()];
    const large = (): NewEvent => eventOf('x'.repeat(200 * 1024));
    for (let round = 0; round < 5; round += 1) await source.append('payment-large', round * 2 - 1, [large(), large()]);
    for (let round = 0; round < 10; round += 1) await source.append('payment-long', round * 50 - 1, eventsOf(50));
    const sizes: number[] = [];
    const append = target.append.bind(target);
    target.append = (stream, after, events) => {
      sizes.push(events.length);
      return append(stream, after, events);
    };
    await copyLog(source, target, options);
    expect(sizes).to.deep.equal([2, 2, 2, 2, 2, 200, 200, 100]);
  });

  it('is of the events that the source had at first, where it grows before the copy is read back', async () => {
    const [source, target] = [await filled(3), openMemoryEventStore()];
    let grown: unknown;
    const onProgress = ({ events }: CopyProgress): void => {
      if (events === 18) grown ??= source.append('payment-new', -1, eventsOf(2));
    };
    const copied = await copyLog(source, target, { signal, onProgress });
    expect(await grown).not.to.equal('conflict');
    expect(copied).to.include({ events: 18, targetDigest: copied.sourceDigest });
  });

  it('reports its progress step by step', async () => {
    const [source, target] = [await filled(2), openMemoryEventStore()];
    const seen: CopyProgress[] = [];
    await copyLog(source, target, { signal, onProgress: (progress) => seen.push(progress) });
    expect(new Set(seen.map(({ step }) => step))).to.deep.equal(new Set(['copying', 'verifying']));
    expect(seen.at(-1)).to.deep.equal({ step: 'verifying', events: 12, done: 1 });
    const copying = seen.filter(({ step }) => step === 'copying').map(({ done }) => done);
    expect(copying).to.deep.equal(copying.toSorted((one, other) => one - other));
    expect([copying[0], copying.at(-1)]).to.satisfy(([first = 1, last = 0]) => first < 0.5 && last === 1);
  });
});

describe('copying a log is refused', () => {
  it('when the target holds another log, is ahead of the source, or has a text that differs', async () => {
    const source = await filled(3);
    const other = await filled(1);
    expect(await faultOf(copyLog(source, other, options))).to.be.instanceOf(TargetDiffers);
    const ahead = openMemoryEventStore();
    await copyLog(source, ahead, options);
    await ahead.append('payment-more', -1, eventsOf(1));
    expect(await faultOf(copyLog(source, ahead, options)))
      .to.be.instanceOf(TargetDiffers)
      .with.property('message')
      .that.contains('event 19 (payment-more@0');
    const altered = openMemoryEventStore();
    for (const { stream, revision, position: _, ...event } of (await logIn(source)).slice(0, 4)) {
      await altered.append(stream, revision - 1, [revision === 1 ? { ...event, data: '{"n":9}' } : event]);
    }
    expect(await faultOf(copyLog(source, altered, options))).to.be.instanceOf(TargetDiffers);
    expect(await logIn(altered)).to.have.length(4);
  });

  it('when somebody else writes to the target meanwhile', async () => {
    const [source, target] = [await filled(3), openMemoryEventStore()];
    const append = target.append.bind(target);
    target.append = async (stream, after, events) => {
      if (stream === 'payment-b' && after > 0) await append(stream, after, eventsOf(1));
      return append(stream, after, events);
    };
    expect(await faultOf(copyLog(source, target, options))).to.be.instanceOf(TargetInUse);
  });

  it('when the source is also the log of somebody else', async () => {
    const foreign: StoredEvent = { ...eventOf(), stream: 'orders', revision: 0, position: 0n };
    const source: EventStore = {
      ...openMemoryEventStore(),
      head: async () => 0n,
      async *follow() {
        yield { events: [foreign], position: 0n, caughtUp: true };
      },
    };
    const fault = await faultOf(copyLog(source, openMemoryEventStore(), options));
    expect(fault)
      .to.be.instanceOf(ForeignEvent)
      .with.property('message')
      .that.contains('"orders"')
      .and.contains('<category>-<id>');
  });

  it('when an event that is read back differs from the copied one', async () => {
    const [source, target] = [await filled(3), openMemoryEventStore()];
    const follow = target.follow.bind(target);
    target.follow = async function* (after, categories, until) {
      for await (const batch of follow(after, categories, until)) {
        yield {
          ...batch,
          events: batch.events.map((event) => (event.revision === 2 ? { ...event, metadata: '{}' } : event)),
        };
      }
    };
    expect(await faultOf(copyLog(source, target, options))).to.be.instanceOf(TargetDiffers);
  });

  it('when less can be read back than was copied', async () => {
    const [source, target] = [await filled(3), openMemoryEventStore()];
    const follow = target.follow.bind(target);
    let reads = 0;
    target.follow = async function* (after, categories, until) {
      reads += 1;
      const most = reads === 1 ? Number.POSITIVE_INFINITY : 5;
      for await (const batch of follow(after, categories, until))
        yield { ...batch, events: batch.events.slice(0, most) };
    };
    const fault = await faultOf(copyLog(source, target, options));
    expect(fault).to.include({ code: 'CopyIncomplete', message: 'The target ends after 5 of 18 events.' });
  });

  it('with the reason of the signal when it is interrupted, and goes on from there', async () => {
    const [source, target] = [await filled(100), openMemoryEventStore()];
    const ending = new AbortController();
    const reason = new Error('enough');
    const onProgress = ({ events }: CopyProgress): void => {
      if (events >= 50) ending.abort(reason);
    };
    expect(await faultOf(copyLog(source, target, { signal: ending.signal, onProgress }))).to.equal(reason);
    const { events, found } = await copyLog(source, target, options);
    expect(events).to.equal(600);
    expect(found).to.be.within(50, 50 + 64 * 3); // events under way are there, too
  });
});
