// Modules of the built service: threads start from there at once, and from source only after a loader has compiled what
// they need.
import { pathToFileURL } from 'node:url';
import { main } from './data-directory.ts';

const from = (path: string): string => new URL(`../${path}.js`, pathToFileURL(main)).href;

export const builtEngine = async () => {
  const { openProjections }: typeof import('../../src/projections/engine/engine.ts') = await import(
    from('projections/engine/engine')
  );
  const { defaultTimings }: typeof import('../../src/projections/engine/timings.ts') = await import(
    from('projections/engine/timings')
  );
  const { foldModuleWith }: typeof import('../../src/projections/threads/fold-module.ts') = await import(
    from('projections/threads/fold-module')
  );
  const { dailyTotals }: typeof import('../../src/projections/models/daily-totals.ts') = await import(
    from('projections/models/daily-totals')
  );
  const { payments }: typeof import('../../src/projections/models/payments.ts') = await import(
    from('projections/models/payments')
  );
  return { openProjections, defaultTimings, foldModule: foldModuleWith(undefined), dailyTotals, payments };
};

export const builtStores = async () => {
  const { openSqliteEventStore }: typeof import('../../src/stores/sqlite/event-store.ts') = await import(
    from('stores/sqlite/event-store')
  );
  const { openSqliteReadModels }: typeof import('../../src/stores/sqlite/read-models.ts') = await import(
    from('stores/sqlite/read-models')
  );
  const { openMemoryEventStore }: typeof import('../../src/stores/memory/event-store.ts') = await import(
    from('stores/memory/event-store')
  );
  const { liveWorld }: typeof import('../../src/world.ts') = await import(from('world'));
  return { openSqliteEventStore, openSqliteReadModels, openMemoryEventStore, liveWorld };
};

export const builtWalks = async () => {
  const { walkLog }: typeof import('../../src/audit/verify-log.ts') = await import(from('audit/verify-log'));
  const { readLog }: typeof import('../../src/journal/read-log.ts') = await import(from('journal/read-log'));
  return { walkLog, readLog };
};
