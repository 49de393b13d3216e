// Removes from the read models what has been over for its days; the log keeps the events (contract §11).
import type { Users } from '../commands/users/users.ts';
import type { User } from '../domain/user/state.ts';
import { removeOver } from '../projections/engine/remove-over.ts';
import { forgetRequests } from '../projections/models/request-log.ts';
import { type UserKey, users } from '../projections/models/users.ts';
import { webhookQueues } from '../projections/models/webhook-queues.ts';
import { type DueParts, inRounds, type Policy, type PolicyNode, runPolicy } from './policy.ts';

const DAY_MS = 86_400_000;
/** How often it looks, ms; nobody waits for a removal. */
const EVERY_MS = 60_000;
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
  const rounds = (of: { readonly name: string }, isBuilt: DueParts['isBuilt'], round: () => Promise<unknown>) =>
    inRounds(
      { ...TIMES, of },
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
    signInsMs !== undefined && runPolicy(endExpiredSessions(needs, signInsMs), parts, needs, signal),
  ]);
}
