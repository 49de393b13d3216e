// POST /agreements/{id}/charges: charges one period of an agreement. The period is claimed in the agreement's stream,
// and its payment has an id that follows from agreement, period and try: every call, with any idempotency key, on any
// node and after any crash, comes to the same stream, which is begun once.
import { z } from 'zod';
import {
  type ChargeAsked,
  claimCharge,
  closeMethod,
  noSuchAgreement,
  periodOf,
  refuseOther,
  wrongAgreementStatus,
} from '../../domain/agreement/decide.ts';
import type { AgreementFact, ChargedMethod } from '../../domain/agreement/events.ts';
import type { Agreement, KnownAgreement, Period } from '../../domain/agreement/state.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { Metadata } from '../../domain/metadata.ts';
import { networkNames } from '../../domain/payment/outcome.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown, isOver } from '../../domain/payment/queries.ts';
import type { UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import type { StoreKey } from '../../secrets.ts';
import type { Answer, Caller } from '../caller.ts';
import { refuseCaptureMode } from '../capture-scope.ts';
import { aside, type Effect } from '../effect.ts';
import { PositiveAmount } from '../fields/amount.ts';
import { CurrencyCode } from '../fields/currency.ts';
import { CaptureMode, Order } from '../fields/session-fields.ts';
import { identifier, shortText } from '../fields/text.ts';
import { replayed } from '../idempotency.ts';
import { Admittance } from '../limits/circuits.ts';
import { pursueAttempts } from './attempt.ts';
import { answerAttempt, attemptIdOf, type Finished, refused, replayAttempt } from './attempt-answers.ts';
import { admitAuthorization, usableInstrument } from './authorize-payment.ts';
import { type Authorization, badInstrument, type Created, create } from './create-payment.ts';
import type { PaymentNeeds } from './needs.ts';
import { claimNetworkTry } from './retry-ledger.ts';
import { settleTry } from './settle-charge.ts';

export const ChargeAgreement = z
  .strictObject({
    periodKey: identifier.regex(/\S/, { error: 'Must not be blank.' }),
    orderId: identifier,
    amount: PositiveAmount.optional(),
    currencyCode: CurrencyCode.optional(),
    captureMode: CaptureMode.optional(),
    order: Order.optional(),
    descriptor: shortText.optional(),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'ChargeAgreement' });
export type ChargeAgreement = z.output<typeof ChargeAgreement>;

/** An agreement that has been activated. */
type ActiveOnce = KnownAgreement & { readonly method: ChargedMethod };

/**
 * The payment of the period's newest try, made now or earlier. Rejects with NotFound, InsufficientScope, those of
 * claimCharge, those of an idempotency key, InvalidPaymentInstrumentToken, ServiceUnavailable. `isPlanned`: see
 * ChargeAsked. Throws StoreUnavailable.
 */
export async function chargeAgreement(
  needs: PaymentNeeds,
  agreementId: string,
  request: ChargeAgreement,
  caller: Caller,
  isPlanned?: true,
): Promise<Answer<Payment>> {
  await needs.mayWrite(); // an unavailable store is told before the request is judged
  const { state: agreement } = await needs.agreements.load(agreementId);
  if (agreement.status === 'absent' || agreement.accountId !== caller.accountId) return noSuchAgreement();
  if (!hasMethod(agreement)) return wrongAgreementStatus(agreement, 'charged');
  const paymentIdOf = paymentIds(needs.storeKey, agreementId, request.periodKey);
  const asked: ChargeAsked = { ...request, paymentIdOf, at: caller.at, ...(isPlanned && { isPlanned }) };
  const outOfScope = refuseCaptureMode({ captureMode: request.captureMode ?? 'AUTOMATIC' }, caller);
  if (outOfScope !== undefined) return outOfScope;
  const earlier = await earlierPayment(needs, agreement, asked);
  if (earlier !== undefined) return earlier;

  using operation = await needs.idempotency.open(caller, 'charge-agreement');
  const admitted = new Admittance(needs.circuits);
  const probable = probableTry(agreement, asked);
  const target = { streams: needs.payments, resource: { id: probable.paymentId } };
  let usable: Usable | undefined;
  const enter = async (): Promise<Rejection | undefined> => {
    if (probable.claim === undefined) return undefined;
    const authorization = authorizationFor(agreementId, agreement, request);
    const instrument = await usableInstrument(needs, authorization, caller);
    if ('kind' in instrument) return instrument;
    usable = { token: authorization.paymentMethodToken, instrument };
    return admitAuthorization(needs, authorization, caller, { admitted, limited: async () => undefined });
  };
  let begun = await operation.begin(target, enter);
  // The key claims a try that was abandoned before its payment was created: it claims the next one now.
  if (begun.kind === 'started' && begun.resourceId !== probable.paymentId && (await isAbandoned(needs, begun)))
    begun = await operation.beginAfresh(begun, target, enter);
  if (begun.kind !== 'started') admitted.leave();
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') return replayed(await replayAttempt(needs, begun, begun.revision));
  let made: Made | Finished | undefined;
  try {
    made = await claimAndMake(needs, { agreementId, request, asked, caller, effect: begun, admitted, usable });
  } finally {
    // The outcome of a payment that was made here is counted; any other belongs to another process.
    if (made === undefined || 'answer' in made) admitted.leave();
  }
  if ('answer' in made) return await operation.end(begun, made.answer, made.result);
  const { effect, created } = made;
  const { resourceId: paymentId, context } = effect;
  const { folded } = await pursueAttempts(needs, paymentId, created.made, context, created.startedAt);
  return await operation.end(begun, answerAttempt(paymentId, folded, attemptIdOf(effect)), 'appended');
}

const isAbandoned = async ({ payments }: PaymentNeeds, { resourceId }: Effect): Promise<boolean> =>
  (await payments.current(resourceId)).state.status === 'abandoned';

const hasMethod = (agreement: KnownAgreement): agreement is ActiveOnce => agreement.method !== undefined;

/** The ids of the payments of a period, by the number of the try. */
export const paymentIds =
  (storeKey: Pick<StoreKey, 'name'>, agreementId: string, periodKey: string) =>
  (number: number): string =>
    `pay_${storeKey.name('agreement-payment', `${agreementId}\n${number}\n${periodKey}`)}`;

/** The try that the charge comes to, as this process knows the agreement; `claim`: of a new one. */
function probableTry(
  agreement: KnownAgreement,
  asked: ChargeAsked,
): { readonly paymentId: string; readonly claim?: AgreementFact<'ChargeClaimed'> } {
  const decided = claimCharge(asked)(agreement);
  const [claim] = decided.kind === 'accepted' ? decided.events : [];
  if (claim?.type === 'ChargeClaimed') return { paymentId: claim.data.paymentId, claim: claim.data };
  return { paymentId: periodOf(agreement, asked.periodKey)?.paymentId ?? asked.paymentIdOf(1) };
}

const authorizationFor = (
  agreementId: string,
  { kind, customerId, method }: ActiveOnce,
  { periodKey, orderId, amount, currencyCode, captureMode = 'AUTOMATIC', descriptor, order, metadata }: ChargeAgreement,
  number = 1,
): Authorization => ({
  paymentMethodToken: method.paymentMethodToken,
  fields: {
    orderId,
    customerId,
    ...(amount !== undefined && { amount }),
    ...(currencyCode !== undefined && { currencyCode }),
    ...(order !== undefined && { order }),
    ...(metadata !== undefined && { metadata }),
    paymentMethod: {
      captureMode,
      paymentType: kind === 'UNSCHEDULED' ? 'UNSCHEDULED' : 'SUBSCRIPTION',
      ...(descriptor !== undefined && { descriptor }),
    },
  },
  agreement: { agreementId, periodKey, try: number, kind, ...networkNames(method) },
});

/**
 * The answer for a period that the agreement no longer lists: its first payment says that it was charged. Undefined for
 * all others.
 */
async function earlierPayment(
  needs: PaymentNeeds,
  agreement: KnownAgreement,
  asked: ChargeAsked,
): Promise<Answer<Payment> | undefined> {
  if (agreement.claimed === agreement.periods.length || periodOf(agreement, asked.periodKey) !== undefined)
    return undefined;
  let newest: { readonly id: string; readonly folded: Folded<Payment> } | undefined;
  for (let number = 1; ; number += 1) {
    const id = asked.paymentIdOf(number);
    const folded = await needs.payments.current(id);
    if (folded.state.status === 'absent') break;
    newest = { id, folded };
  }
  if (newest === undefined) return undefined;
  const { id, folded } = newest;
  const payment = folded.state;
  if (!isKnown(payment) || (isOver(payment) && payment.status !== 'CANCELLED'))
    return reject('RetryNotAllowed', 'The period is over: many later ones were charged since.', {
      paymentId: id,
      because: 'PERIOD_OVER',
    });
  return refuseOther({ ...payment, paymentId: id }, asked, agreement) ?? answerOfPayment(id, folded);
}

function answerOfPayment(paymentId: string, folded: Folded<Payment>): Answer<Payment> {
  const attemptId = isKnown(folded.state) ? folded.state.attempts[0]?.attemptId : undefined;
  return replayed(answerAttempt(paymentId, folded, attemptId ?? ''));
}

interface Charging {
  readonly agreementId: string;
  readonly request: ChargeAgreement;
  readonly asked: ChargeAsked;
  readonly caller: Caller;
  readonly effect: Effect;
  readonly admitted: Admittance;
  /** As it was found before the key was claimed. */
  readonly usable: Usable | undefined;
}

interface Usable {
  readonly token: string;
  readonly instrument: UsableInstrument;
}

/** A payment with its authorization requested, by this process. */
interface Made {
  readonly effect: Effect;
  readonly created: Created;
}

/** A try that has passed what comes before its claim. */
interface ReadyTry {
  readonly ready: NonNullable<ChargeAsked['ready']>;
  readonly instrument: UsableInstrument;
}

/** Whether the instrument is usable, and the card's ledger has room. Undefined where no new try begins. */
async function readyTry(
  needs: PaymentNeeds,
  { agreementId, request, asked, caller, effect, usable }: Charging,
): Promise<ReadyTry | Rejection | undefined> {
  let agreement = (await needs.agreements.load(agreementId)).state;
  let claim = claimOn(agreement, asked);
  if (claim === undefined) {
    // another node may have changed what stands in the way here
    agreement = (await needs.agreements.current(agreementId)).state;
    claim = claimOn(agreement, asked);
  }
  if (claim === undefined || agreement.status === 'absent' || !hasMethod(agreement)) return undefined;
  const { paymentMethodToken } = agreement.method;
  const instrument =
    usable?.token === paymentMethodToken
      ? usable.instrument
      : await usableInstrument(needs, authorizationFor(agreementId, agreement, request), caller);
  if ('kind' in instrument) return instrument;
  if (instrument.closedAt !== undefined) return closed(needs, agreementId, paymentMethodToken, effect.context);
  if (instrument.status !== 'vaulted') return badInstrument(); // deleted: a claim would use the try up
  const { paymentId, amount, currencyCode } = claim;
  const tried = { paymentId, paymentMethodToken, amount, currencyCode };
  const refusal = await claimNetworkTry(needs, tried, instrument, effect.context);
  return refusal ?? { ready: { try: claim.try, paymentMethodToken }, instrument };
}

/** The agreement was not known to charge the method when that was closed: it is suspended now. */
async function closed(
  { agreements, world }: PaymentNeeds,
  agreementId: string,
  paymentMethodToken: string,
  context: Effect['context'],
): Promise<Rejection> {
  const done = await transact(agreements, agreementId, aside(context, world), closeMethod(paymentMethodToken));
  if (done.kind === 'rejected') return done;
  const { state } = done.folded;
  return state.status === 'absent' ? noSuchAgreement() : wrongAgreementStatus(state, 'charged');
}

const claimOn = (agreement: Agreement, asked: ChargeAsked): AgreementFact<'ChargeClaimed'> | undefined =>
  agreement.status === 'absent' || !hasMethod(agreement) ? undefined : probableTry(agreement, asked).claim;

/** No new try is claimed. */
const NOTHING_READY: NonNullable<ChargeAsked['ready']> = { try: 0, paymentMethodToken: '' };

/** The claim of the period, and its payment; an answer where that was made before, or is refused. */
async function claimAndMake(needs: PaymentNeeds, charging: Charging): Promise<Made | Finished> {
  const { agreementId, request, asked, caller, admitted } = charging;
  const { context } = charging.effect;
  const prepared = await readyTry(needs, charging);
  if (prepared !== undefined && 'kind' in prepared) return refused(prepared);
  const claim = claimCharge({ ...asked, ready: prepared?.ready ?? NOTHING_READY });
  const claimed = await transact(needs.agreements, agreementId, context, claim);
  if (claimed.kind === 'rejected') return refused(claimed);
  const { state: agreement } = claimed.folded;
  const period = agreement.status === 'absent' ? undefined : periodOf(agreement, asked.periodKey);
  if (agreement.status === 'absent' || !hasMethod(agreement) || period === undefined)
    throw new TypeError('a period that was just claimed is not there');
  if (claimed.kind !== 'written') {
    const answer = await paymentOf(needs, agreementId, agreement, period, context);
    if (answer !== undefined) return { answer, result: 'nothing' };
  }
  const { amount, currencyCode } = period;
  const terms = { ...request, amount, currencyCode };
  const authorization = authorizationFor(agreementId, agreement, terms, period.try);
  // a claim that was made just now is of the method that is ready
  const instrument =
    (claimed.kind === 'written' ? prepared?.instrument : undefined) ??
    (await usableInstrument(needs, authorization, caller));
  if ('kind' in instrument) return refused(instrument);
  const effect = { ...charging.effect, resourceId: period.paymentId };
  const created = await create(needs, { asked: authorization, caller, effect, instrument, admitted });
  if (!('answer' in created)) return { effect, created };
  await settleTry(needs, agreementId, period, context);
  return created;
}

/**
 * The answer for a period that was claimed before; undefined if its payment is still to be made: who claimed it died,
 * or is about to make it.
 */
async function paymentOf(
  needs: PaymentNeeds,
  agreementId: string,
  agreement: KnownAgreement,
  period: Period,
  context: Effect['context'],
): Promise<Answer<Payment> | undefined> {
  const { paymentId } = period;
  const folded = await needs.payments.current(paymentId);
  if (folded.state.status === 'absent')
    return agreement.status === 'ACTIVE' ? undefined : wrongAgreementStatus(agreement, 'charged');
  if (period.outcome === undefined) await settleTry(needs, agreementId, period, context);
  if (folded.state.status === 'abandoned')
    return reject('Conflict', 'The payment was abandoned before it was created. Try again.', { retryAfterSeconds: 1 });
  return answerOfPayment(paymentId, folded);
}
