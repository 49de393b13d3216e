// Steps of a service's first start: the first account, and the sandbox's keys.
import type { FirstAccount } from '../../commands/access/first-account.ts';
import { connectAccounts, connectAccountsEventually } from '../../policies/connect-accounts.ts';
import { apiKeys } from '../../projections/models/api-keys.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { connectAccount } from '../connect-account.ts';
import { untilEffective } from '../effect.ts';
import { Refused } from '../exit.ts';
import type { Opened } from '../open/open.ts';

/** The first account; its key only where this process has made it. Undefined when operators have made accounts themselves. */
export async function firstStart({ service, log }: Opened): Promise<FirstAccount | undefined> {
  const first = await service.access.makeFirstAccount();
  if (first?.kind === 'rejected') throw new Refused(first.description);
  if (first?.key === undefined) return first;
  const { keyId, revision } = first.key;
  // Only this process can ever show the key, so it does that also when the key does not hold yet.
  await untilEffective(service, apiKeys, { id: keyId, revision }).catch((fault: unknown) => log.warn(String(fault)));
  return first;
}

/** False also while it is unknown. */
export async function hasAccounts({ service }: Opened): Promise<boolean> {
  try {
    return await service.queries.hasAccounts();
  } catch (fault) {
    if (fault instanceof StoreUnavailable) return false;
    throw fault;
  }
}

/** A sandbox on another node may be unavailable: the start does not wait for it. */
export async function connectSandboxes(opened: Opened, signal: AbortSignal): Promise<void> {
  const { config, sandbox, service, world, report } = opened;
  if (sandbox === undefined) return;
  const { readModels } = service;
  const parts = { readModels, world, report, connect: (accountId: string) => connectAccount(opened, accountId) };
  if (config.sandboxUrl === undefined) return connectAccounts(parts);
  void connectAccountsEventually(parts, signal).catch((fault: unknown) => signal.aborted || report(fault));
}
