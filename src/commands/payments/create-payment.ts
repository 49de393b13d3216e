// Creates a payment with its authorization requested: claims its session and its token, agrees its terms with the
// session as it was claimed, and routes it.
import { z } from 'zod';
import { claimSession as decideClaim, releaseSession, type ShownAmount } from '../../domain/client-session/decide.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import { allowsInstrument, isMerchantInitiated } from '../../domain/client-session/queries.ts';
import type { ClientSession, OpenSession } from '../../domain/client-session/state.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import { Metadata } from '../../domain/metadata.ts';
import { abandonPayment, createPayment } from '../../domain/payment/create.ts';
import type { PaymentCreation, PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown, isOver } from '../../domain/payment/queries.ts';
import { type PaymentTerms, paymentTerms, vaultingChosen } from '../../domain/payment/terms.ts';
import { claimInstrument, type InstrumentClaim, releaseInstrument } from '../../domain/payment-instrument/decide.ts';
import type { PaymentInstrument, UsableInstrument } from '../../domain/payment-instrument/state.ts';
import { unfit } from '../../domain/payment-method.ts';
import { type Decide, observed, transact } from '../../journal/transact.ts';
import type { Caller } from '../caller.ts';
import { refuseCaptureMode } from '../capture-scope.ts';
import { aside, type Effect, lastEventOf, revisionOf, transactFor } from '../effect.ts';
import { PositiveAmount } from '../fields/amount.ts';
import { CurrencyCode } from '../fields/currency.ts';
import { AuthorizationType, CaptureMode, Customer, Order, PaymentType, ReturnUrl } from '../fields/session-fields.ts';
import { identifier, shortText } from '../fields/text.ts';
import type { Admitting } from '../limits/circuits.ts';
import { attemptTiming, concludePayment, type WrittenPayment } from './attempt.ts';
import { attemptIdOf, type Finished, refused, replayAttempt } from './attempt-answers.ts';
import { claimableToken, claimToken, displaceSessionClaim } from './claims.ts';
import type { PaymentNeeds } from './needs.ts';
import { routePayment } from './route-payment.ts';

/** The members that a session may hold as well, and the payment's own options (contract §4). */
export const PaymentFields = z
  .strictObject({
    orderId: identifier,
    currencyCode: CurrencyCode,
    amount: PositiveAmount,
    order: Order,
    customerId: identifier,
    customer: Customer,
    metadata: Metadata,
    paymentMethod: z
      .strictObject({
        vaultOnSuccess: z.boolean(),
        captureMode: CaptureMode,
        descriptor: shortText,
        paymentType: PaymentType,
        authorizationType: AuthorizationType,
      })
      .partial(),
    returnUrl: ReturnUrl,
  })
  .partial();

export type PaymentFields = z.infer<typeof PaymentFields>;

/** The members that a payment is requested with. */
export interface Authorization {
  readonly paymentMethodToken: string;
  readonly fields: PaymentFields;
  readonly sessionId?: string;
  /** The customer's choice in the checkout; it wins over the session's. */
  readonly vaultOnSuccess?: boolean;
  /** The amount that the pay button of the checkout showed. */
  readonly shown?: ShownAmount;
  /** It is a try to charge a period. */
  readonly agreement?: PaymentCreation['agreement'];
  /** The session's token is too old: said after an idempotent replay. */
  readonly tokenExpired?: boolean;
}

/** A payment on its way to the processor. */
interface Paying {
  readonly asked: Authorization;
  readonly caller: Caller;
  /** `resourceId`: of the payment. */
  readonly effect: Effect;
  readonly instrument: UsableInstrument;
  readonly admitted: Admitting;
}

/** The payment with its authorization requested, both on record now, by this process. */
export interface Created {
  readonly made: WrittenPayment;
  /** The start of the time to send it, by the monotonic clock. */
  readonly startedAt: number;
}

/**
 * Claims the session and the token, and creates the payment: in one append if the store can, otherwise one stream after
 * another.
 */
export async function create(needs: PaymentNeeds, paying: Paying): Promise<Created | Finished> {
  const { effect } = paying;
  const startedTogether = needs.world.monotonic();
  const together = await claimAndCreate(needs, paying, (terms) => creationFor(needs, paying, terms));
  if (together.kind === 'written') return { made: together, startedAt: startedTogether };
  const terms = await claimForPayment(needs, paying);
  if ('answer' in terms) return terms;
  const startedAt = needs.world.monotonic();
  const made = await transactFor(effect, needs.payments, creationFor(needs, paying, terms));
  if (made.kind === 'rejected') return withdrawPayment(needs, paying, made);
  if (made.kind === 'written') return { made, startedAt };
  // Another node has created it, and may have released the claim that this node has just made again.
  const { resourceId: paymentId, context } = effect;
  if (isOver(made.folded.state)) await concludePayment(needs, paymentId, made.folded, context);
  return { answer: await replayAttempt(needs, effect, revisionOf(made)), result: 'appended' };
}

/** At now, not at the request's time: claims may have taken a while, and the time to send it runs from here. */
function creationFor(needs: PaymentNeeds, paying: Paying, terms: PaymentTerms): Decide<Payment, PaymentEvent> {
  const { caller, effect, instrument, admitted } = paying;
  const { accountId } = caller;
  const absent = isAbsent(caller, terms);
  const asked = { paymentId: effect.resourceId, accountId, terms, instrument, isAbsent: absent, admitted };
  const routed = routePayment(needs, asked);
  if ('kind' in routed) return () => routed;
  const { processor, connectionId, processorToken } = routed.token;
  const route = {
    processor,
    connectionId,
    processorToken,
    ...(absent && { offSession: true as const }),
    ...(needs.processors.get(processor)?.prepare !== undefined && { prepares: true as const }),
  };
  const timing = { attemptId: attemptIdOf(effect), ...attemptTiming(needs.world.now(), needs.timings) };
  return createPayment(firstRecord(needs, paying, terms), route, timing, routed.chosen);
}

/** The first record of a payment. */
function firstRecord(
  { storeKey }: PaymentNeeds,
  { asked: { paymentMethodToken, sessionId, shown, agreement }, caller, instrument }: Paying,
  terms: PaymentTerms,
) {
  const { paymentMethodType, paymentMethodData, fingerprint } = instrument;
  const isVaulted = instrument.status === 'vaulted';
  // In the checkout the challenge stands in a frame, and ends at our own page (contract §4).
  const { paymentMethod, returnUrl, ...others } = terms;
  const customerId = terms.customerId ?? (isVaulted ? instrument.vault?.customerId : undefined);
  const emailHash = storeKey.emailHash(terms.customer?.emailAddress);
  return {
    ...others,
    ...(caller.sessionId === undefined && returnUrl !== undefined && { returnUrl }),
    ...(customerId !== undefined && { customerId }),
    ...(emailHash !== undefined && { emailHash }),
    accountId: caller.accountId,
    createdAt: caller.at,
    ...(sessionId !== undefined && { sessionId }),
    ...(shown !== undefined && { shown }),
    ...(agreement !== undefined && { agreement }),
    paymentMethod: {
      ...paymentMethod,
      paymentMethodToken,
      paymentMethodType,
      paymentMethodData,
      fingerprint,
      isVaulted,
    },
  };
}

/** A shopper in the checkout is there, whatever the type of the payment says. */
export const isAbsent = ({ sessionId }: Caller, { paymentMethod }: PaymentTerms): boolean =>
  sessionId === undefined && isMerchantInitiated(paymentMethod.paymentType);

/**
 * The outcome of an append to all three streams: `apart` where nothing was written, and they are to be written one
 * after another.
 */
type Together = WrittenPayment | { readonly kind: 'apart' };

const apart: Together = { kind: 'apart' };

/**
 * The claims and the payment in one append, as this process knows the session and the token. `apart` where the store
 * appends to one stream at a time, where one of the streams refuses or has nothing to record, and where another process
 * was faster: step by step it shows which.
 */
async function claimAndCreate(
  needs: PaymentNeeds,
  paying: Paying,
  creationFor: (terms: PaymentTerms) => Decide<Payment, PaymentEvent>,
): Promise<Together> {
  const { sessionId, paymentMethodToken } = paying.asked;
  const { sessions, instruments, payments } = needs;
  const { context, resourceId: paymentId } = paying.effect;
  if (sessionId === undefined || !payments.appendsToSeveral) return apart;
  const together = async (): Promise<Together> => {
    const [session, token, before] = [
      await sessions.load(sessionId),
      await instruments.load(paymentMethodToken),
      payments.empty,
    ];
    const { claimed, terms } = claimOn(session.state, token.state, needs, paying);
    if (claimed.kind === 'rejected' || claimed.events.length === 0 || terms === undefined) return apart;
    const used = claimInstrument(tokenClaim(needs, paying, terms))(token.state);
    const made = creationFor(terms)(before.state, before.head.revision);
    if (used.kind === 'rejected' || used.events.length === 0 || made.kind === 'rejected') return apart;
    const claim = await sessions.prepare(sessionId, session, claimed.events, context);
    const use = await instruments.prepare(paymentMethodToken, token, used.events, context);
    const creation = await payments.prepare(paymentId, before, made.events, context);
    if ((await payments.appendAll([claim, use, creation])) === 'conflict') return apart;
    const [written] = await Promise.all([creation.written(), claim.written(), use.written()]);
    return { kind: 'written', ...written, before, events: made.events };
  };
  return observed(payments, paymentId, () =>
    sessions.inTurn(sessionId, () => instruments.inTurn(paymentMethodToken, together)),
  );
}

/** The session first, then the token (architecture, "One payment, three streams"). A refusal leaves neither claimed. */
async function claimForPayment(needs: PaymentNeeds, paying: Paying): Promise<PaymentTerms | Finished> {
  const { asked, effect } = paying;
  const { sessionId, paymentMethodToken, fields } = asked;
  const terms =
    sessionId === undefined
      ? fitting(paying.instrument, paymentTerms(fields))
      : await claimSession(needs, paying, sessionId);
  if ('kind' in terms) {
    // An earlier try under the same key, or another node, has got as far as the session; it had another token.
    const isHeld =
      terms.errorId === 'InvalidPaymentInstrumentToken' && (await isHolder(needs, sessionId, effect.resourceId));
    return isHeld ? withdrawPayment(needs, paying, terms) : refused(terms);
  }
  const refusal = await claimToken(needs, paymentMethodToken, tokenClaim(needs, paying, terms), effect.context);
  return refusal === undefined ? terms : withdrawPayment(needs, paying, refusal);
}

/** The terms, if the method of payment can pay them. */
export function fitting(
  { paymentMethodType }: Pick<UsableInstrument, 'paymentMethodType'>,
  terms: PaymentTerms | Rejection,
): PaymentTerms | Rejection {
  if ('kind' in terms) return terms;
  const { captureMode } = terms.paymentMethod;
  const mustKeep = terms.forAgreement !== undefined;
  const violation = unfit(paymentMethodType, { ...terms, captureMode, mustKeep });
  return violation === undefined
    ? terms
    : reject('RequestValidationError', `${paymentMethodType} cannot pay this.`, { violations: [violation] });
}

async function isHolder(needs: PaymentNeeds, sessionId: string | undefined, paymentId: string): Promise<boolean> {
  if (sessionId === undefined) return false;
  const { state } = await needs.sessions.current(sessionId);
  return state.status === 'open' && state.payment?.paymentId === paymentId;
}

const tokenClaim = (
  { timings }: PaymentNeeds,
  { effect, caller: { accountId, at, sessionId } }: Paying,
  { customerId }: PaymentTerms,
): InstrumentClaim => ({
  paymentId: effect.resourceId,
  accountId,
  at,
  abandonAfter: at + timings.abandonAfterMs,
  ...(sessionId !== undefined && { sessionId }),
  ...(customerId !== undefined && { customerId }),
});

/** The session's claim as this session is, with the terms of the payment that follow from it, for a token as it is. */
function claimOn(
  session: ClientSession,
  token: PaymentInstrument,
  needs: PaymentNeeds,
  paying: Paying,
): { readonly claimed: Decision<ClientSessionEvent>; readonly terms?: PaymentTerms } {
  const { asked, caller, effect } = paying;
  const { fields, vaultOnSuccess, shown } = asked;
  const { at } = effect.context;
  const abandonAfter = at + needs.timings.abandonAfterMs;
  const wanted = { paymentId: effect.resourceId, at, abandonAfter, ...(shown !== undefined && { shown }) };
  const claimed = decideClaim(wanted)(session);
  if (claimed.kind === 'rejected' || session.status === 'absent') return { claimed };
  const chosen = vaultOnSuccess === undefined ? session.fields : vaultingChosen(session.fields, vaultOnSuccess);
  const agreed = 'kind' in chosen ? chosen : forAgreement(session, paymentTerms(fields, chosen));
  const terms = token.status === 'absent' ? agreed : fitting(token, agreed);
  if ('kind' in terms) return { claimed: terms };
  if (token.status !== 'absent' && !allowsInstrument(session.fields, token)) return { claimed: badInstrument() };
  // The session may have become automatic since its scope was looked at.
  const outOfScope = refuseCaptureMode(terms.paymentMethod, caller);
  if (outOfScope !== undefined) return { claimed: outOfScope };
  // A token that cannot pay is refused without a trace in the session.
  const usable = claimInstrument(tokenClaim(needs, paying, terms))(token);
  return usable.kind === 'rejected' ? { claimed: usable } : { claimed, terms };
}

function forAgreement({ fields, agreed }: OpenSession, terms: PaymentTerms | Rejection): PaymentTerms | Rejection {
  const agreementId = agreed?.agreementId ?? fields.agreementId;
  return 'kind' in terms || agreementId === undefined ? terms : { ...terms, forAgreement: agreementId };
}

/** The session's claim and the terms of the payment at the revision of the claim. */
async function claimSession(needs: PaymentNeeds, paying: Paying, sessionId: string): Promise<PaymentTerms | Rejection> {
  const { paymentMethodToken } = paying.asked;
  const { context } = paying.effect;
  let token = (await needs.instruments.load(paymentMethodToken)).state;
  let agreed: PaymentTerms | undefined;
  const claim = () =>
    transact(needs.sessions, sessionId, context, (session) => {
      const { claimed, terms } = claimOn(session, token, needs, paying);
      agreed = terms;
      return claimed;
    });
  let claimed = await claim();
  if (
    claimed.kind === 'rejected' &&
    claimed.errorId === 'ClientSessionCompleted' &&
    (await displaceSessionClaim(needs, sessionId, context))
  ) {
    claimed = await claim();
  }
  if (claimed.kind === 'rejected' && claimed.errorId === 'InvalidPaymentInstrumentToken') {
    token = await claimableToken(needs, paymentMethodToken);
    claimed = await claim();
  }
  if (claimed.kind === 'rejected') return claimed;
  return agreed ?? noSession();
}

const noSession = (): Rejection => reject('ClientSessionValidationError', 'The session does not exist.');

/**
 * The first events of a payment by its session and its token as they are, or why it is refused: by the decisions of
 * `create`, in their order. Appends nothing.
 */
export function decideCreation(
  needs: PaymentNeeds,
  paying: Paying,
  { session, token }: { readonly session: ClientSession | undefined; readonly token: PaymentInstrument },
): Decision<PaymentEvent> {
  const agreed =
    session === undefined
      ? fitting(paying.instrument, paymentTerms(paying.asked.fields))
      : termsOf(claimOn(session, token, needs, paying));
  if ('kind' in agreed) return agreed;
  const used = claimInstrument(tokenClaim(needs, paying, agreed))(token);
  if (used.kind === 'rejected') return used;
  const { state, head } = needs.payments.empty;
  return creationFor(needs, paying, agreed)(state, head.revision);
}

const termsOf = ({ claimed, terms }: ReturnType<typeof claimOn>): PaymentTerms | Rejection =>
  claimed.kind === 'rejected' ? claimed : (terms ?? noSession());

export const badInstrument = (): Rejection =>
  reject(
    'InvalidPaymentInstrumentToken',
    'The payment method token is not usable: unknown, used, expired, closed, deleted, or of another account.',
  );

/**
 * Answers `refusal`, with the session and the token free again. Under an idempotency key another node may be making the
 * very payment at this moment: it is fenced off first, or, when it exists already, answered. A session whose claim were
 * given without that could be paid twice.
 */
async function withdrawPayment(
  needs: PaymentNeeds,
  { asked: { sessionId, paymentMethodToken }, effect }: Paying,
  refusal: Rejection,
): Promise<Finished> {
  const { context, resourceId: paymentId, how } = effect;
  const isNew = how.start === 'empty';
  if (!isNew) {
    const fenced = await transact(
      needs.payments,
      paymentId,
      aside(context, needs.world),
      abandonPayment(context.accountId),
      { isFact: true },
    );
    if (fenced.kind === 'rejected') return refused(fenced);
    const { state, head } = fenced.folded;
    if (isKnown(state)) {
      const revision = (await lastEventOf(needs.payments, paymentId, -1, context.operationId)) ?? head.revision;
      return { answer: await replayAttempt(needs, effect, revision), result: 'appended' };
    }
  }
  if (sessionId !== undefined) await transact(needs.sessions, sessionId, context, releaseSession(paymentId));
  await transact(needs.instruments, paymentMethodToken, context, releaseInstrument(paymentId));
  return { answer: refusal, result: isNew ? 'nothing' : 'abandoned' };
}
