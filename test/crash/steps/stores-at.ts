// The stores that a killed process leaves to the next one: SQLite files, or the sandbox's files and stand-ins of the servers.
import { join } from 'node:path';
import { z } from 'zod';
import { openSandbox } from '../../../src/processors/sandbox/sandbox.ts';
import { Secrets } from '../../../src/secrets.ts';
import type { World } from '../../../src/world.ts';
import type { Stores } from '../../support/node.ts';

export const StoresAt = z.object({
  dir: z.string(),
  /** Undefined for SQLite files in the directory. */
  servers: z.object({ eventStoreDb: z.string(), mongoDb: z.string() }).optional(),
});
export type StoresAt = z.output<typeof StoresAt>;

/**
 * Adapters are loaded on demand: a process that lives for a second would spend it on loading. A server is waited for however long: the
 * test is about processes that die, and a busy machine must not make a store unavailable.
 */
export async function openStoresAt({ dir, servers }: StoresAt, world: World, report: (fault: unknown) => void): Promise<Stores> {
  const common = { world, report };
  const secrets = new Secrets([Buffer.alloc(32, 5)]);
  const sandbox = await openSandbox({ file: join(dir, 'sandbox.db'), secrets: secrets.keys('sandbox-signature'), ...common });
  if (servers !== undefined) {
    const { openEventStoreDb } = await import('../../../src/stores/eventstoredb/event-store.ts');
    const { openMongoDbReadModels } = await import('../../../src/stores/mongodb/read-models.ts');
    const { PATIENT, PATIENT_MODELS } = await import('../../stores/patient-timings.ts');
    const events = await openEventStoreDb({ url: servers.eventStoreDb, timings: PATIENT, ...common });
    const readModels = await openMongoDbReadModels({ url: servers.mongoDb, timings: PATIENT_MODELS, ...common });
    return { world, secrets, sandbox, events, readModels };
  }
  const { openSqliteEventStore } = await import('../../../src/stores/sqlite/event-store.ts');
  const { openSqliteReadModels } = await import('../../../src/stores/sqlite/read-models.ts');
  const events = await openSqliteEventStore({ file: join(dir, 'events.db'), ...common });
  return { world, secrets, sandbox, events, readModels: await openSqliteReadModels({ file: join(dir, 'read-models.db'), ...common }) };
}

export async function closeStores({ events, readModels, sandbox }: Stores): Promise<void> {
  await Promise.all([events.close(), readModels.close(), sandbox.close()]);
}
