// POST /client-session: a new session with the fields that were sent, and its first client token.
import type { z } from 'zod';
import { createSession } from '../../domain/client-session/decide.ts';
import type { ClientSession, OpenSession } from '../../domain/client-session/state.ts';
import type { Rejection } from '../../domain/decider.ts';
import { type Caller, type Completed, completed } from '../caller.ts';
import { refuseCaptureMode } from '../capture-scope.ts';
import { leftBy, transactFor } from '../effect.ts';
import type { CreateClientSessionFields } from '../fields/session-fields.ts';
import type { SessionNeeds } from './needs.ts';
import { TOKEN_LIFE_MS } from './token-claims.ts';

export interface TokenIssued extends Completed<ClientSession> {
  readonly clientToken: string;
  /** ms */
  readonly clientTokenExpiresAt: number;
}

export const createClientSession =
  (needs: SessionNeeds) =>
  async (fields: z.output<typeof CreateClientSessionFields>, caller: Caller): Promise<TokenIssued | Rejection> =>
    refuseCaptureMode(fields.paymentMethod, caller) ??
    needs.idempotency.once(caller, {
      name: 'create-client-session',
      target: needs.sessions,
      resource: { prefix: 'cs' },
      work: async (effect) => {
        const { accountId, at } = caller;
        const creation = { accountId, fields, createdAt: at, tokenExpiresAt: at + TOKEN_LIFE_MS };
        const made = await transactFor(effect, needs.sessions, createSession(creation));
        if (made.kind === 'rejected') return { answer: made, appended: false };
        return {
          answer: withToken(needs, effect.resourceId, await leftBy(needs.sessions, effect.resourceId, made)),
          appended: true,
        };
      },
      replay: async ({ resourceId }, revision) =>
        withToken(needs, resourceId, await needs.sessions.at(resourceId, revision)),
    });

/** The token follows from the session's own record, so that the same answer can be given again. */
export function withToken(
  needs: Pick<SessionNeeds, 'tokens'>,
  id: string,
  folded: { readonly state: ClientSession; readonly head: { readonly revision: number } },
): TokenIssued {
  const session: OpenSession = sessionOf(folded.state);
  const clientToken = needs.tokens.issue({
    sessionId: id,
    accountId: session.accountId,
    issuedAt: session.tokenIssuedAt,
    expiresAt: session.tokenExpiresAt,
  });
  return { ...completed(id, folded), clientToken, clientTokenExpiresAt: session.tokenExpiresAt };
}

function sessionOf(state: ClientSession): OpenSession {
  if (state.status === 'absent') throw new TypeError('a session that was just written is absent');
  return state;
}
