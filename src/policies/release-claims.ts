// Releases claims whose payment is over: claims of payments that a crash kept from being made, and claims that a
// payment without money did not give back. Without this sweep they stay until another payment displaces them.
import type { Due } from '../commands/due.ts';
import type { Timings } from '../commands/payment-timings.ts';
import type { Payments } from '../commands/payments/payments.ts';
import type { ClientSession } from '../domain/client-session/state.ts';
import type { KnownPayment, Payment } from '../domain/payment/payment.ts';
import { givesTokenBack, isKnown, isOver } from '../domain/payment/queries.ts';
import type { PaymentInstrument } from '../domain/payment-instrument/state.ts';
import { UnknownEvent } from '../journal/envelope.ts';
import { type ClientSessionKey, clientSessions } from '../projections/models/client-sessions.ts';
import { type PaymentInstrumentKey, paymentInstruments } from '../projections/models/payment-instruments.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { Collection, ReadModels, Stored } from '../stores/read-models.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import type { Sweep } from './sweep.ts';

export interface ReleaseNeeds extends Pick<Payments, 'releaseSessionClaim' | 'releaseTokenClaim' | 'giveClaimsBack'> {
  readonly timings: Pick<Timings, 'abandonAfterMs'>;
  readonly report: (fault: unknown) => void;
}

/** The actor in the events that these cause, each of them under this name. */
const NAME = 'release-claims';
const EVERY_MS = 60_000;
/**
 * How much longer a claim without a payment may stay: requests are over by then, even on nodes whose clocks differ by
 * minutes.
 */
export const graceOf = ({ timings }: Pick<ReleaseNeeds, 'timings'>): number => 10 * timings.abandonAfterMs;

export const releaseSessionClaims = (
  needs: ReleaseNeeds,
  readModels: ReadModels,
): Sweep<ClientSession, ClientSessionKey> => ({
  name: `${NAME}-of-sessions`,
  of: clientSessions,
  needs: [payments],
  by: 'claimedAt',
  graceMs: graceOf(needs),
  everyMs: EVERY_MS,
  look: async (rows) => {
    const orphans = await withoutHolder(readModels, claimsIn(rows, sessionHolder), isOver);
    await each(needs, orphans, (claim) => needs.releaseSessionClaim(claim, NAME));
  },
});

export const releaseTokenClaims = (
  needs: ReleaseNeeds,
  readModels: ReadModels,
): Sweep<PaymentInstrument, PaymentInstrumentKey> => ({
  name: `${NAME}-of-tokens`,
  of: paymentInstruments,
  needs: [payments],
  by: 'claimedAt',
  graceMs: graceOf(needs),
  everyMs: EVERY_MS,
  look: async (rows) => {
    const orphans = await withoutHolder(readModels, claimsIn(rows, tokenHolder), givesTokenBack);
    await each(needs, orphans, (claim) => needs.releaseTokenClaim(claim, NAME));
  },
});

/** A payment may end long after it claimed: it is checked again after its end. */
export const releaseClaimsOfEnded = (needs: ReleaseNeeds, readModels: ReadModels): Sweep<Payment, PaymentKey> => ({
  name: `${NAME}-of-ended-payments`,
  of: payments,
  needs: [clientSessions, paymentInstruments],
  by: 'endedAt',
  graceMs: graceOf(needs),
  everyMs: EVERY_MS,
  look: async (rows) => {
    const ended = rows.flatMap(({ id, revision, doc }) =>
      isKnown(doc) ? [{ id, revision, doc, accountId: doc.accountId }] : [],
    );
    const holders = await holdersAmong(readModels, ended);
    const holding = ended.filter(({ id }) => holders.has(id));
    await each(needs, holding, (payment) => needs.giveClaimsBack(payment, payment.doc, NAME));
  },
});

interface ClaimToRelease extends Due {
  readonly paymentId: string;
}

function claimsIn<Doc extends ClientSession | PaymentInstrument>(
  rows: readonly Stored<Doc>[],
  holderOf: (doc: Doc) => string | undefined,
): readonly ClaimToRelease[] {
  return rows.flatMap(({ id, revision, doc }) => {
    const paymentId = holderOf(doc);
    return doc.status === 'absent' || paymentId === undefined
      ? []
      : [{ id, revision, accountId: doc.accountId, paymentId }];
  });
}

/** Claims whose payment is not in the read model, which may merely lag, or no longer holds them. */
async function withoutHolder(
  readModels: ReadModels,
  claims: readonly ClaimToRelease[],
  over: (payment: Payment) => boolean,
): Promise<readonly ClaimToRelease[]> {
  const { rows, broken } = await readEach(
    readModels,
    payments,
    claims.map(({ paymentId }) => paymentId),
  );
  const holding = new Set(rows.filter(({ doc }) => isKnown(doc) && !over(doc)).map(({ id }) => id));
  return claims.filter(({ paymentId }) => !holding.has(paymentId) && !broken.has(paymentId));
}

interface Readable<Doc> {
  readonly rows: readonly Stored<Doc>[];
  /** Ids of documents whose streams are broken: nothing is concluded from them. */
  readonly broken: ReadonlySet<string>;
}

/** Documents by id; a broken stream among theirs hides none of the others, and stops no sweep. */
async function readEach<Doc extends object, K extends string>(
  readModels: ReadModels,
  of: Collection<Doc, K>,
  ids: readonly string[],
): Promise<Readable<Doc>> {
  try {
    return { rows: await readModels.get(of, ids), broken: new Set() };
  } catch (fault) {
    if (!(fault instanceof BrokenStream)) throw fault;
    if (ids.length === 1) return { rows: [], broken: new Set(ids) };
  }
  const parts = await Promise.all(ids.map((id) => readEach(readModels, of, [id])));
  return { rows: parts.flatMap(({ rows }) => rows), broken: new Set(parts.flatMap(({ broken }) => [...broken])) };
}

/** The payments that a session or a single-use token is still claimed by, although they should have given it back. */
async function holdersAmong(
  readModels: ReadModels,
  ended: readonly { readonly id: string; readonly doc: KnownPayment }[],
): Promise<ReadonlySet<string>> {
  const sessionIds = ended.flatMap(({ doc }) => doc.sessionId ?? []);
  const tokens = ended.flatMap(({ doc }) => (givesTokenBack(doc) ? [doc.paymentMethod.paymentMethodToken] : []));
  const [sessions, instruments] = await Promise.all([
    readEach(readModels, clientSessions, sessionIds),
    readEach(readModels, paymentInstruments, tokens),
  ]);
  return new Set(
    [
      ...sessions.rows.map(({ doc }) => sessionHolder(doc)),
      ...instruments.rows.map(({ doc }) => tokenHolder(doc)),
    ].flatMap((id) => id ?? []),
  );
}

const sessionHolder = (doc: ClientSession): string | undefined =>
  doc.status === 'absent' ? undefined : doc.payment?.paymentId;
const tokenHolder = (doc: PaymentInstrument): string | undefined =>
  doc.status === 'absent' ? undefined : doc.claim?.paymentId;

/**
 * A fault of one stops none of the others; an unavailable store, or an event that only a newer node knows, stops the
 * sweep, which comes back to the same document.
 */
export async function each<Row extends Due>(
  { report }: Pick<ReleaseNeeds, 'report'>,
  rows: readonly Row[],
  act: (row: Row) => Promise<void>,
): Promise<void> {
  await Promise.all(
    rows.map((row) =>
      act(row).catch((fault: unknown) => {
        if (fault instanceof StoreUnavailable || fault instanceof UnknownEvent) throw fault;
        report(fault);
      }),
    ),
  );
}
