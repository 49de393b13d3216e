// Client sessions, payment links and payment instruments: one of them, and an account's newest. The API of merchants
// lists no sessions.
import type { Caller } from '../commands/caller.ts';
import type { InstrumentView } from '../commands/instruments/instrument-view.ts';
import { walletIdOf } from '../commands/instruments/vault-instrument.ts';
import { badToken, type ClientTokens, claimsOf } from '../commands/sessions/client-tokens.ts';
import { RENEWABLE_MS } from '../domain/client-session/decide.ts';
import type { ClientSessionEvent } from '../domain/client-session/events.ts';
import { amountOf } from '../domain/client-session/queries.ts';
import type { ClientSession, OpenSession } from '../domain/client-session/state.ts';
import { type CustomerWallet, instrumentOf } from '../domain/customer-wallet.ts';
import { type Rejection, reject } from '../domain/decider.ts';
import type { DerivedStatus } from '../domain/payment/derived-status.ts';
import type { KnownPayment } from '../domain/payment/payment.ts';
import type { PaymentInstrument, UsableInstrument } from '../domain/payment-instrument/state.ts';
import type { Streams } from '../journal/streams.ts';
import { type ClientSessionKey, clientSessions, STANDINGS } from '../projections/models/client-sessions.ts';
import { customerWallets } from '../projections/models/customer-wallets.ts';
import { paymentInstruments } from '../projections/models/payment-instruments.ts';
import type { StoreKey } from '../secrets.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { listPayments, type PaymentFilter } from './list-payments.ts';
import { type NewestCursor, type NewestPage, newest, type Totals, totalsOf } from './pages.ts';
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

/** IN_PAYMENT: a payment holds it, whatever the time. */
export type SessionStatus = 'OPEN' | 'IN_PAYMENT' | 'EXPIRED';

export interface SessionFilter {
  readonly orderId?: string | undefined;
  readonly customerId?: string | undefined;
  readonly status?: SessionStatus | undefined;
  /** Sessions whose payment has it; they come in the order of their payments. */
  readonly derivedStatus?: DerivedStatus | undefined;
  /** The creation time in ms, both ends included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly isOldestFirst?: boolean | undefined;
}

/**
 * `at`: ms, the time by which a session is open or expired. The end is in no index with the date, and need not be: of
 * the open ones nearly all have not ended, and nothing that is younger than a session's shortest life has.
 */
function statusWhere(status: SessionStatus, at: number, to = at): Query<ClientSessionKey>['where'] {
  switch (status) {
    case 'IN_PAYMENT':
      return { standing: ['held'] };
    case 'OPEN':
      return { standing: ['open'], endsAt: { from: at + 1 } };
    case 'EXPIRED':
      return { standing: ['ended', 'open'], endsAt: { to: at }, createdAt: { to: Math.min(to, at - RENEWABLE_MS) } };
    default:
      return status satisfies never;
  }
}

/**
 * Newest first, unless the filter asks for the oldest. `limit`: 1 to 100. `at`: see statusWhere. A page by derived
 * status may be shorter where `next` says that there may be more.
 */
export const listClientSessions =
  (readModels: Pick<ReadModels, 'find' | 'get' | 'place' | 'ofOneRequest'>) =>
  (
    accountId: string,
    filter: SessionFilter,
    at: number,
    limit: number,
    after?: NewestCursor,
  ): Promise<NewestPage<OpenSession>> => {
    if (filter.derivedStatus !== undefined)
      return sessionsInOrderOfPayments(readModels, accountId, filter, limit, after);
    const { orderId, customerId, status, from, to, isOldestFirst = false } = filter;
    const isNamed = orderId !== undefined || customerId !== undefined;
    const ofStatus: Query<ClientSessionKey>['where'] =
      status !== undefined ? statusWhere(status, at, to) : isNamed ? {} : { standing: STANDINGS };
    const created = { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...ofStatus.createdAt };
    const where = {
      accountId: [accountId],
      ...(orderId !== undefined && { orderId: [orderId] }),
      ...(customerId !== undefined && { customerId: [customerId] }),
      ...ofStatus,
      ...(Object.keys(created).length > 0 && { createdAt: created }),
    };
    const isMade = (doc: ClientSession): doc is OpenSession => doc.status !== 'absent';
    return newest(readModels, clientSessions, { where, limit, after, isOldestFirst }, isMade);
  };

/** A session's own index knows nothing of its payment, and payments with a derived status are few. */
async function sessionsInOrderOfPayments(
  readModels: Pick<ReadModels, 'find' | 'get' | 'place' | 'ofOneRequest'>,
  accountId: string,
  { derivedStatus, status = 'IN_PAYMENT', orderId, customerId, from = 0, to = Infinity, isOldestFirst }: SessionFilter,
  limit: number,
  after?: NewestCursor,
): Promise<NewestPage<OpenSession>> {
  if (status !== 'IN_PAYMENT') return { rows: [] };
  const filter: PaymentFilter = {
    ...(derivedStatus !== undefined && { derivedStatus: [derivedStatus] }),
    ...(orderId !== undefined && { orderId: [orderId] }),
    ...(customerId !== undefined && { customerId: [customerId] }),
    // A payment is never older than its session.
    ...(from > 0 && { fromDate: from }),
    ...(isOldestFirst === true && { sort: 'oldest' }),
  };
  const cursor = after && { date: after.createdAt, id: after.id };
  const page = await listPayments(readModels)(accountId, filter, limit, cursor);
  const ids = page.rows.flatMap(({ doc }) => doc.sessionId ?? []);
  const found = new Map((await readModels.get(clientSessions, ids)).map((row) => [row.id, row]));
  const rows = ids.flatMap((id): readonly Stored<OpenSession>[] => {
    const row = found.get(id);
    if (row === undefined || row.doc.status === 'absent') return [];
    return row.doc.createdAt >= from && row.doc.createdAt <= to ? [{ ...row, doc: row.doc }] : [];
  });
  const { next } = page;
  return { rows, ...(next !== undefined && 'date' in next && { next: { createdAt: next.date, id: next.id } }) };
}

/** Sessions may be large, so a total looks at ten pages of these. */
const COUNTED_AT_ONCE = 100;

/** The number of sessions that match, and the sum of their amounts in each currency. `at`: see statusWhere. */
export const totalClientSessions =
  (list: ReturnType<typeof listClientSessions>) =>
  (accountId: string, filter: Omit<SessionFilter, 'isOldestFirst'>, at: number): Promise<Totals> =>
    totalsOf<NewestCursor>(async (after) => {
      const { rows, next } = await list(accountId, filter, at, COUNTED_AT_ONCE, after);
      const counted = rows.map(({ doc: { fields } }) => ({
        currencyCode: fields.currencyCode,
        amount: amountOf(fields),
      }));
      return { rows: counted, ...(next !== undefined && { next }) };
    });

/** The sessions of payment links. `limit`: 1 to 100. */
export const listPaymentLinks =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (accountId: string, limit: number, after?: NewestCursor): Promise<NewestPage<OpenSession>> => {
    const isMade = (doc: ClientSession): doc is OpenSession => doc.status !== 'absent';
    return newest(
      readModels,
      clientSessions,
      { where: { accountId: [accountId] }, by: 'linkedAt', limit, after },
      isMade,
    );
  };

/** `limit`: 1 to 100. Used, expired and deleted ones, too. */
export const listInstruments =
  (readModels: Pick<ReadModels, 'find'>) =>
  (accountId: string, limit: number, after?: NewestCursor): Promise<NewestPage<UsableInstrument>> => {
    const isMade = (doc: PaymentInstrument): doc is UsableInstrument => doc.status !== 'absent';
    return newest(readModels, paymentInstruments, { where: { accountId: [accountId] }, limit, after }, isMade);
  };

export const readPaymentInstrument =
  (readModels: ReadModels) =>
  async (token: string, accountId: string): Promise<Stored<InstrumentView> | Rejection> => {
    const [row] = await readModels.get(paymentInstruments, [token]);
    if (row === undefined || row.doc.status === 'absent' || row.doc.accountId !== accountId) {
      return reject('NotFound', 'There is no such payment instrument.');
    }
    const instrument = row.doc;
    if (instrument.vault === undefined) return { ...row, doc: { instrument } };
    const [wallet] = await readModels.get<CustomerWallet, never>(customerWallets, [instrument.vault.walletId]);
    const doc = { instrument, ...(wallet !== undefined && { wallet: wallet.doc }) };
    return { ...row, revision: row.revision + touchesOf(wallet?.doc, token), doc };
  };

/** How many events of the wallet touched the instrument: the part of its ETag that its own stream does not count. */
const touchesOf = (wallet: CustomerWallet | undefined, token: string): number =>
  wallet === undefined ? 0 : (instrumentOf(wallet, token)?.version ?? 0);

/** The wallet of a customer; undefined if nothing was ever vaulted there. */
export const readWallet =
  (readModels: ReadModels, storeKey: StoreKey) =>
  async (accountId: string, customerId: string): Promise<CustomerWallet | undefined> => {
    const [row] = await readModels.get<CustomerWallet, never>(customerWallets, [
      walletIdOf(storeKey, accountId, customerId),
    ]);
    return row?.doc;
  };
