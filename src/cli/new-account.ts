// Makes accounts: those that operators ask for, and the first one; in test mode each is known to the sandbox.

import { createAccount as decideCreation } from '../domain/account/decide.ts';
import type { Account } from '../domain/account/state.ts';
import { BrokenStream } from '../journal/broken-stream.ts';
import { operatorContext } from '../journal/contexts.ts';
import { UnknownEvent } from '../journal/envelope.ts';
import { transact } from '../journal/transact.ts';
import { accounts } from '../projections/models/accounts.ts';
import { allOf } from '../queries/pages.ts';
import { SETTINGS } from '../settings.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import { formatTime } from '../world.ts';
import { unlessRefused, untilEffective } from './effect.ts';
import { Refused } from './exit.ts';
import { type KeyMade, makeKeyOnce } from './first-key.ts';
import type { Opened } from './open/open.ts';
import { connectSandbox } from './sandbox-key.ts';

export interface AccountView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string | null;
}

/** An account as the command line prints it. */
export const accountView = (id: string, account: Account): AccountView => ({
  id,
  name: account.status === 'absent' ? '' : account.name,
  createdAt: account.status === 'absent' ? null : formatTime(account.createdAt),
});

/** Throws Refused for a name that is none. */
export async function makeAccount(opened: Opened, name: string): Promise<AccountView> {
  if (name === '' || [...name].length > 255) throw new Refused('--name has 1 to 255 characters.');
  const { service } = opened;
  const made = unlessRefused(await service.createAccount(name));
  await untilEffective(service, accounts, made);
  await connectNow(opened, made.id);
  return accountView(made.id, made.doc);
}

/** The account is there whatever becomes of this; a node that starts sees to what could not be done now. */
async function connectNow(opened: Opened, accountId: string): Promise<void> {
  const { sandbox, service, log } = opened;
  const later = 'its notifications reach the account when the node that has it has been started again.';
  if (sandbox === undefined) {
    if (service.mode === 'test') log.warn(`The sandbox is on another node, which ${SETTINGS.sandboxUrl.variable} does not name: ${later}`);
    return;
  }
  await connectSandbox(opened, accountId).catch((fault: unknown) => {
    if (!(fault instanceof StoreUnavailable)) throw fault;
    log.warn(`${fault.message}: ${later}`);
  });
}

/** The name of the account that the first start makes. */
const FIRST_NAME = 'Default';

export interface FirstStart {
  readonly accountId: string;
  /** The first key, for whichever process made it; nobody sees it again. */
  readonly key: KeyMade | undefined;
}

/**
 * Makes the first account and its key in a store that has no account; undefined when operators have made accounts themselves.
 * Their ids derive from the store's key, so two processes that start at once meet in the same streams, and a start that
 * was killed half-way is finished by the next one.
 */
export async function firstStart(opened: Opened): Promise<FirstStart | undefined> {
  const { service, world } = opened;
  const { house, readModels } = service;
  const accountId = `acc_${house.storeKey.name('derived-id', 'first account')}`;
  const known = await unlessHeldBack(opened, () => house.accounts.current(accountId));
  if (known?.state.status === 'absent') {
    const others = await readModels.find(accounts, { where: {}, limit: 1 });
    if (others.length > 0) return undefined;
    const made = await transact(house.accounts, accountId, operatorContext(world, accountId), decideCreation(FIRST_NAME));
    if (made.kind === 'rejected') throw new Refused(made.description);
  }
  const wanted = { accountId, what: 'first key', name: 'First key', scopes: 'all', purpose: 'merchant' } as const;
  return { accountId, key: await unlessHeldBack(opened, () => makeKeyOnce(opened, wanted)) };
}

/** A stream that is broken, or that only a newer node can read, is there already: it stops no start, and readiness names it. */
async function unlessHeldBack<T>({ report }: Opened, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof BrokenStream) return undefined; // told where it was found
    if (!(fault instanceof UnknownEvent)) throw fault;
    report(fault);
    return undefined;
  }
}

/** False also while nobody can tell. */
export async function hasAccounts({ service }: Opened): Promise<boolean> {
  try {
    return (await service.readModels.find(accounts, { where: {}, limit: 1 })).length > 0;
  } catch (fault) {
    if (fault instanceof StoreUnavailable) return false;
    throw fault;
  }
}

const TRY_AGAIN_MS = 2_000;

/** The same for a sandbox on another node, which may start later: again and again until it has worked or the signal aborts. */
export async function connectAllEventually(opened: Opened, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await connectAll(opened);
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable)) throw fault; // said by the sandbox itself, once
      await opened.world.sleep(TRY_AGAIN_MS, signal).catch(() => undefined);
    }
  }
}

/** Sees to it that the sandbox can notify every account. Throws StoreUnavailable. */
export async function connectAll(opened: Opened): Promise<void> {
  if (opened.sandbox === undefined) return;
  for await (const { id } of allOf<Account, never>(opened.service.readModels, accounts, { where: {} }))
    await unlessHeldBack(opened, () => connectSandbox(opened, id));
}
