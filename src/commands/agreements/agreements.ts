// Agreements as a subject: made from a payment of the customer, changed, paused, resumed, cancelled, and charged by
// another method (contract §14). The charges are in charge-agreement.ts.
import { z } from 'zod';
import { changeAgreement as decideChange, recordNotice as decideNotice } from '../../domain/agreement/change.ts';
import {
  cancelAgreement as decideCancel,
  pauseAgreement as decidePause,
  replaceInstrument as decideReplace,
  resumeAgreement as decideResume,
  makeAgreement,
  noSuchAgreement,
  proposeAgreement,
} from '../../domain/agreement/decide.ts';
import {
  type AgreementEvent,
  type ChargedMethod,
  ConsentChannel,
  NoticeChannel,
  NoticeKind,
} from '../../domain/agreement/events.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import { ENDS_TOO_SOON, endsTooSoon } from '../../domain/agreement/terms.ts';
import { AgreementKind } from '../../domain/agreement-kind.ts';
import { ConsentLanguage } from '../../domain/agreement-terms.ts';
import { agreeInSession, termsChanged } from '../../domain/client-session/decide.ts';
import type { ClientSessionEvent, SessionAgreed } from '../../domain/client-session/events.ts';
import { isMerchantInitiated } from '../../domain/client-session/queries.ts';
import { type ClientSession, isExpired, type OpenSession } from '../../domain/client-session/state.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import { Metadata } from '../../domain/metadata.ts';
import { inProgress } from '../../domain/payment/decline-reason.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { isFinal, type KnownPayment, type Payment } from '../../domain/payment/payment.ts';
import { isKnown, wantsVaulting } from '../../domain/payment/queries.ts';
import type { PaymentInstrumentEvent } from '../../domain/payment-instrument/events.ts';
import { isChargeable, type PaymentInstrument } from '../../domain/payment-instrument/state.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import type { StoreKey } from '../../secrets.ts';
import { type Bound, bind } from '../bind.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { leftBy, transactFor } from '../effect.ts';
import { AgreementTerms, fitKind, RetryOfAgreement } from '../fields/agreement-fields.ts';
import { PositiveAmount } from '../fields/amount.ts';
import { moment } from '../fields/moment.ts';
import { identifier, shortText } from '../fields/text.ts';
import { answerOf, changeOnce, type Idempotency, replayed } from '../idempotency.ts';
import { chargedMethod } from '../payments/settle-charge.ts';
import { proposedBy, refuseProposal, termsOf } from '../sessions/agreed.ts';
import { badToken } from '../sessions/client-tokens.ts';
import { consentText } from './consent-text.ts';

const Digest = z.string().regex(/^[0-9a-f]{64}$/, { error: 'Must be a SHA-256 in lower-case hex.' });

const Consent = z.strictObject({
  acceptedAt: moment(),
  channel: ConsentChannel,
  textDigest: Digest,
  textUrl: shortText.optional(),
  ipAddress: shortText.optional(),
  userAgent: shortText.optional(),
});

export const CreateAgreement = fitKind(
  z.strictObject({
    paymentId: identifier,
    kind: AgreementKind,
    terms: AgreementTerms,
    consent: Consent,
    retry: RetryOfAgreement.optional(),
    metadata: Metadata.optional(),
  }),
).meta({ id: 'CreateAgreement' });

/** The text that the customer has agreed to, by the language in which it was shown. */
export const AgreeInCheckout = z
  .strictObject({ language: ConsentLanguage, textDigest: Digest })
  .meta({ id: 'AgreeInCheckout' });

export const PatchAgreement = z
  .strictObject({
    terms: AgreementTerms.optional(),
    noticeGivenAt: moment().optional(),
    consent: Consent.optional(),
    retry: RetryOfAgreement.nullable().optional(),
    metadata: Metadata.nullable().optional(),
  })
  .refine(({ terms, noticeGivenAt, consent }) => terms !== undefined || (noticeGivenAt ?? consent) === undefined, {
    error: 'Required with noticeGivenAt and consent.',
    path: ['terms'],
  })
  .meta({ id: 'PatchAgreement' });

export const AgreementNotice = z
  .strictObject({
    kind: NoticeKind,
    sentAt: moment(),
    channel: NoticeChannel,
    dueOn: z.iso.date().optional(),
    amount: PositiveAmount.optional(),
  })
  .refine(({ kind, dueOn }) => (kind === 'PRE_NOTIFICATION') === (dueOn !== undefined), {
    error: 'Required with PRE_NOTIFICATION, and not allowed with TERMS.',
    path: ['dueOn'],
  })
  .refine(({ kind, amount }) => kind === 'PRE_NOTIFICATION' || amount === undefined, {
    error: 'Not allowed with TERMS.',
    path: ['amount'],
  })
  .meta({ id: 'AgreementNotice' });

export const CancelAgreement = z.strictObject({ reason: shortText.optional() }).meta({ id: 'CancelAgreement' });
export const ReplaceAgreementInstrument = z
  .strictObject({ paymentId: identifier })
  .meta({ id: 'ReplaceAgreementInstrument' });

interface AgreementNeeds {
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly instruments: Streams<PaymentInstrument, PaymentInstrumentEvent>;
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly idempotency: Idempotency;
  readonly storeKey: Pick<StoreKey, 'name'>;
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
  if (endsTooSoon({ ...terms, startsAt }, at)) return invalid('$.terms.endsAt', ENDS_TOO_SOON);
  const { method, customerId } = found;
  const proposed = { accountId, customerId, ...others, terms: { ...terms, startsAt }, consent, createdAt: at };
  using operation = await needs.idempotency.open(caller, 'create-agreement');
  const target = { streams: needs.agreements, resource: { prefix: 'agr' } };
  return answerOf(await changeOnce(operation, target, () => makeAgreement(proposed, method)));
}

/** Where the customer agreed, and with what. */
interface AgreedWith {
  readonly shopName: string | undefined;
  readonly userAgent: string | undefined;
}

/**
 * POST /checkout/agreement: the customer agrees to what the session's checkout has shown. The session first, whose
 * terms no longer change from then on; then the agreement, PENDING until the session is paid, which follows from the
 * session after a crash in between. Rejections: those of an idempotency key, of agreeInSession and refuseProposal, and
 * Conflict for a text that is no longer the session's.
 */
async function agreeInCheckout(
  needs: AgreementNeeds,
  asked: z.output<typeof AgreeInCheckout>,
  agreedWith: AgreedWith,
  caller: Caller,
): Promise<Answer<Agreement>> {
  const { sessionId, at } = caller;
  if (sessionId === undefined) return badToken();
  const { sessions, agreements } = needs;
  const agreementId = `agr_${needs.storeKey.name('session-agreement', sessionId)}`;
  using operation = await needs.idempotency.open(caller, 'agree-in-checkout');
  const begun = await operation.begin({ streams: agreements, resource: { id: agreementId } });
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated')
    return replayed(completed(agreementId, await agreements.at(agreementId, begun.revision)));
  const { state: session } = await sessions.current(sessionId);
  if (session.status === 'absent' || isExpired(session, at)) return operation.end(begun, badToken(), 'nothing');
  const agreed = session.agreed ?? consentOf(session, agreementId, asked, agreedWith, caller);
  if ('kind' in agreed) return operation.end(begun, agreed, 'nothing');
  const decided = agreeInSession({ agreed, shown: session.fields });
  const recorded = await transact(sessions, sessionId, begun.context, decided);
  if (recorded.kind === 'rejected') return operation.end(begun, recorded, 'nothing');
  const { state: after } = recorded.folded;
  const proposed = after.status === 'absent' ? undefined : proposedBy(sessionId, after);
  if (proposed === undefined) return operation.end(begun, noProposal(), 'nothing');
  const made = await transactFor(begun, agreements, proposeAgreement(proposed));
  if (made.kind === 'rejected') return operation.end(begun, made, 'nothing');
  const answer = completed(agreementId, await leftBy(agreements, agreementId, made));
  return operation.end(begun, answer, made.kind === 'unchanged' ? 'nothing' : 'appended');
}

/** What goes on record of a consent to the session's agreement as it is now, or why it cannot be given. */
function consentOf(
  { fields: { agreement, customerId } }: OpenSession,
  agreementId: string,
  { language, textDigest }: z.output<typeof AgreeInCheckout>,
  { shopName, userAgent }: AgreedWith,
  { at, address }: Caller,
): SessionAgreed | Rejection {
  if (agreement === undefined || customerId === undefined) return noProposal();
  const shown = consentText({ terms: termsOf(agreement), shopName }, language);
  if (shown.textDigest !== textDigest) return termsChanged();
  return (
    refuseProposal(agreement, at) ?? {
      agreementId,
      agreedAt: at,
      language,
      shownText: shown.text,
      textDigest,
      ...(address !== '' && { ipAddress: address }),
      ...(userAgent !== undefined && { userAgent }),
    }
  );
}

const noProposal = (): Rejection =>
  reject('ClientSessionValidationError', 'The client session has no agreement that its customer could agree to.');

const invalid = (path: string, description: string): Rejection =>
  reject('RequestValidationError', 'The request is not valid.', { violations: [{ path, description }] });
const notYet = (path: string): Rejection => invalid(path, 'Must not be in the future.');

/**
 * PATCH /agreements/{id}; `ifMatch`: true for a revision that the agreement may have. Rejections: those of
 * changeAgreement, those of an idempotency key.
 */
const changeAgreement = (
  needs: AgreementNeeds,
  id: string,
  patch: z.output<typeof PatchAgreement>,
  caller: Caller,
  ifMatch?: (revision: number) => boolean,
): Promise<Answer<Agreement>> =>
  change(needs, 'change-agreement', id, caller, decideChange(patch, { at: caller.at, ifMatch }));

async function recordNotice(
  needs: AgreementNeeds,
  id: string,
  notice: z.output<typeof AgreementNotice>,
  caller: Caller,
): Promise<Answer<Agreement>> {
  if (notice.sentAt > caller.at) return notYet('$.sentAt');
  return change(needs, 'record-agreement-notice', id, caller, decideNotice(notice));
}

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
  decide: (agreement: Agreement, revision: number) => Decision<AgreementEvent>,
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
  const method = chargedMethod(paymentId, payment);
  const instrument = method === undefined ? undefined : (await instruments.current(method.paymentMethodToken)).state;
  if (method === undefined || instrument?.status !== 'vaulted')
    return unusable('Its payment method is not saved.', paymentId);
  if (!isChargeable(instrument)) return unusable('Its payment method was closed.', paymentId);
  const customerId = payment.customerId ?? instrument.vault?.customerId;
  if (customerId === undefined) return unusable('It has no customer.', paymentId);
  return { customerId, method };
}

const isBeingSaved = (payment: Payment): boolean => wantsVaulting(payment);

const undecided = (payment: KnownPayment, paymentId: string, at: number): Rejection =>
  inProgress(payment, paymentId, at) ??
  reject('PaymentOperationInProgress', 'The payment method of the payment is not saved yet.', {
    paymentId,
    paymentStatus: payment.status,
    retryAfterSeconds: 1,
  });

const COMMANDS = {
  createAgreement,
  agreeInCheckout,
  changeAgreement,
  recordNotice,
  pauseAgreement,
  resumeAgreement,
  cancelAgreement,
  replaceAgreementInstrument,
};

export type Agreements = Bound<typeof COMMANDS>;
export const makeAgreements = (needs: AgreementNeeds): Agreements => bind(needs, COMMANDS);
