// The age of the oldest event that a projection has not got.
import { once } from 'node:events';
import { expect } from 'chai';
import type { ProjectionPosition } from '../../../../src/projections/engine/follow/positions.ts';
import { lagsOf } from '../../../../src/projections/engine/health/lag.ts';
import type { EventStore } from '../../../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../../../src/stores/memory/event-store.ts';
import { newUuid } from '../../../../src/world.ts';
import { calmWorld } from '../../../support/calm-world.ts';

const BEGINNING = 1_700_000_000_000;
const never = new AbortController().signal;

describe('the lag of projections', () => {
  let events: EventStore;
  let now: number;
  beforeEach(() => {
    events = openMemoryEventStore();
    now = BEGINNING;
  });

  /** An event of its own stream, recorded at `second`. Positions count up from 0. */
  async function recorded(category: string, second: number): Promise<void> {
    const metadata = {
      accountId: 'acc_1',
      actor: { kind: 'operator', id: 'test' },
      recordedAt: BEGINNING + second * 1_000,
      $correlationId: 'req_1',
      $causationId: 'req_1',
      operationId: 'op_1',
      schemaVersion: 1,
      previousHash: '',
    };
    const id = newUuid(calmWorld);
    await events.append(`${category}-${id}`, -1, [
      { id, type: 'Happened', data: '{}', metadata: JSON.stringify(metadata) },
    ]);
  }

  const at = (name: string, category: string, position: number): ProjectionPosition => ({
    name,
    categories: [category],
    position: BigInt(position),
  });
  const lags = async (...reached: readonly ProjectionPosition[]): Promise<object> =>
    Object.fromEntries(await lagsOf({ events, world: { now: () => now } }, reached, never));

  it('is nothing on an empty log', async () => {
    expect(await lags(at('a', 'apple', -1))).to.deep.equal({ a: 0 });
    expect(await lags()).to.deep.equal({});
  });

  it('is the age of the first event of its own category after its own position', async () => {
    await recorded('apple', 10);
    await recorded('pear', 20);
    await recorded('apple', 30);
    now = BEGINNING + 40_000;
    expect(await lags(at('a', 'apple', -1), at('half', 'apple', 0), at('p', 'pear', -1))).to.deep.equal({
      a: 30,
      half: 10,
      p: 20,
    });
    expect(await lags(at('a', 'apple', 2), at('p', 'pear', 1))).to.deep.equal({ a: 0, p: 0 });
  });

  it('is never less than nothing when clocks differ', async () => {
    await recorded('apple', 10);
    expect(await lags(at('a', 'apple', -1))).to.deep.equal({ a: 0 });
  });

  it('is told in spite of an unreadable event', async () => {
    const id = newUuid(calmWorld);
    await events.append('apple-bad', -1, [{ id, type: 'Happened', data: '{}', metadata: 'torn' }]);
    await recorded('apple', 10);
    now = BEGINNING + 40_000;
    expect(await lags(at('a', 'apple', -1))).to.deep.equal({ a: 30 });
  });

  it('looks at no more than it needs', async () => {
    for (let second = 0; second < 2_500; second += 1) await recorded('apple', second);
    now = BEGINNING + 3_000_000;
    let read = 0;
    const follow: EventStore['follow'] = async function* counted(after, categories, signal) {
      for await (const batch of events.follow(after, categories, signal)) {
        read += batch.events.length;
        yield batch;
      }
    };
    const found = await lagsOf(
      { events: { follow }, world: { now: () => now } },
      [at('a', 'apple', -1), at('p', 'pear', -1)],
      never,
    );
    expect([found.get('a'), found.get('p'), read]).to.deep.equal([3_000, 0, 1_000]);
  });

  it('is unknown, and not nothing, when the log is no longer awaited', async () => {
    const silent: EventStore['follow'] = async function* wait(_after, _categories, signal) {
      yield* [];
      if (!signal.aborted) await once(signal, 'abort');
    };
    const deadline = new AbortController();
    const looking = lagsOf({ events: { follow: silent }, world: calmWorld }, [at('a', 'apple', -1)], deadline.signal);
    deadline.abort(new Error('too late'));
    expect(await looking.catch((fault: unknown) => String(fault))).to.equal('Error: too late');
  });
});
