// Sees to it at start that the sandbox can notify every account.
import { unlessUnreadable } from '../commands/access/unless-unreadable.ts';
import { accounts } from '../projections/models/accounts.ts';
import { allOf } from '../queries/pages.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import type { World } from '../world.ts';

export interface ConnectingParts {
  readonly readModels: ReadModels;
  /** Connects one account; does nothing for a connected one. */
  readonly connect: (accountId: string) => Promise<void>;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/** Throws StoreUnavailable. */
export async function connectAccounts({ readModels, connect, report }: ConnectingParts): Promise<void> {
  for await (const { id } of allOf(readModels, accounts, { where: {} })) await unlessUnreadable(report, () => connect(id));
}

const TRY_AGAIN_MS = 2_000;

/** The same for a sandbox on another node, which may start later: again and again until it has worked or the signal aborts. */
export async function connectAccountsEventually(parts: ConnectingParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await connectAccounts(parts);
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable)) throw fault; // said by the sandbox itself, once
      await parts.world.sleep(TRY_AGAIN_MS, signal).catch(() => undefined);
    }
  }
}
