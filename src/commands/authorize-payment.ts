// POST /payments and POST /checkout/payments: the session is claimed, then the token, then the payment is made and authorized.
import { z } from 'zod';
import { startPayment } from '../domain/client-session/decide.ts';
import { instrumentOf } from '../domain/customer-wallet/state.ts';
import { type Decision, type Rejection, reject } from '../domain/decider.ts';
import { createPayment } from '../domain/payment/decide.ts';
import { isOver, type Payment } from '../domain/payment/state.ts';
import { PaymentFields, type PaymentTerms, paymentTerms } from '../domain/payment/terms.ts';
import { type Claim, claimInstrument } from '../domain/payment-instrument/decide.ts';
import type { UsableInstrument } from '../domain/payment-instrument/state.ts';
import { identifier } from '../domain/text.ts';
import { transact } from '../journal/transact.ts';
import { answerAttempt, attemptIdOf, replayAttempt } from './attempts/attempt-answers.ts';
import { attemptTiming, pursueAttempts } from './attempts/pursue-attempts.ts';
import type { Answer, Caller } from './caller.ts';
import { badInstrument, claimableToken, claimToken, displaceSessionClaim } from './claims.ts';
import { concludePayment } from './conclude-payment.ts';
import type { House } from './house.ts';
import { type Operation, revisionOf, transactFor, type Worked } from './operation.ts';
import { allowsNetwork, badToken, hasExpired, ownClaims } from './sessions.ts';
import { withdrawPayment } from './withdraw-payment.ts';

export const AuthorizePayment = PaymentFields.extend({
  paymentMethodToken: identifier,
  clientToken: z.string().min(1).max(2_048).optional(),
}).meta({ id: 'AuthorizePayment' });

export const AuthorizeCheckoutPayment = z.strictObject({ paymentMethodToken: identifier }).meta({ id: 'AuthorizeCheckoutPayment' });

interface Authorization {
  readonly paymentMethodToken: string;
  readonly fields: PaymentFields;
  readonly sessionId?: string;
  /** The session's token is too old: said after an idempotent replay. */
  readonly tokenExpired?: boolean;
}

export const authorizePayment =
  (house: House) =>
  async ({ paymentMethodToken, clientToken, ...fields }: z.output<typeof AuthorizePayment>, caller: Caller): Promise<Answer<Payment>> => {
    if (clientToken === undefined) return authorize(house, { paymentMethodToken, fields }, caller);
    const claims = ownClaims(house, clientToken, caller.accountId);
    if ('kind' in claims) return claims;
    const { sessionId } = claims;
    return authorize(house, { paymentMethodToken, fields, sessionId, tokenExpired: hasExpired(claims, caller.at) }, caller);
  };

export const authorizeCheckoutPayment =
  (house: House) =>
  async ({ paymentMethodToken }: z.output<typeof AuthorizeCheckoutPayment>, caller: Caller): Promise<Answer<Payment>> =>
    caller.sessionId === undefined
      ? reject('NotFound', 'No such session.')
      : authorize(house, { paymentMethodToken, fields: {}, sessionId: caller.sessionId }, caller);

async function authorize(house: House, asked: Authorization, caller: Caller): Promise<Answer<Payment>> {
  const refusal = await refuseScope(house, asked, caller);
  return (
    refusal ??
    house.operations.once(caller, {
      name: 'authorize-payment',
      target: house.payments,
      resource: { prefix: 'pay' },
      admit: () => admit(house, asked, caller),
      work: (operation) => startAuthorization(house, asked, caller, operation),
      replay: (operation, revision) => replayAttempt(house, operation, revision),
    })
  );
}

/** What no earlier call under the same key can have passed, or is a matter of limits (contract §1: 429 comes before a replay), or of an open circuit. */
async function admit(
  house: House,
  { paymentMethodToken, sessionId, tokenExpired }: Authorization,
  { accountId }: Caller,
): Promise<Rejection | undefined> {
  if (tokenExpired) return undefined;
  const { state } = await house.instruments.load(paymentMethodToken);
  if (state.status === 'absent' || state.accountId !== accountId) return badInstrument();
  const limited = sessionId === undefined ? undefined : await house.cardTesting.refusal({ sessionId, fingerprint: state.fingerprint });
  return limited ?? house.circuits.refusal(state.processor);
}

/** Automatic capture needs transactions:capture as well (contract §2); checkout callers have what their session was given. */
async function refuseScope(house: House, { fields, sessionId }: Authorization, caller: Caller): Promise<Rejection | undefined> {
  if (mayCapture(caller)) return undefined;
  const session = sessionId === undefined ? undefined : (await house.sessions.current(sessionId)).state;
  const ofSession = session === undefined || session.status === 'absent' ? undefined : session.fields.paymentMethod;
  const { captureMode } = fields.paymentMethod ?? ofSession ?? {};
  return captureMode === 'AUTOMATIC' ? noCaptureScope() : undefined;
}

const mayCapture = ({ sessionId, scopes }: Caller): boolean => sessionId !== undefined || scopes.has('transactions:capture');
const noCaptureScope = (): Rejection => reject('InsufficientScope', 'captureMode AUTOMATIC needs the scope transactions:capture.');

async function startAuthorization(
  house: House,
  asked: Authorization,
  caller: Caller,
  operation: Operation,
): Promise<Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = operation;
  const refused = (answer: Rejection): Worked<Answer<Payment>> => ({ answer, appended: false });
  if (asked.tokenExpired) return refused(badToken());
  const instrument = await usableInstrument(house, asked.paymentMethodToken, caller);
  if ('kind' in instrument) return refused(instrument);
  const { sessionId } = asked;
  const limited =
    sessionId === undefined ? undefined : await house.cardTesting.reserve(paymentId, { sessionId, fingerprint: instrument.fingerprint });
  if (limited !== undefined) {
    house.circuits.untried(instrument.processor);
    return refused(limited);
  }

  let created: Created | Worked<Answer<Payment>> | undefined;
  try {
    created = await claimAndCreate(house, asked, instrument, caller, operation);
  } finally {
    // What was requested here is settled, and counted, sooner or later; anything else was no attempt of this node.
    if (created === undefined || 'answer' in created) {
      house.cardTesting.giveBack(paymentId);
      house.circuits.untried(instrument.processor);
    }
  }
  if ('answer' in created) return created;
  const pursued = await pursueAttempts(house, paymentId, created.made, context, created.startedAt);
  const concluded = await concludePayment(house, paymentId, pursued, context);
  return { answer: answerAttempt(paymentId, concluded, attemptIdOf(operation)), appended: true };
}

/** The payment with its authorization requested, both on record now, by this process. */
interface Created {
  readonly made: Parameters<typeof pursueAttempts>[2];
  /** Of the time to send it, by the monotonic clock. */
  readonly startedAt: number;
}

async function claimAndCreate(
  house: House,
  asked: Authorization,
  instrument: UsableInstrument,
  caller: Caller,
  operation: Operation,
): Promise<Created | Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = operation;
  const refused = (answer: Rejection): Worked<Answer<Payment>> => ({ answer, appended: false });
  const terms =
    asked.sessionId === undefined
      ? paymentTerms(asked.fields)
      : await claimSession(house, { ...asked, sessionId: asked.sessionId }, caller, operation);
  if ('kind' in terms) {
    // An earlier try under the same key, or another node, has got as far as the session; what it found was another token.
    const isHeld = terms.errorId === 'InvalidPaymentInstrumentToken' && (await isHolder(house, asked.sessionId, paymentId));
    return isHeld ? withdrawPayment(house, asked, terms, operation) : refused(terms);
  }
  const refusal = await claimToken(house, asked.paymentMethodToken, tokenClaim(terms, caller, paymentId), context);
  if (refusal !== undefined) return withdrawPayment(house, asked, refusal, operation);
  return create(house, asked, terms, instrument, caller, operation);
}

async function isHolder(house: House, sessionId: string | undefined, paymentId: string): Promise<boolean> {
  if (sessionId === undefined) return false;
  const { state } = await house.sessions.current(sessionId);
  return state.status === 'open' && state.payment?.paymentId === paymentId;
}

async function create(
  house: House,
  asked: Authorization,
  { paymentMethod, ...terms }: PaymentTerms,
  instrument: UsableInstrument,
  caller: Caller,
  operation: Operation,
): Promise<Created | Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = operation;
  const { paymentMethodToken, sessionId } = asked;
  const startedAt = house.world.monotonic();
  const attemptId = attemptIdOf(operation);
  const { paymentMethodType, paymentMethodData, fingerprint } = instrument;
  const creation = {
    ...terms,
    accountId: caller.accountId,
    createdAt: caller.at,
    processor: instrument.processor,
    processorToken: instrument.processorToken,
    ...(sessionId !== undefined && { sessionId }),
    paymentMethod: {
      ...paymentMethod,
      paymentMethodToken,
      paymentMethodType,
      paymentMethodData,
      fingerprint,
      isVaulted: instrument.status === 'vaulted',
    },
  };
  // At now, not at the request's time: claims may have taken a while, and the time to send it runs from here.
  const timing = attemptTiming(house.world.now(), house.timings);
  const made = await transactFor(operation, house.payments, createPayment(creation, { attemptId, ...timing }));
  if (made.kind === 'rejected') return withdrawPayment(house, asked, made, operation);
  if (made.kind !== 'written') {
    // Another node has made it, and may have given back already what this one has just claimed once more.
    if (isOver(made.folded.state)) await concludePayment(house, paymentId, made.folded, context);
    return { answer: await replayAttempt(house, operation, revisionOf(made)), appended: true };
  }
  return { made, startedAt };
}

/** The instrument; a vaulted one with what its wallet knows better: a newer expiry comes with another token at the processor. */
async function usableInstrument(house: House, token: string, caller: Caller): Promise<UsableInstrument | Rejection> {
  const { state } = await house.instruments.load(token);
  if (state.status === 'absent' || state.accountId !== caller.accountId || !house.processors.has(state.processor)) return badInstrument();
  if (state.status !== 'vaulted' || state.vault === undefined) return state;
  // Read now: what another node vaulted since is what the customer's card is.
  const inWallet = instrumentOf((await house.wallets.current(state.vault.walletId)).state, token);
  if (inWallet === undefined) return state;
  const { processorToken, paymentMethodData } = inWallet;
  return { ...state, processorToken, paymentMethodData };
}

const tokenClaim = ({ customerId }: PaymentTerms, { accountId, at, sessionId }: Caller, paymentId: string): Claim => ({
  paymentId,
  accountId,
  at,
  ...(sessionId !== undefined && { sessionId }),
  ...(customerId !== undefined && { customerId }),
});

/** The session's claim and, at the revision that it was made at, the terms of the payment. */
async function claimSession(
  house: House,
  { sessionId, fields, paymentMethodToken }: Authorization & { readonly sessionId: string },
  caller: Caller,
  { context, resourceId: paymentId }: Operation,
): Promise<PaymentTerms | Rejection> {
  let token = (await house.instruments.load(paymentMethodToken)).state;
  let agreed: PaymentTerms | Rejection | undefined;
  const claim = () =>
    transact(house.sessions, sessionId, context, (session): Decision<never> | ReturnType<ReturnType<typeof startPayment>> => {
      const claimed = startPayment({ paymentId, at: context.at })(session);
      if (claimed.kind === 'rejected' || session.status === 'absent') return claimed;
      agreed = paymentTerms(fields, session.fields);
      if ('kind' in agreed) return agreed;
      if (token.status !== 'absent' && !allowsNetwork(session.fields, token.paymentMethodData)) return badInstrument();
      // The session may have become automatic since its scope was looked at.
      if (!mayCapture(caller) && agreed.paymentMethod.captureMode === 'AUTOMATIC') return noCaptureScope();
      // A token that cannot pay is refused without a trace in the session.
      const usable = claimInstrument(tokenClaim(agreed, caller, paymentId))(token);
      return usable.kind === 'rejected' ? usable : claimed;
    });
  let claimed = await claim();
  if (
    claimed.kind === 'rejected' &&
    claimed.errorId === 'ClientSessionCompleted' &&
    (await displaceSessionClaim(house, sessionId, context))
  ) {
    claimed = await claim();
  }
  if (claimed.kind === 'rejected' && claimed.errorId === 'InvalidPaymentInstrumentToken') {
    token = await claimableToken(house, paymentMethodToken);
    claimed = await claim();
  }
  if (claimed.kind === 'rejected') return claimed;
  return agreed ?? reject('ClientSessionValidationError', 'The session does not exist.');
}
