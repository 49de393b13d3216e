// The stores that a killed process leaves to the next one: SQLite files, or stand-ins of servers in place of one or
// both.
import { join } from 'node:path';
import { z } from 'zod';
import { openSandbox } from '../../../src/processors/sandbox/sandbox.ts';
import { Secrets } from '../../../src/secrets.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import type { ReadModelStore } from '../../../src/stores/read-models.ts';
import type { World } from '../../../src/world.ts';
import type { Stores } from '../../support/node.ts';

export const StoresAt = z.object({
  dir: z.string(),
  /** The URLs of servers; without one, that store is an SQLite file in the directory. */
  servers: z.object({ eventStoreDb: z.string().optional(), mongoDb: z.string().optional() }).optional(),
});
export type StoresAt = z.output<typeof StoresAt>;

/**
 * Adapters are loaded on demand: a process that lives for a second would spend it on loading. A server is waited for
 * however long: the test is about processes that die, and a busy machine must not make a store unavailable.
 */
export async function openStoresAt(
  { dir, servers = {} }: StoresAt,
  world: World,
  report: (fault: unknown) => void,
): Promise<Stores> {
  const common = { world, report };
  const secrets = new Secrets([Buffer.alloc(32, 5)]);
  const sandbox = await openSandbox({
    file: join(dir, 'sandbox.db'),
    secrets: secrets.keys('sandbox-signature'),
    ...common,
  });
  const events = await openEventsAt(servers.eventStoreDb, join(dir, 'events.db'), common);
  return {
    world,
    secrets,
    sandbox,
    events,
    readModels: await openModelsAt(servers.mongoDb, join(dir, 'read-models.db'), common),
  };
}

type Common = { readonly world: World; readonly report: (fault: unknown) => void };

async function openEventsAt(url: string | undefined, file: string, common: Common): Promise<EventStore> {
  if (url === undefined) {
    const { openSqliteEventStore } = await import('../../../src/stores/sqlite/event-store.ts');
    return openSqliteEventStore({ file, ...common });
  }
  const { openEventStoreDb } = await import('../../../src/stores/eventstoredb/event-store.ts');
  const { PATIENT } = await import('../../stores/patient-timings.ts');
  return openEventStoreDb({ url, timings: PATIENT, ...common });
}

async function openModelsAt(url: string | undefined, file: string, common: Common): Promise<ReadModelStore> {
  if (url === undefined) {
    const { openSqliteReadModels } = await import('../../../src/stores/sqlite/read-models.ts');
    return openSqliteReadModels({ file, ...common });
  }
  const { openMongoDbReadModels } = await import('../../../src/stores/mongodb/read-models.ts');
  const { PATIENT_MODELS } = await import('../../stores/patient-timings.ts');
  return openMongoDbReadModels({ url, timings: PATIENT_MODELS, ...common });
}

export async function closeStores({ events, readModels, sandbox }: Stores): Promise<void> {
  await Promise.all([events.close(), readModels.close(), sandbox.close()]);
}
