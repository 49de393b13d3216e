// Agreements as a subject: made from a payment of the customer, paused, resumed, cancelled, and charged by another
// method (contract §14). The charges are in charge-agreement.ts.
import { z } from 'zod';
import {
  cancelAgreement as decideCancel,
  pauseAgreement as decidePause,
  replaceInstrument as decideReplace,
  resumeAgreement as decideResume,
  makeAgreement,
  noSuchAgreement,
} from '../../domain/agreement/decide.ts';
import {
  type AgreementEvent,
  AmountRule,
  type ChargedMethod,
  ConsentChannel,
  Frequency,
  RetryPolicy,
} from '../../domain/agreement/events.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import { AgreementKind } from '../../domain/agreement-kind.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import { Metadata } from '../../domain/metadata.ts';
import { inProgress } from '../../domain/payment/decline-reason.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { networkNames } from '../../domain/payment/outcome.ts';
import { isFinal, type KnownPayment, type Payment } from '../../domain/payment/payment.ts';
import { isKnown, placeOf, wantsVaulting } from '../../domain/payment/queries.ts';
import { isMerchantInitiated } from '../../domain/payment/terms.ts';
import type { PaymentInstrumentEvent } from '../../domain/payment-instrument/events.ts';
import type { PaymentInstrument } from '../../domain/payment-instrument/state.ts';
import type { Streams } from '../../journal/streams.ts';
import { type Bound, bind } from '../bind.ts';
import type { Answer, Caller } from '../caller.ts';
import { PositiveAmount } from '../fields/amount.ts';
import { CurrencyCode } from '../fields/currency.ts';
import { moment } from '../fields/moment.ts';
import { identifier, shortText } from '../fields/text.ts';
import { answerOf, changeOnce, type Idempotency } from '../idempotency.ts';

const MOST_PERIODS = 10_000;
const MOST_INTERVAL = 365;
/** More tries in a month no network allows. */
const MOST_RETRIES = 20;
const MOST_RETRY_DAYS = 30;

const Terms = z
  .strictObject({
    amountRule: AmountRule,
    amount: PositiveAmount.optional(),
    currencyCode: CurrencyCode,
    frequency: Frequency.optional(),
    interval: z.int().min(1).max(MOST_INTERVAL).optional(),
    count: z.int().min(1).max(MOST_PERIODS).optional(),
    startsAt: moment().optional(),
    endsAt: moment().optional(),
    description: identifier,
  })
  .refine(({ amountRule, amount }) => (amountRule === 'VARIABLE') === (amount === undefined), {
    error: 'Required with EXACT and MAXIMUM, and not allowed with VARIABLE.',
    path: ['amount'],
  })
  .refine(({ frequency, interval }) => frequency !== undefined || interval === undefined, {
    error: 'Must not be set without a frequency.',
    path: ['interval'],
  })
  .refine(({ startsAt, endsAt }) => endsAt === undefined || startsAt === undefined || endsAt > startsAt, {
    error: 'Must be later than startsAt.',
    path: ['endsAt'],
  });

const Consent = z.strictObject({
  acceptedAt: moment(),
  channel: ConsentChannel,
  textDigest: z.string().regex(/^[0-9a-f]{64}$/, { error: 'Must be a SHA-256 in lower-case hex.' }),
  textUrl: shortText.optional(),
  ipAddress: shortText.optional(),
  userAgent: shortText.optional(),
});

const Retry = z
  .strictObject({
    policy: RetryPolicy,
    days: z.array(z.int().min(1).max(MOST_RETRY_DAYS)).min(1).max(MOST_RETRIES).optional(),
  })
  .refine(({ policy, days }) => (policy === 'DAYS') === (days !== undefined), {
    error: 'Required with DAYS, and not allowed otherwise.',
    path: ['days'],
  });

export const CreateAgreement = z
  .strictObject({
    paymentId: identifier,
    kind: AgreementKind,
    terms: Terms,
    consent: Consent,
    retry: Retry.optional(),
    metadata: Metadata.optional(),
  })
  .refine(({ kind, terms }) => (kind === 'UNSCHEDULED') !== (terms.frequency !== undefined), {
    error: 'Required with RECURRING and INSTALLMENT, and not allowed with UNSCHEDULED.',
    path: ['terms', 'frequency'],
  })
  .refine(({ kind, terms }) => kind !== 'INSTALLMENT' || terms.count !== undefined, {
    error: 'Required with INSTALLMENT.',
    path: ['terms', 'count'],
  })
  .meta({ id: 'CreateAgreement' });

export const CancelAgreement = z.strictObject({ reason: shortText.optional() }).meta({ id: 'CancelAgreement' });
export const ReplaceAgreementInstrument = z
  .strictObject({ paymentId: identifier })
  .meta({ id: 'ReplaceAgreementInstrument' });

interface AgreementNeeds {
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly instruments: Streams<PaymentInstrument, PaymentInstrumentEvent>;
  readonly idempotency: Idempotency;
}

/** Rejections: NotFound, those of methodOf, RequestValidationError, those of an idempotency key. */
async function createAgreement(
  needs: AgreementNeeds,
  { paymentId, terms, consent, ...others }: z.output<typeof CreateAgreement>,
  caller: Caller,
): Promise<Answer<Agreement>> {
  const { accountId, at } = caller;
  const found = await methodOf(needs, paymentId, caller);
  if ('kind' in found) return found;
  if (consent.acceptedAt > at) return notYet('$.consent.acceptedAt');
  const { startsAt = at } = terms;
  if (terms.endsAt !== undefined && terms.endsAt <= Math.max(startsAt, at)) return over('$.terms.endsAt');
  const { method, customerId } = found;
  const proposed = { accountId, customerId, ...others, terms: { ...terms, startsAt }, consent, createdAt: at };
  using operation = await needs.idempotency.open(caller, 'create-agreement');
  const target = { streams: needs.agreements, resource: { prefix: 'agr' } };
  return answerOf(await changeOnce(operation, target, () => makeAgreement(proposed, method)));
}

const invalid = (path: string, description: string): Rejection =>
  reject('RequestValidationError', 'The request is not valid.', { violations: [{ path, description }] });
const notYet = (path: string): Rejection => invalid(path, 'Must not be in the future.');
const over = (path: string): Rejection => invalid(path, 'Must be later than now, and than startsAt.');

const pauseAgreement = (needs: AgreementNeeds, id: string, caller: Caller): Promise<Answer<Agreement>> =>
  change(needs, 'pause-agreement', id, caller, decidePause);

const resumeAgreement = (needs: AgreementNeeds, id: string, caller: Caller): Promise<Answer<Agreement>> =>
  change(needs, 'resume-agreement', id, caller, decideResume);

/** A try that has begun is not stopped: the answer names its payment. */
const cancelAgreement = (
  needs: AgreementNeeds,
  id: string,
  { reason }: z.output<typeof CancelAgreement>,
  caller: Caller,
): Promise<Answer<Agreement>> => change(needs, 'cancel-agreement', id, caller, decideCancel(reason));

async function replaceAgreementInstrument(
  needs: AgreementNeeds,
  id: string,
  { paymentId }: z.output<typeof ReplaceAgreementInstrument>,
  caller: Caller,
): Promise<Answer<Agreement>> {
  const { state } = await needs.agreements.load(id);
  if (state.status === 'absent' || state.accountId !== caller.accountId) return noSuchAgreement();
  const found = await methodOf(needs, paymentId, caller);
  if ('kind' in found) return found;
  if (found.customerId !== state.customerId) return unusable('It is a payment of another customer.', paymentId);
  return change(needs, 'replace-agreement-instrument', id, caller, decideReplace(found.method));
}

async function change(
  { agreements, idempotency }: AgreementNeeds,
  name: string,
  id: string,
  caller: Caller,
  decide: (agreement: Agreement) => Decision<AgreementEvent>,
): Promise<Answer<Agreement>> {
  const { state } = await agreements.load(id);
  if (state.status === 'absent' || state.accountId !== caller.accountId) return noSuchAgreement();
  using operation = await idempotency.open(caller, name);
  return answerOf(await changeOnce(operation, { streams: agreements, resource: { id } }, () => decide));
}

const unusable = (description: string, paymentId: string): Rejection =>
  reject('InitialPaymentNotUsable', `The payment cannot begin an agreement. ${description}`, { paymentId });

interface FoundMethod {
  readonly customerId: string;
  readonly method: ChargedMethod;
}

/**
 * What an agreement charges, by the payment that its customer made with it. Rejects with NotFound,
 * PaymentOperationInProgress and InitialPaymentNotUsable.
 */
async function methodOf(
  { payments, instruments }: AgreementNeeds,
  paymentId: string,
  { accountId, at }: Caller,
): Promise<FoundMethod | Rejection> {
  const { state: payment } = await payments.current(paymentId);
  if (!isKnown(payment) || payment.accountId !== accountId) return reject('NotFound', 'There is no such payment.');
  if (isFinal(payment.status)) return unusable(`It is ${payment.status}.`, paymentId);
  if (payment.status === 'PENDING' || isBeingSaved(payment)) return undecided(payment, paymentId, at);
  if (isMerchantInitiated(payment.paymentMethod.paymentType))
    return unusable('The customer was not present.', paymentId);
  const { isVaulted, paymentMethodToken } = payment.paymentMethod;
  const token = isVaulted ? paymentMethodToken : payment.vaulting?.paymentMethodToken;
  const instrument = token === undefined ? undefined : (await instruments.current(token)).state;
  if (token === undefined || instrument?.status !== 'vaulted')
    return unusable('Its payment method is not saved.', paymentId);
  const customerId = payment.customerId ?? instrument.vault?.customerId;
  if (customerId === undefined) return unusable('It has no customer.', paymentId);
  return {
    customerId,
    method: {
      paymentMethodToken: token,
      initialPaymentId: paymentId,
      ...placeOf(payment, payment),
      ...networkNames(payment),
    },
  };
}

const isBeingSaved = (payment: Payment): boolean => wantsVaulting(payment);

const undecided = (payment: KnownPayment, paymentId: string, at: number): Rejection =>
  inProgress(payment, paymentId, at) ??
  reject('PaymentOperationInProgress', 'The payment method of the payment is not saved yet.', {
    paymentId,
    paymentStatus: payment.status,
    retryAfterSeconds: 1,
  });

const COMMANDS = { createAgreement, pauseAgreement, resumeAgreement, cancelAgreement, replaceAgreementInstrument };

export type Agreements = Bound<typeof COMMANDS>;
export const makeAgreements = (needs: AgreementNeeds): Agreements => bind(needs, COMMANDS);
