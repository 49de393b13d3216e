// PATCH /client-session: changes the fields of an open session; the rules are in domain/client-session/.

import { z } from 'zod';
import { patchSession } from '../../domain/client-session/decide.ts';
import { patchWarnings, type Warning } from '../../domain/client-session/patch.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import type { Rejection } from '../../domain/decider.ts';
import type { Folded } from '../../journal/fold.ts';
import { type Caller, type Completed, completed } from '../caller.ts';
import { mayCapture, refuseCaptureMode } from '../capture-scope.ts';
import { transactFor } from '../effect.ts';
import { ClientSessionPatch } from '../fields/session-fields.ts';
import type { SessionNeeds } from './needs.ts';
import { badToken, hasExpired, ownClaims } from './token-claims.ts';

export const PatchClientSession = ClientSessionPatch.extend({ clientToken: z.string().min(1).max(2_048) }).meta({
  id: 'PatchClientSession',
});

export interface SessionPatched extends Completed<ClientSession> {
  readonly warnings: readonly Warning[];
}

/** `ifMatch`: the revision that the session must have (412 otherwise). */
export const patchClientSession =
  (needs: SessionNeeds) =>
  async (
    { clientToken, ...patch }: z.output<typeof PatchClientSession>,
    caller: Caller,
    ifMatch?: (revision: number) => boolean,
  ): Promise<SessionPatched | Rejection> => {
    const claims = ownClaims(needs, clientToken, caller.accountId);
    if ('kind' in claims) return claims;
    const refused = refuseCaptureMode(patch.paymentMethod, caller);
    if (refused !== undefined) return refused;
    return needs.idempotency.once(caller, {
      name: 'patch-client-session',
      target: needs.sessions,
      resource: { id: claims.sessionId },
      appendsOnce: true,
      async work(effect) {
        const { context, resourceId } = effect;
        const decided = patchSession(patch, {
          at: context.at,
          mayCapture: mayCapture(caller),
          ...(ifMatch !== undefined && { ifMatch }),
        });
        const decide = hasExpired(claims, caller.at) ? tooLate(decided) : decided;
        let done = await transactFor(effect, needs.sessions, decide);
        if (
          done.kind === 'rejected' &&
          done.errorId === 'ClientSessionCompleted' &&
          (await needs.displaceSessionClaim(resourceId, context))
        ) {
          done = await transactFor(effect, needs.sessions, decide);
        }
        switch (done.kind) {
          case 'rejected':
            return { answer: done, appended: false };
          case 'unchanged':
            return { answer: { ...completed(resourceId, done.folded), warnings: [] }, appended: false };
          case 'written':
            return { answer: withWarnings(resourceId, patch, done.before, done.folded), appended: true };
          case 'repeated':
            return { answer: await asLeftAt(needs, resourceId, patch, done.revision), appended: true };
          default:
            return done satisfies never;
        }
      },
      replay: ({ resourceId }, revision) => asLeftAt(needs, resourceId, patch, revision),
    });
  };

type PatchDecision = ReturnType<typeof patchSession>;

/** The token has expired; only a condition that does not hold comes before that (contract §1). */
const tooLate =
  (decide: PatchDecision): PatchDecision =>
  (session, revision) => {
    const decision = decide(session, revision);
    return decision.kind === 'rejected' && decision.errorId === 'PreconditionFailed' ? decision : badToken();
  };

/** The answer to the patch that was appended up to this revision. */
const asLeftAt = async (
  { sessions }: SessionNeeds,
  id: string,
  patch: ClientSessionPatch,
  revision: number,
): Promise<SessionPatched> =>
  withWarnings(id, patch, await sessions.at(id, revision - 1), await sessions.at(id, revision));

function withWarnings(
  id: string,
  patch: ClientSessionPatch,
  before: Folded<ClientSession>,
  after: Folded<ClientSession>,
): SessionPatched {
  const warnings = before.state.status === 'absent' ? [] : patchWarnings(before.state.fields, patch);
  return { ...completed(id, after), warnings };
}
