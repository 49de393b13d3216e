// POST /client-session/client-token: a new token for an open session, even for a token that expired up to 30 days ago.
import { z } from 'zod';
import { issueToken } from '../../domain/client-session/decide.ts';
import type { Rejection } from '../../domain/decider.ts';
import type { Caller } from '../caller.ts';
import { mayCapture } from '../capture-scope.ts';
import { type Effect, leftBy, transactFor, type Worked } from '../effect.ts';
import { type TokenIssued, withToken } from './create-client-session.ts';
import type { SessionNeeds } from './needs.ts';
import { badToken, hasExpired, ownClaims, SESSION_LIFE_MS, TOKEN_LIFE_MS } from './token-claims.ts';

export const IssueClientToken = z
  .strictObject({ clientToken: z.string().min(1).max(2_048) })
  .meta({ id: 'IssueClientToken' });

export const issueClientToken =
  (needs: SessionNeeds) =>
  async ({ clientToken }: z.output<typeof IssueClientToken>, caller: Caller): Promise<TokenIssued | Rejection> => {
    const claims = ownClaims(needs, clientToken, caller.accountId);
    if ('kind' in claims) return claims;
    return needs.idempotency.once(caller, {
      name: 'issue-client-token',
      target: needs.sessions,
      resource: { id: claims.sessionId },
      work: async (effect) =>
        hasExpired(claims, caller.at, SESSION_LIFE_MS)
          ? { answer: badToken(), appended: false }
          : work(needs, effect, caller),
      replay: async ({ resourceId }, revision) =>
        withToken(needs, resourceId, await needs.sessions.at(resourceId, revision)),
    });
  };

async function work(needs: SessionNeeds, effect: Effect, caller: Caller): Promise<Worked<TokenIssued>> {
  const { context, resourceId } = effect;
  const { at } = context;
  const decide = issueToken({ at, tokenExpiresAt: at + TOKEN_LIFE_MS, mayCapture: mayCapture(caller) });
  let issued = await transactFor(effect, needs.sessions, decide);
  if (
    issued.kind === 'rejected' &&
    issued.errorId === 'ClientSessionCompleted' &&
    (await needs.displaceSessionClaim(resourceId, context))
  ) {
    issued = await transactFor(effect, needs.sessions, decide);
  }
  if (issued.kind === 'rejected') return { answer: issued, appended: false };
  const answer = withToken(needs, resourceId, await leftBy(needs.sessions, resourceId, issued));
  return { answer, appended: issued.kind !== 'unchanged' };
}
