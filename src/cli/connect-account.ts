// Gives the sandbox of an opened service the key that it notifies an account with.
import { apiKeys } from '../projections/models/api-keys.ts';
import { untilEffective } from './effect.ts';
import { Refused } from './exit.ts';
import type { Opened } from './open/open.ts';

/** Nothing where there is no sandbox. Throws Refused, Unavailable and StoreUnavailable. */
export async function connectAccount({ sandbox, service }: Opened, accountId: string): Promise<void> {
  if (sandbox === undefined) return;
  const untilHolds = (key: { readonly id: string; readonly revision: number }) => untilEffective(service, apiKeys, key);
  const refused = await service.access.connectSandbox({ accountId, sandbox, untilHolds });
  if (refused !== undefined) throw new Refused(refused.description);
}
