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
/** How much longer another node than the one that does due work waits, ms. */
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

export const msOf = (days: number | undefined): number | undefined => days && days * DAY_MS;

export interface LeavingNeeds extends PolicyNode, Pick<Users, 'endExpiredSessions'> {
  readonly keptDays: KeptDays;
}

/** Ends the sign-in sessions that expired `keptMs` ago, so that they leave their user's document. */
export const endExpiredSessions = (
  needs: Pick<LeavingNeeds, 'endExpiredSessions'>,
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
  const { world, keptDays } = needs;
  const { readModels } = parts;
  const [requestsMs, deliveriesMs, signInsMs] = [
    msOf(keptDays.requestLog),
    msOf(keptDays.deliveries),
    msOf(keptDays.signIns),
  ];
  const rest = (): Promise<void> => world.sleep(REST_MS, signal);
  const rounds = (
    of: { readonly name: string },
    isBuilt: DueParts['isBuilt'],
    round: () => Promise<unknown>,
    everyMs = EVERY_MS,
  ) =>
    inRounds(
      { ...TIMES, everyMs, of },
      async () => {
        await round().catch((fault: unknown) => {
          if (!signal.aborted) throw fault;
        });
      },
      { ...parts, isBuilt },
      needs,
      signal,
    );
  await Promise.all([
    requestsMs !== undefined &&
      rounds(
        { name: 'request-log' },
        () => true,
        () => forgetRequests(readModels, world.now() - requestsMs, rest),
      ),
    deliveriesMs !== undefined &&
      rounds(webhookQueues, parts.isBuilt, () =>
        removeOver(readModels, webhookQueues, webhookQueues.overSince, world.now() - deliveriesMs, rest),
      ),
    deliveriesMs !== undefined &&
      rounds(
        webhookQueues,
        (name) => [name, webhookEndpoints.name].every((one) => parts.isBuilt(one)),
        () => removeDiscarded(readModels, world.now() - deliveriesMs, rest),
        DISCARDED_EVERY_MS,
      ),
    signInsMs !== undefined && runPolicy(endExpiredSessions(needs, signInsMs), parts, needs, signal),
  ]);
}
