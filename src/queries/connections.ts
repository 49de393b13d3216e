// The connections of an account, or of all.
import type { ConnectionRow } from '../commands/connections/connections.ts';
import { connections } from '../projections/models/connections.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

/** `isActive`: without the disabled ones. The oldest first. Throws StoreUnavailable. */
export async function listConnections(
  readModels: ReadModels,
  { accountId, isActive = false }: { readonly accountId?: string | undefined; readonly isActive?: boolean } = {},
): Promise<readonly ConnectionRow[]> {
  const where = {
    ...(accountId !== undefined && { accountId: [accountId] }),
    ...(isActive && { active: [true] }),
  };
  const rows: ConnectionRow[] = [];
  for await (const { id, doc } of allOf(readModels, connections, { where }))
    if (doc.status !== 'absent') rows.push({ id, doc });
  return rows.sort((a, b) => a.doc.createdAt - b.doc.createdAt || (a.id < b.id ? -1 : 1));
}
