// A log projection on a store of read models: positions as revisions, newest reads, two followers at once, rebuilds
// that are proven.
import { expect } from 'chai';
import { openProjections, type Projections } from '../../src/projections/engine/engine.ts';
import { copyOf } from '../../src/projections/engine/generations/copy.ts';
import { applyToLog } from '../../src/projections/engine/log/apply-log.ts';
import { StreamReaders } from '../../src/projections/engine/log/stream-readers.ts';
import type { LogProjection } from '../../src/projections/projection.ts';
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import type { Collection, ReadModelStore } from '../../src/stores/read-models.ts';
import { appendTo, opened, paid } from '../projections/engine/ledger.ts';
import { foldedLog, given, heldBy, type Total, type TotalKey, totals } from '../projections/engine/log/totals.ts';
import { putRelease } from '../projections/engine/parked/releasing.ts';
import { timings } from '../projections/engine/setup.ts';
import { calmWorld } from '../support/calm-world.ts';
import { packedOf, type ReadModelsUnderTest } from './read-models.suite.ts';

const IDS_A_READ = 100;

export function logProjectionContract(name: string, open: () => Promise<ReadModelsUnderTest>): void {
  describe(`${name}, as the store of a log projection`, () => {
    let models: ReadModelsUnderTest;
    let store: ReadModelStore;
    let other: ReadModelStore;
    before(async () => {
      models = await open();
      store = models.store;
      other = (await models.another?.()) ?? store;
    });
    after(() => models.dispose());

    it('keeps a position of any size as the revision of a document, and guards by it', async () => {
      const far: Collection<Total, TotalKey> = { ...copyOf(totals, 7), name: 'far-totals' };
      const most = Number.MAX_SAFE_INTEGER;
      const doc: Total = { count: 1, amount: 1, seen: [] };
      const builder = await store.build(far);
      await builder.write(packedOf({ id: 'built', revision: most - 1, text: JSON.stringify(doc), keys: [1] }));
      await builder.finish();
      expect(await store.write(far, [{ id: 'built', revision: most - 1, doc }])).to.deep.equal([]);
      expect(await store.write(far, [{ id: 'built', revision: most, doc }])).to.deep.equal(['built']);
      expect((await other.get(far, ['built']))[0]?.revision).to.equal(most);
      expect((await store.texts(far, '', 10)).map(({ revision }) => revision)).to.deep.equal([most]);
    });

    it('shows for many documents at once which of them exist, even if none was ever seen', async () => {
      const fresh: Collection<Total, TotalKey> = { ...copyOf(totals, 8), name: 'fresh-totals' };
      await (await store.build(fresh)).finish();
      const ids = Array.from({ length: IDS_A_READ }, (_, n) => `of ${n}`);
      expect(await store.get(fresh, ids)).to.deep.equal([]);
      await other.write(fresh, [{ id: 'of 3', revision: 4, doc: { count: 1, amount: 1, seen: [] } }]);
      expect((await store.get(fresh, ids)).map(({ id, revision }) => [id, revision])).to.deep.equal([['of 3', 4]]);
    });

    it('ends with the fold of the log when two followers write it at once, in batches of their own', async () => {
      const copy = copyOf(totals, 9);
      const { events, all } = await someLog();
      await (await store.build(copy)).finish();
      const follow = async (through: ReadModelStore, size: number): Promise<void> => {
        const readers = new StreamReaders({ events, store: through }, totals);
        for (let at = 0; at < all.length; at += size)
          await applyToLog(
            { events, store: through, world: calmWorld },
            totals,
            copy,
            readers,
            all.slice(at, at + size),
          );
      };
      await Promise.all([follow(store, 3), follow(other, 7)]);
      await follow(other, 5); // and a late follower with all of it
      expect(await heldBy(store, copy)).to.deep.equal(await foldedLog(events));
    });

    it('goes on without a stream that cannot be read, keeps that on record, and has the same after a rebuild', async () => {
      const { events } = await someLog();
      await appendTo(events, 'ledger-l0', 2, { type: 'Pondered', data: {} }, paid(1_000));
      await appendTo(events, 'gift-later', -1, given(5));
      const named: LogProjection<Total, TotalKey> = { ...totals, name: 'parking-totals', open: (work) => work(named) };
      const projections = await openProjections({
        events,
        readModels: store,
        world: calmWorld,
        report: (fault) => expect.fail(String(fault)),
        projections: [named],
        timings: { ...timings, answerMs: 60_000, staleMs: 60_000 },
      });
      const expected = { stream: 'ledger-l0', revision: 3, reason: 'unknown', held: 'passed' };
      expect((await projections.parked(named.name))[0]).to.include(expected);
      const [gifts] = await projections.readModels.get(named, ['of gifts']);
      expect(gifts?.doc.count).to.equal(13);
      expect(await projections.rebuild(named.name)).to.include({
        equal: true,
        different: 0,
        parked: 1,
        holesChanged: false,
      });
      expect((await projections.parked(named.name))[0]).to.include(expected);
      await putRelease(events, 'ledger-l0', 3);
      expect(await projections.release('ledger-l0')).to.equal(true);
      expect(await projections.rebuild(named.name)).to.include({
        equal: true,
        different: 0,
        parked: 0,
        holesChanged: false,
      });
      expect(await projections.parked(named.name)).to.deep.equal([]);
    });

    it('is followed and rebuilt, with equal documents', async () => {
      const { events } = await someLog();
      const projections: Projections = await openProjections({
        events,
        readModels: store,
        world: calmWorld,
        report: (fault) => expect.fail(String(fault)),
        projections: [totals],
        timings: { ...timings, answerMs: 60_000, staleMs: 60_000 },
      });
      await appendTo(events, 'gift-late', -1, given(5));
      const folded = await foldedLog(events);
      for (let round = 0; round < 2; round += 1)
        expect(await projections.rebuild('totals')).to.include({
          equal: true,
          different: 0,
          documents: folded.size,
          swapped: true,
        });
      const [status] = await projections.status();
      expect(await heldBy(store, copyOf(totals, status?.generation ?? 0))).to.deep.equal(folded);
    });
  });
}

async function someLog(): Promise<{ readonly events: EventStore; readonly all: readonly StoredEvent[] }> {
  const events = openMemoryEventStore();
  const all: StoredEvent[] = [];
  for (let n = 0; n < 12; n += 1) {
    all.push(...(await appendTo(events, `ledger-l${n}`, -1, opened(`owner-${n % 3}`), paid(n))));
    all.push(...(await appendTo(events, 'gift-g', n - 1, given(n))));
  }
  for (let n = 0; n < 12; n += 1) all.push(...(await appendTo(events, `ledger-l${n}`, 1, paid(100 + n))));
  return { events, all };
}
