// Followers of a log projection, whatever they do at the same time: the documents are the fold of the log.
import { expect } from 'chai';
import fc from 'fast-check';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import { applyToLog } from '../../../../src/projections/engine/log/apply-log.ts';
import { StreamReaders } from '../../../../src/projections/engine/log/stream-readers.ts';
import type { EventStore, StoredEvent } from '../../../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import type { ReadModelStore } from '../../../../src/stores/read-models.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { appendTo, opened, paid } from '../ledger.ts';
import { delegate } from '../setup.ts';
import { foldedLog, given, heldBy, totals } from './totals.ts';

const copy = copyOf(totals, 1);

/** The result of a store's write, as the writing process sees it. */
type Fate = 'done' | 'refused' | 'half' | 'answer lost';
const fates: fc.Arbitrary<readonly Fate[]> = fc.array(
  fc.constantFrom<Fate>('done', 'done', 'done', 'refused', 'half', 'answer lost'),
  {
    maxLength: 12,
  },
);

interface Plan {
  /** The one of five streams that gets the next event. */
  readonly log: readonly number[];
  /** The number of events that each follower takes at a time, over and over. */
  readonly sizes: readonly (readonly number[])[];
  readonly fates: readonly Fate[];
}
const plans: fc.Arbitrary<Plan> = fc.record({
  log: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 40 }),
  sizes: fc.array(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  }),
  fates,
});

async function writeLog(
  log: readonly number[],
): Promise<{ readonly events: EventStore; readonly all: readonly StoredEvent[] }> {
  const events = openMemoryEventStore();
  const next = new Map<string, number>();
  const all: StoredEvent[] = [];
  for (const [place, which] of log.entries()) {
    const stream = which === 4 ? 'gift-g' : `ledger-l${which}`;
    const revision = next.get(stream) ?? 0;
    next.set(stream, revision + 1);
    const written = which === 4 ? given(place) : revision === 0 ? opened(which % 2 === 0 ? 'ann' : 'bob') : paid(place);
    all.push(...(await appendTo(events, stream, revision - 1, written)));
  }
  return { events, all };
}

/**
 * The store as several processes have it: every call waits for its turn, and a write may fail in the ways that writes
 * do.
 */
function unreliable(store: ReadModelStore, turn: () => Promise<void>, fated: Fate[]): ReadModelStore {
  return {
    ...delegate(store),
    get: async (of, ids) => {
      await turn();
      const rows = await store.get(of, ids);
      await turn();
      return rows;
    },
    write: async (of, rows) => {
      await turn();
      const fate = fated.shift() ?? 'done';
      if (fate === 'refused') throw new Error(fate);
      const written = await store.write(of, fate === 'half' ? rows.slice(0, rows.length / 2) : rows);
      if (fate !== 'done') throw new Error(fate);
      await turn();
      return written;
    },
  };
}

describe('a log projection', () => {
  it('has the documents of a fold of the log, whatever its followers interleave, repeat or leave half done', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.scheduler(), async ({ log, sizes, fates: fated }, scheduler) => {
        const { events, all } = await writeLog(log);
        const store = memoryReadModels();
        await (await store.build(copy)).finish();
        const through = unreliable(store, () => scheduler.schedule(Promise.resolve()), [...fated]);
        /** The kept checkpoint: everything before it is applied. */
        let checkpoint = 0;
        const follower = async (its: readonly number[]): Promise<void> => {
          let readers = new StreamReaders({ events, store }, totals);
          for (let at = checkpoint, turn = 0; at < all.length; turn += 1) {
            const batch = all.slice(at, at + (its[turn % its.length] ?? 1));
            try {
              await applyToLog({ events, store: through, world: calmWorld }, totals, copy, readers, batch);
              at += batch.length;
              if (turn % 3 === 0) checkpoint = Math.max(checkpoint, at);
            } catch {
              readers = new StreamReaders({ events, store }, totals); // it starts again, from a kept checkpoint
              at = checkpoint;
            }
          }
        };
        await scheduler.waitFor(Promise.all(sizes.map(follower)));
        expect(await heldBy(store, copy)).to.deep.equal(await foldedLog(events));
      }),
      { numRuns: 300 },
    );
  });
});
