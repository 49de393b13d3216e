// GET /client-session, GET /checkout/session and the dashboard: a session as its read model has it, and the payments
// that held it.
import type { Caller } from '../commands/caller.ts';
import type { ClientTokens } from '../commands/sessions/client-tokens.ts';
import { badToken, claimsOf } from '../commands/sessions/client-tokens.ts';
import type { ClientSessionEvent } from '../domain/client-session/events.ts';
import type { ClientSession, OpenSession } from '../domain/client-session/state.ts';
import { type Rejection, reject } from '../domain/decider.ts';
import type { KnownPayment } from '../domain/payment/payment.ts';
import type { Streams } from '../journal/streams.ts';
import { clientSessions } from '../projections/models/client-sessions.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';
import { paymentsById } from './read-payments.ts';

type ReadSession = Stored<OpenSession>;

/** The session that a token of the caller's account names; ClientSessionValidationError for any other token. */
export const readClientSession =
  (readModels: ReadModels, tokens: ClientTokens) =>
  async (clientToken: string, caller: Pick<Caller, 'accountId' | 'at'>): Promise<ReadSession | Rejection> => {
    const claims = claimsOf({ tokens }, clientToken, caller.accountId, caller.at);
    return 'kind' in claims ? claims : read(readModels, claims.sessionId);
  };

/** A checkout caller's own session. */
export const readOwnSession =
  (readModels: ReadModels) =>
  async ({ sessionId }: Pick<Caller, 'sessionId'>): Promise<ReadSession | Rejection> =>
    sessionId === undefined ? badToken() : read(readModels, sessionId);

/** For a caller of the account; NotFound for a session of another one. */
export const readSessionById =
  (readModels: ReadModels) =>
  async (sessionId: string, accountId: string): Promise<ReadSession | Rejection> => {
    const found = await read(readModels, sessionId);
    return 'kind' in found || found.doc.accountId !== accountId
      ? reject('NotFound', 'There is no such client session.')
      : found;
  };

/** Payments that a page of a session shows. */
const MOST_PAYMENTS = 100;

/**
 * The payments that ever held the session, newest first, 100 at most. The session's own stream names them, so that no
 * read model of payments needs an index by session; a claim whose payment was never made is left out.
 */
export const readSessionPayments =
  (readModels: ReadModels, sessions: Streams<ClientSession, ClientSessionEvent>) =>
  async (sessionId: string): Promise<readonly Stored<KnownPayment>[]> => {
    const ids = new Set<string>();
    for await (const { event } of sessions.history(sessionId, -1))
      if (event.type === 'ClientSessionClaimed') ids.add(event.data.paymentId);
    return (await paymentsById(readModels)([...ids].slice(-MOST_PAYMENTS))).toSorted((a, b) => b.doc.date - a.doc.date);
  };

async function read(readModels: ReadModels, sessionId: string): Promise<ReadSession | Rejection> {
  const [row] = await readModels.get(clientSessions, [sessionId]);
  if (row === undefined || row.doc.status === 'absent') return badToken();
  return { ...row, doc: row.doc };
}
