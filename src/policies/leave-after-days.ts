// Removes from the read models what has been over for its days; the log keeps the events (contract §11).
import type { Users } from '../commands/users/users.ts';
import type { User } from '../domain/user/state.ts';
import { removeOver } from '../projections/engine/remove-over.ts';
import { forgetRequests } from '../projections/models/request-log.ts';
import { type UserKey, users } from '../projections/models/users.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { webhookQueues } from '../projections/models/webhook-queues.ts';
import { allOf } from '../queries/pages.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { type DueParts, inRounds, type Policy, type PolicyNode, runPolicy } from './policy.ts';

const DAY_MS = 86_400_000;
/** How often it looks, ms; nobody waits for a removal. */
const EVERY_MS = 60_000;
/** It asks for each endpoint that ended, ms. */
const DISCARDED_EVERY_MS = 3_600_000;
/** One node does due work; each other node waits this much longer, ms. */
const ELSEWHERE_MS = 60_000;
/** The rest between two pages, ms: a long backlog leaves most of the time to requests. */
const REST_MS = 20;
const TIMES = { everyMs: EVERY_MS, elsewhereMs: ELSEWHERE_MS };

/** How many days each kind stays after its end; undefined: for ever. */
export interface KeptDays {
  readonly requestLog?: number | undefined;
  readonly deliveries?: number | undefined;
  readonly signIns?: number | undefined;
}

const msOf = (days: number | undefined): number | undefined => days && days * DAY_MS;

/** How long documents of a read model stay after they are over, ms, for its rebuilds. */
export const keptMsBy =
  ({ deliveries }: Pick<KeptDays, 'deliveries'>) =>
  (name: string): number | undefined =>
    name === webhookQueues.name ? msOf(deliveries) : undefined;

export interface LeavingNeeds extends PolicyNode, Pick<Users, 'endExpiredSessions'> {
  readonly keptDays: KeptDays;
  /** Called after a removal, with the kind and a number of 1 or more. */
  readonly onLeft?: ((kind: string, count: number) => void) | undefined;
}

/** What leaves: its kind, its days, and the read models that must be built. */
interface LeavingKind {
  readonly kind: string;
  readonly days: number | undefined;
  readonly of: readonly { readonly name: string }[];
  readonly everyMs?: number;
}

/** Ends the sign-in sessions that expired `keptMs` ago, so that they leave their user's document. */
export const endExpiredSessions = (
  needs: Pick<LeavingNeeds, 'endExpiredSessions' | 'onLeft'>,
  keptMs: number,
): Policy<User, UserKey> => ({
  ...TIMES,
  name: 'end-expired-sign-ins',
  of: users,
  due: 'sessionEndsAt',
  graceMs: keptMs,
  act: async ({ id, revision, doc }) => {
    if (doc.status === 'absent') return;
    await needs.endExpiredSessions({ id, revision, accountId: doc.accountId }, keptMs, 'end-expired-sign-ins');
    needs.onLeft?.('sign_ins', 1);
  },
});

/**
 * Removes the deliveries to endpoints that ended at `before` (ms) or earlier: what still waited there was discarded,
 * and no event says so. Rejects with StoreUnavailable.
 */
export async function removeDiscarded(
  readModels: ReadModels,
  before: number,
  rest: () => Promise<void>,
): Promise<number> {
  let removed = 0;
  for await (const { id, doc } of allOf(readModels, webhookEndpoints, { where: {}, isDueWork: true })) {
    if (doc.status === 'absent' || doc.status === 'enabled') continue;
    const endedAt = doc.disabled?.at ?? doc.deletedAt;
    if (endedAt === undefined || endedAt > before) continue;
    removed += await removeOver(readModels, webhookQueues, 'queuedAt', before, rest, { endpointId: [id] });
  }
  return removed;
}

/** Removes what is over until the signal aborts, on the node that does due work. */
export async function leaveAfterDays(needs: LeavingNeeds, parts: DueParts, signal: AbortSignal): Promise<void> {
  const { world, keptDays, onLeft } = needs;
  const { readModels } = parts;
  const rest = (): Promise<void> => world.sleep(REST_MS, signal);
  const rounds = (
    { kind, days, of, everyMs = EVERY_MS }: LeavingKind,
    remove: (before: number) => Promise<number>,
  ): Promise<void> | undefined => {
    const keptMs = msOf(days);
    if (keptMs === undefined) return undefined;
    const round = async (waitMs: number): Promise<void> => {
      const removed = await remove(world.now() - keptMs - waitMs).catch((fault: unknown) => {
        if (!signal.aborted) throw fault;
        return 0;
      });
      if (removed > 0) onLeft?.(kind, removed);
    };
    const isBuilt = (): boolean => of.every(({ name }) => parts.isBuilt(name));
    return inRounds({ ...TIMES, everyMs, of: { name: kind } }, round, { ...parts, isBuilt }, needs, signal);
  };
  const deliveries = { kind: 'deliveries', days: keptDays.deliveries };
  const signInsMs = msOf(keptDays.signIns);
  await Promise.all([
    rounds({ kind: 'requests', days: keptDays.requestLog, of: [] }, (before) =>
      forgetRequests(readModels, before, rest),
    ),
    rounds({ ...deliveries, of: [webhookQueues] }, (before) =>
      removeOver(readModels, webhookQueues, webhookQueues.overSince, before, rest),
    ),
    rounds({ ...deliveries, of: [webhookQueues, webhookEndpoints], everyMs: DISCARDED_EVERY_MS }, (before) =>
      removeDiscarded(readModels, before, rest),
    ),
    signInsMs !== undefined && runPolicy(endExpiredSessions(needs, signInsMs), parts, needs, signal),
  ]);
}
