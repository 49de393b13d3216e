// The key that the sandbox notifies an account with: made with the account, kept in the sandbox's own file, listed,
// revocable.
import { Notice } from '../../app-error.ts';
import type { Rejection } from '../../domain/decider.ts';
import { keyIdOf, makeKeyOnce } from './key-once.ts';
import { rotateApiKey } from './manage-api-keys.ts';
import type { AccessNeeds } from './needs.ts';

/** The accounts that the sandbox can notify. */
interface NotifiedAccounts {
  connected(): Promise<readonly string[]>;
  connect(connection: { readonly accountId: string; readonly apiKey: string }): Promise<void>;
}

interface Connecting {
  readonly accountId: string;
  readonly sandbox: NotifiedAccounts;
  /** Resolves when every process accepts the key; rejects if that takes too long. */
  readonly untilHolds: (key: { readonly id: string; readonly revision: number }) => Promise<void>;
}

/** The longest time that another process takes from making the key to handing it to the sandbox. */
const OTHERS_NEED_MS = 3_000;
const LOOK_EVERY_MS = 50;
/** The time for which a secret stays good that another process has perhaps handed over. */
const OVERLAP_MS = 86_400_000;

const WHAT = 'sandbox key';

/**
 * Gives the sandbox a key of the account where it has none; a key that was revoked stays revoked. Throws
 * StoreUnavailable.
 */
export async function connectSandbox(needs: AccessNeeds, connecting: Connecting): Promise<Rejection | undefined> {
  const { accountId, sandbox, untilHolds } = connecting;
  if ((await sandbox.connected()).includes(accountId)) return undefined;
  const wanted = {
    accountId,
    what: WHAT,
    name: 'Sandbox',
    scopes: ['third_party:webhook_trigger'],
    purpose: 'sandbox',
  } as const;
  const made = await makeKeyOnce(needs, wanted);
  if (made?.kind === 'rejected') return made;
  if (made !== undefined) {
    // Only this process can ever hand it over, so it does that also when the key does not hold yet.
    const tell = (fault: unknown): void => needs.report(new Notice(String(fault)));
    await untilHolds({ id: made.keyId, revision: made.revision }).catch(tell);
    await sandbox.connect({ accountId, apiKey: made.key });
    return undefined;
  }
  if (await connectedByOthers(needs, connecting)) return undefined;
  // The process that made the key died before handing it over, and the secret is lost: the key gets a new one.
  const keyId = keyIdOf(needs, wanted);
  const { state } = await needs.apiKeys.current(keyId);
  if (state.status !== 'active') return undefined;
  const rotated = await rotateApiKey(needs, keyId, OVERLAP_MS);
  if (rotated.kind === 'rejected') return rotated;
  await untilHolds(rotated);
  await sandbox.connect({ accountId, apiKey: rotated.key });
  return undefined;
}

async function connectedByOthers(
  { world }: Pick<AccessNeeds, 'world'>,
  { sandbox, accountId }: Connecting,
): Promise<boolean> {
  const deadline = world.monotonic() + OTHERS_NEED_MS;
  while (world.monotonic() < deadline) {
    if ((await sandbox.connected()).includes(accountId)) return true;
    await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  return false;
}
