// The key that the sandbox notifies an account with: made with the account, kept in the sandbox's own file, listed, revocable.

import { apiKeys } from '../projections/models/api-keys.ts';
import { unlessRefused, untilEffective } from './effect.ts';
import { keyIdOf, makeKeyOnce } from './first-key.ts';
import type { Opened } from './open/open.ts';

/** How long another process may take from making the key to handing it to the sandbox. */
const OTHERS_NEED_MS = 3_000;
const LOOK_EVERY_MS = 50;
/** How long a secret that was perhaps handed over by somebody else stays good. */
const OVERLAP_MS = 86_400_000;

const WHAT = 'sandbox key';

/** Sees to it that the sandbox, where there is one, has a key of the account; a key that was revoked stays revoked. */
export async function connectSandbox(opened: Opened, accountId: string): Promise<void> {
  const { sandbox, service } = opened;
  if (sandbox === undefined || (await sandbox.connected()).includes(accountId)) return;
  const wanted = { accountId, what: WHAT, name: 'Sandbox', scopes: ['third_party:webhook_trigger'], purpose: 'sandbox' } as const;
  const made = await makeKeyOnce(opened, wanted);
  if (made !== undefined) return sandbox.connect({ accountId, apiKey: made.key });
  if (await connectedByOthers(opened, accountId)) return;
  // Whoever made the key died before handing it over, and nobody knows its secret: it gets a new one.
  const keyId = keyIdOf(opened, wanted);
  const { state } = await service.house.apiKeys.current(keyId);
  if (state.status !== 'active') return;
  const rotated = unlessRefused(await service.rotateApiKey(keyId, OVERLAP_MS));
  await untilEffective(service, apiKeys, rotated);
  await sandbox.connect({ accountId, apiKey: rotated.key });
}

async function connectedByOthers({ sandbox, world }: Opened, accountId: string): Promise<boolean> {
  const deadline = world.monotonic() + OTHERS_NEED_MS;
  while (world.monotonic() < deadline) {
    if ((await sandbox?.connected())?.includes(accountId) === true) return true;
    await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  return false;
}
