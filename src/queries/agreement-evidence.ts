// What the log has against a dispute of a payment that charged an agreement: the terms and the consent that it was
// claimed under, the notices before it, the payment that its customer made, and the earlier charges that nobody
// disputed, each with the event that says so.
import type {
  AgreementEvent,
  AgreementNotice,
  AgreementTerms,
  ChargedMethod,
  Consent,
} from '../domain/agreement/events.ts';
import type { Agreement } from '../domain/agreement/state.ts';
import { publicEventId } from '../domain/category.ts';
import { type Rejection, reject } from '../domain/decider.ts';
import type { PaymentEvent } from '../domain/payment/events.ts';
import type { KnownPayment, Payment } from '../domain/payment/payment.ts';
import type { Unsealed } from '../journal/envelope.ts';
import type { Streams } from '../journal/streams.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';
import { type ChargeTry, triesIn } from './agreement-tries.ts';
import { paymentsById, readPayment } from './read-payments.ts';

/** A fact, and the public id of the event that has it. */
interface OnRecord {
  readonly eventId: string;
}

export interface AgreementEvidence {
  readonly agreementId: string;
  readonly periodKey: string;
  readonly terms: AgreementTerms;
  readonly consent: Consent & OnRecord;
  /** The newest ones that were on record before the claim, oldest first. */
  readonly notices: readonly (AgreementNotice & OnRecord)[];
  /** The payment by which the customer gave the payment method that was charged. */
  readonly first:
    | (Stored<KnownPayment> & OnRecord & { readonly authenticationEventId: string | undefined })
    | undefined;
  /** The newest ones, oldest first. */
  readonly earlier: readonly (Pick<ChargeTry, 'periodKey' | 'paymentId' | 'amount' | 'currencyCode'> &
    OnRecord & { readonly chargedAt: number })[];
}

/** More periods make no statement stronger. */
const MOST_EARLIER = 24;
const MOST_NOTICES = 6;

interface EvidenceNeeds {
  readonly readModels: ReadModels;
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
}

/** NotFound for a payment of another account, and for one that charged no agreement. Throws StoreUnavailable. */
export const readAgreementEvidence =
  (needs: EvidenceNeeds) =>
  async (paymentId: string, accountId: string): Promise<AgreementEvidence | Rejection> => {
    const payment = await readPayment(needs.readModels)(paymentId, accountId);
    if ('kind' in payment) return payment;
    const { agreement } = payment.doc;
    if (agreement === undefined) return reject('NotFound', 'The payment charged no agreement.');
    const { agreementId, periodKey } = agreement;
    const found: Noted = { notices: [] };
    const tries = await triesIn(noting(needs.agreements.history(agreementId, -1), paymentId, found));
    if (found.agreed === undefined) return reject('NotFound', 'There is no such agreement.');
    const { terms, consent } = found.agreed;
    return {
      agreementId,
      periodKey,
      terms,
      consent,
      notices: found.notices.slice(-MOST_NOTICES),
      first: found.method && (await firstPayment(needs, found.method)),
      earlier: await undisputed(needs, tries, paymentId),
    };
  };

/** What the events before the claim of the payment say. */
interface Noted {
  agreed?: { readonly terms: AgreementTerms; readonly consent: Consent & OnRecord };
  notices: (AgreementNotice & OnRecord)[];
  method?: ChargedMethod & OnRecord;
}

/** The events as they are, with what they say noted on the way. */
async function* noting(
  history: AsyncIterable<Unsealed<AgreementEvent>>,
  paymentId: string,
  found: Noted,
): AsyncIterable<Unsealed<AgreementEvent>> {
  let isClaimed = false;
  for await (const one of history) {
    const { event, recorded } = one;
    const eventId = publicEventId(recorded.id);
    if (event.type === 'ChargeClaimed' && event.data.paymentId === paymentId) isClaimed = true;
    if (!isClaimed) noteAgreed(event, eventId, found);
    const isMethod = event.type === 'AgreementActivated' || event.type === 'AgreementInstrumentReplaced';
    if (isMethod && !isClaimed) found.method = { ...event.data, eventId };
    yield one;
  }
}

function noteAgreed({ type, data }: AgreementEvent, eventId: string, found: Noted): void {
  if (type === 'AgreementProposed') found.agreed = { terms: data.terms, consent: { ...data.consent, eventId } };
  if (type === 'AgreementNoticeRecorded') found.notices.push({ ...data, eventId });
  if (type === 'AgreementTermsChanged' && found.agreed !== undefined) {
    const { terms, consent } = data;
    found.agreed = { terms, consent: consent === undefined ? found.agreed.consent : { ...consent, eventId } };
  }
}

async function firstPayment(
  { readModels, payments }: EvidenceNeeds,
  { initialPaymentId, eventId }: ChargedMethod & OnRecord,
): Promise<AgreementEvidence['first']> {
  const [first] = await paymentsById(readModels)([initialPaymentId]);
  if (first === undefined) return undefined;
  let authenticationEventId: string | undefined;
  for await (const { event, recorded } of payments.history(initialPaymentId, -1))
    if ('threeDSecure' in event.data && typeof event.data.threeDSecure === 'object')
      authenticationEventId = publicEventId(recorded.id);
  return { ...first, eventId, authenticationEventId };
}

async function undisputed(
  { readModels }: EvidenceNeeds,
  tries: readonly ChargeTry[],
  paymentId: string,
): Promise<AgreementEvidence['earlier']> {
  const before = tries.slice(
    0,
    tries.findIndex((one) => one.paymentId === paymentId),
  );
  const charged = before.filter(({ outcome }) => outcome === 'SUCCEEDED').slice(-MOST_EARLIER);
  const payments = await paymentsById(readModels)(charged.map((one) => one.paymentId));
  const isDisputed = new Set(payments.flatMap(({ id, doc }) => (doc.disputes.length > 0 ? [id] : [])));
  return charged.flatMap(({ settledAt, settledBy, ...one }) =>
    settledAt === undefined || settledBy === undefined || isDisputed.has(one.paymentId)
      ? []
      : [{ ...one, chargedAt: settledAt, eventId: publicEventId(settledBy) }],
  );
}
