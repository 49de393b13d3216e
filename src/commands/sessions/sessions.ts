// Client sessions as a subject: made, changed, and given fresh tokens by a merchant's backend; expired by a policy
// (contract §3).
import { z } from 'zod';
import { failAgreement, wrongAgreementStatus } from '../../domain/agreement/decide.ts';
import type { AgreementEvent } from '../../domain/agreement/events.ts';
import { type Agreement, isFinalAgreement } from '../../domain/agreement/state.ts';
import { createSession, expireSession, issueToken, patchSession } from '../../domain/client-session/decide.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import { patchWarnings, type Warning } from '../../domain/client-session/patch.ts';
import { type ClientSession, expiryDueAt } from '../../domain/client-session/state.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import type { Streams } from '../../journal/streams.ts';
import { type Decide, transact } from '../../journal/transact.ts';
import type { World } from '../../world.ts';
import { bind } from '../bind.ts';
import { type Caller, type Completed, completed } from '../caller.ts';
import { mayCapture, refuseCaptureMode } from '../capture-scope.ts';
import { type Due, dueContext } from '../due.ts';
import { aside, type Effect, leftBy, transactFor } from '../effect.ts';
import { ClientSessionPatch, type CreateClientSessionFields } from '../fields/session-fields.ts';
import { changeOnce, type Idempotency, replayed } from '../idempotency.ts';
import { proposeAgreed, refuseProposal } from './agreed.ts';
import { badToken, type ClientTokens, hasExpired, ownClaims, SESSION_LIFE_MS, TOKEN_LIFE_MS } from './client-tokens.ts';

export interface SessionNeeds {
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly idempotency: Pick<Idempotency, 'open'>;
  readonly tokens: ClientTokens;
  readonly world: World;
  /** Takes a session back from a payment that is over; false while the payment holds the session. */
  readonly displaceSessionClaim: (sessionId: string, context: Context) => Promise<boolean>;
}

export type Sessions = ReturnType<typeof makeSessions>;

export const makeSessions = (needs: SessionNeeds) =>
  bind(needs, { createClientSession, patchClientSession, issueClientToken, expireClientSession });

interface TokenIssued extends Completed<ClientSession> {
  readonly clientToken: string;
  /** ms */
  readonly clientTokenExpiresAt: number;
}

/** POST /client-session: a new session with the fields that were sent, and its first client token. */
async function createClientSession(
  needs: SessionNeeds,
  fields: z.output<typeof CreateClientSessionFields>,
  caller: Caller,
): Promise<TokenIssued | Rejection> {
  const refused = refuseCaptureMode(fields.paymentMethod, caller);
  if (refused !== undefined) return refused;
  const { accountId, at } = caller;
  const ofAgreement = await inAgreement(needs, fields, accountId);
  if ('kind' in ofAgreement) return ofAgreement;
  using operation = await needs.idempotency.open(caller, 'create-client-session');
  const { customerId = fields.customerId, isOver } = ofAgreement;
  const whole = { ...fields, ...(customerId !== undefined && { customerId }) };
  const creation = { accountId, fields: whole, createdAt: at, tokenExpiresAt: at + TOKEN_LIFE_MS };
  const target = { streams: needs.sessions, resource: { prefix: 'cs' } };
  const refusal = isOver ?? (fields.agreement && refuseProposal(fields.agreement, at));
  const made = await changeOnce(operation, target, () =>
    refusal === undefined ? createSession(creation) : () => refusal,
  );
  return made.kind === 'rejected' ? made : withToken(needs, made.effect.resourceId, made);
}

/** What a session has from the agreement that it names. */
interface InAgreement {
  readonly customerId?: string;
  /** The refusal of a new session: it is charged no longer. */
  readonly isOver?: Rejection;
}

/** RequestValidationError for an agreement that the account does not have, or of another customer. */
export async function inAgreement(
  { agreements }: Pick<SessionNeeds, 'agreements'>,
  { agreementId, customerId }: Pick<z.output<typeof CreateClientSessionFields>, 'agreementId' | 'customerId'>,
  accountId: string,
): Promise<InAgreement | Rejection> {
  if (agreementId === undefined) return {};
  const { state } = await agreements.current(agreementId);
  const invalid = (path: string, description: string): Rejection =>
    reject('RequestValidationError', 'The request is not valid.', { violations: [{ path, description }] });
  if (state.status === 'absent' || state.accountId !== accountId)
    return invalid('$.agreementId', 'There is no such agreement.');
  if (customerId !== undefined && customerId !== state.customerId)
    return invalid('$.customerId', 'Must be the customer of the agreement, or absent.');
  return {
    customerId: state.customerId,
    ...(isFinalAgreement(state) && { isOver: wrongAgreementStatus(state, 'charged by another payment method') }),
  };
}

/** The token follows from the session's own record, so that the same answer can be given again. */
function withToken(
  needs: Pick<SessionNeeds, 'tokens'>,
  id: string,
  { folded, ...how }: { readonly folded: Folded<ClientSession>; readonly replayed?: true },
): TokenIssued {
  const session = folded.state;
  if (session.status === 'absent') throw new TypeError('a session that was just written is absent');
  const { accountId, tokenIssuedAt: issuedAt, tokenExpiresAt: expiresAt } = session;
  const clientToken = needs.tokens.issue({ sessionId: id, accountId, issuedAt, expiresAt });
  const answer = { ...completed(id, folded), clientToken, clientTokenExpiresAt: expiresAt };
  return how.replayed === true ? replayed(answer) : answer;
}

export const PatchClientSession = ClientSessionPatch.extend({ clientToken: z.string().min(1).max(2_048) }).meta({
  id: 'PatchClientSession',
});

interface SessionPatched extends Completed<ClientSession> {
  readonly warnings: readonly Warning[];
}

/**
 * PATCH /client-session: changes the fields of an open session; the rules are in domain/client-session/. `ifMatch`: the
 * revision that the session must have (412 otherwise).
 */
async function patchClientSession(
  needs: SessionNeeds,
  { clientToken, ...patch }: z.output<typeof PatchClientSession>,
  caller: Caller,
  ifMatch?: (revision: number) => boolean,
): Promise<SessionPatched | Rejection> {
  const { sessions } = needs;
  const claims = ownClaims(needs, clientToken, caller.accountId);
  if ('kind' in claims) return claims;
  const refused = refuseCaptureMode(patch.paymentMethod, caller);
  if (refused !== undefined) return refused;
  const id = claims.sessionId;
  using operation = await needs.idempotency.open(caller, 'patch-client-session');
  const begun = await operation.begin({ streams: sessions, resource: { id }, appendsOnce: true });
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') return replayed(await patchedAt(needs, id, patch, begun.revision));
  const over = patch.agreement ? refuseProposal(patch.agreement, begun.context.at) : undefined;
  if (over !== undefined) return operation.end(begun, over, 'nothing');
  const conditions = {
    at: begun.context.at,
    mayCapture: mayCapture(caller),
    ...(ifMatch !== undefined && { ifMatch }),
  };
  const decided = patchSession(patch, conditions);
  const decide = hasExpired(claims, caller.at) ? tooLate(decided) : decided;
  const done = await onOpenSession(needs, begun, decide);
  switch (done.kind) {
    case 'rejected':
      return operation.end(begun, done, 'nothing');
    case 'unchanged':
      return operation.end(begun, { ...completed(id, done.folded), warnings: [] }, 'nothing');
    case 'written':
      return operation.end(begun, patched(id, patch, done.before, done.folded), 'appended');
    case 'repeated':
      return operation.end(begun, await patchedAt(needs, id, patch, done.revision), 'appended');
    default:
      return done satisfies never;
  }
}

type DecideSession = Decide<ClientSession, ClientSessionEvent>;

/** Decides on the session; once more without the claim of a payment that is over. */
export async function onOpenSession(
  { sessions, displaceSessionClaim }: Pick<SessionNeeds, 'sessions' | 'displaceSessionClaim'>,
  effect: Effect,
  decide: DecideSession,
) {
  const done = await transactFor(effect, sessions, decide);
  const isHeld = done.kind === 'rejected' && done.errorId === 'ClientSessionCompleted';
  return isHeld && (await displaceSessionClaim(effect.resourceId, effect.context))
    ? transactFor(effect, sessions, decide)
    : done;
}

/** The token has expired; only a condition that does not hold comes before that (contract §1). */
const tooLate =
  (decide: DecideSession): DecideSession =>
  (session, revision) => {
    const decision = decide(session, revision);
    return decision.kind === 'rejected' && decision.errorId === 'PreconditionFailed' ? decision : badToken();
  };

/** The answer to the patch that was appended up to this revision. */
const patchedAt = async (
  { sessions }: SessionNeeds,
  id: string,
  patch: ClientSessionPatch,
  revision: number,
): Promise<SessionPatched> => patched(id, patch, await sessions.at(id, revision - 1), await sessions.at(id, revision));

function patched(
  id: string,
  patch: ClientSessionPatch,
  before: Folded<ClientSession>,
  after: Folded<ClientSession>,
): SessionPatched {
  const warnings = before.state.status === 'absent' ? [] : patchWarnings(before.state.fields, patch);
  return { ...completed(id, after), warnings };
}

export const IssueClientToken = z
  .strictObject({ clientToken: z.string().min(1).max(2_048) })
  .meta({ id: 'IssueClientToken' });

/** POST /client-session/client-token: a new token for an open session, even for one that expired up to 30 days ago. */
async function issueClientToken(
  needs: SessionNeeds,
  { clientToken }: z.output<typeof IssueClientToken>,
  caller: Caller,
): Promise<TokenIssued | Rejection> {
  const claims = ownClaims(needs, clientToken, caller.accountId);
  if ('kind' in claims) return claims;
  const { sessions } = needs;
  const id = claims.sessionId;
  using operation = await needs.idempotency.open(caller, 'issue-client-token');
  const begun = await operation.begin({ streams: sessions, resource: { id } });
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated')
    return withToken(needs, id, { folded: await sessions.at(id, begun.revision), replayed: true });
  if (hasExpired(claims, caller.at, SESSION_LIFE_MS)) return operation.end(begun, badToken(), 'nothing');
  const { at } = begun.context;
  const decide = issueToken({ at, tokenExpiresAt: at + TOKEN_LIFE_MS, mayCapture: mayCapture(caller) });
  const issued = await onOpenSession(needs, begun, decide);
  if (issued.kind === 'rejected') return operation.end(begun, issued, 'nothing');
  const answer = withToken(needs, id, { folded: await leftBy(sessions, id, issued) });
  return operation.end(begun, answer, issued.kind === 'unchanged' ? 'nothing' : 'appended');
}

/**
 * Records the expiry of a session that no payment holds; before that, an agreement which waits for the session's
 * payment fails: after a crash in between the session is still due. `policy`: the actor of the events.
 */
async function expireClientSession(
  { sessions, agreements, world }: Pick<SessionNeeds, 'sessions' | 'agreements' | 'world'>,
  due: Due,
  policy: string,
): Promise<void> {
  const context = await dueContext(world, sessions, policy, due);
  const { state } = await sessions.current(due.id);
  const isDue = (expiryDueAt(state) ?? Number.POSITIVE_INFINITY) <= context.at;
  const agreementId = isDue ? await proposeAgreed(agreements, due.id, state, aside(context, world)) : undefined;
  if (agreementId !== undefined)
    await transact(agreements, agreementId, aside(context, world), failAgreement('EXPIRED'), { isFact: true });
  await transact(sessions, due.id, context, expireSession(context.at));
}
