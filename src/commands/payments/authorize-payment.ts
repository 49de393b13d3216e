// POST /payments and POST /checkout/payments: the checks before any claim, the place in the limits meanwhile, then the
// payment and the call to its processor.
import { z } from 'zod';
import { wrongAgreementStatus } from '../../domain/agreement/decide.ts';
import { isFinalAgreement } from '../../domain/agreement/state.ts';
import { instrumentOf } from '../../domain/customer-wallet.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { paymentTerms } from '../../domain/payment/terms.ts';
import type { UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { Answer, Caller } from '../caller.ts';
import { mayCapture, refuseCaptureMode } from '../capture-scope.ts';
import type { Effect } from '../effect.ts';
import { Amount } from '../fields/amount.ts';
import { KnownCurrencyCode } from '../fields/currency.ts';
import { identifier } from '../fields/text.ts';
import { replayed } from '../idempotency.ts';
import type { Asker, CardTesting } from '../limits/card-testing.ts';
import { Admittance, type Admitting } from '../limits/circuits.ts';
import { badToken, hasExpired, ownClaims } from '../sessions/client-tokens.ts';
import { pursueAttempts } from './attempt.ts';
import { answerAttempt, attemptIdOf, type Finished, refused, replayAttempt } from './attempt-answers.ts';
import { type Authorization, badInstrument, type Created, create, isAbsent, PaymentFields } from './create-payment.ts';
import type { PaymentNeeds } from './needs.ts';
import { routePayment } from './route-payment.ts';

export const AuthorizePayment = PaymentFields.extend({
  paymentMethodToken: identifier,
  clientToken: z.string().min(1).max(2_048).optional(),
}).meta({ id: 'AuthorizePayment' });

export const AuthorizeCheckoutPayment = z
  .strictObject({
    paymentMethodToken: identifier,
    vaultOnSuccess: z.boolean().optional(),
    shown: z.strictObject({ amount: Amount, currencyCode: KnownCurrencyCode }).optional(),
  })
  .meta({ id: 'AuthorizeCheckoutPayment' });

export async function authorizePayment(
  needs: PaymentNeeds,
  request: z.output<typeof AuthorizePayment>,
  caller: Caller,
): Promise<Answer<Payment>> {
  const asked = authorizationOf(needs, request, caller);
  return 'kind' in asked ? asked : authorize(needs, asked, caller);
}

/** What a backend asks for. ClientSessionValidationError for a client token that is not its account's. */
export function authorizationOf(
  needs: Pick<PaymentNeeds, 'tokens'>,
  { paymentMethodToken, clientToken, ...fields }: z.output<typeof AuthorizePayment>,
  { accountId, at }: Caller,
): Authorization | Rejection {
  if (clientToken === undefined) return { paymentMethodToken, fields };
  const claims = ownClaims(needs, clientToken, accountId);
  if ('kind' in claims) return claims;
  return { paymentMethodToken, fields, sessionId: claims.sessionId, tokenExpired: hasExpired(claims, at) };
}

export async function authorizeCheckoutPayment(
  needs: PaymentNeeds,
  { paymentMethodToken, vaultOnSuccess, shown }: z.output<typeof AuthorizeCheckoutPayment>,
  caller: Caller,
): Promise<Answer<Payment>> {
  const { sessionId } = caller;
  if (sessionId === undefined) return reject('NotFound', 'There is no such session.');
  const chosen = { ...(vaultOnSuccess !== undefined && { vaultOnSuccess }), ...(shown !== undefined && { shown }) };
  return authorize(needs, { paymentMethodToken, fields: {}, sessionId, ...chosen }, caller);
}

async function authorize(needs: PaymentNeeds, asked: Authorization, caller: Caller): Promise<Answer<Payment>> {
  await needs.mayWrite(); // an unavailable store is told before the request is judged
  const refusal = await refuseAtOnce(needs, asked, caller);
  if (refusal !== undefined) return refusal;
  using operation = await needs.idempotency.open(caller, 'authorize-payment');
  const admitted = new Admittance(needs.circuits);
  const entry: PaymentEntry = { admitted, limited: (...attempted) => needs.cardTesting.refusal(...attempted) };
  const target = { streams: needs.payments, resource: { prefix: 'pay' } };
  const begun = await operation.begin(target, () => admitAuthorization(needs, asked, caller, entry));
  if (begun.kind !== 'started') admitted.leave();
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') return replayed(await replayAttempt(needs, begun, begun.revision));
  const { answer, result } = await start(needs, asked, caller, begun, admitted);
  return await operation.end(begun, answer, result);
}

/** The payment is created with its authorization requested, and the processor is called. */
async function start(
  needs: PaymentNeeds,
  asked: Authorization,
  caller: Caller,
  effect: Effect,
  admitted: Admittance,
): Promise<Finished> {
  const { context, resourceId: paymentId } = effect;
  const instrument = await enterLimits(needs, asked, caller, paymentId);
  if ('kind' in instrument) {
    admitted.leave();
    return refused(instrument);
  }
  let created: Created | Finished | undefined;
  try {
    created = await create(needs, { asked, caller, effect, instrument, admitted });
  } finally {
    // An attempt that was requested here is settled, and counted, sooner or later; any other belongs to another node.
    if (created === undefined || 'answer' in created) {
      needs.cardTesting.giveBack(paymentId);
      admitted.leave();
    }
  }
  if ('answer' in created) return created;
  const { folded } = await pursueAttempts(needs, paymentId, created.made, context, created.startedAt);
  return { answer: answerAttempt(paymentId, folded, attemptIdOf(effect)), result: 'appended' };
}

/** The refusals that come before an idempotent replay. */
export const refuseAtOnce = async (
  needs: PaymentNeeds,
  asked: Authorization,
  caller: Caller,
): Promise<Rejection | undefined> =>
  (await refuseInstrument(needs, asked, caller)) ?? (await refuseScope(needs, asked, caller));

/**
 * Asked first of all: whether the token names an instrument of the account (contract §1 has that before a scope that
 * the body decides); and, of a payment link, whether it is a saved one.
 */
async function refuseInstrument(
  { instruments, sessions }: PaymentNeeds,
  { paymentMethodToken }: Authorization,
  { accountId, sessionId }: Caller,
): Promise<Rejection | undefined> {
  const { state } = await instruments.load(paymentMethodToken);
  if (state.status === 'absent' || state.accountId !== accountId) return badInstrument();
  if (state.status !== 'vaulted' || sessionId === undefined) return undefined;
  // Who has a link is not known to be the customer.
  const { state: session } = await sessions.load(sessionId);
  return session.status !== 'absent' && session.link !== undefined ? badInstrument() : undefined;
}

/**
 * Asked next: automatic capture, of the request or of its session, needs transactions:capture as well (contract §2).
 */
async function refuseScope(
  needs: PaymentNeeds,
  { fields, sessionId }: Authorization,
  caller: Caller,
): Promise<Rejection | undefined> {
  if (mayCapture(caller)) return undefined;
  const session = sessionId === undefined ? undefined : (await needs.sessions.current(sessionId)).state;
  const ofSession = session === undefined || session.status === 'absent' ? undefined : session.fields.paymentMethod;
  return refuseCaptureMode(fields.paymentMethod ?? ofSession, caller);
}

/** What a payment has to pass before anything is written: the circuits, and the limits on declines. */
interface PaymentEntry {
  readonly admitted: Admitting;
  readonly limited: CardTesting['refusal'];
}

/**
 * Checks that no earlier call under the same key can have passed, and limits (contract §1: 429 precedes a replay), and
 * open circuits.
 */
export async function admitAuthorization(
  needs: PaymentNeeds,
  asked: Authorization,
  caller: Caller,
  { admitted, limited }: PaymentEntry,
): Promise<Rejection | undefined> {
  const { paymentMethodToken, sessionId, tokenExpired } = asked;
  if (tokenExpired) return undefined;
  const { state } = await needs.instruments.load(paymentMethodToken);
  if (state.status === 'absent' || state.accountId !== caller.accountId) return badInstrument();
  const { fingerprint } = state;
  const refusal = sessionId === undefined ? undefined : await limited({ sessionId, fingerprint }, askerOf(caller));
  if (refusal !== undefined) return refusal;
  return needs.connections.routingOf(caller.accountId) === undefined
    ? admitted.enter(state)
    : refuseRoute(needs, asked, state, caller, admitted);
}

/** Before anything is written: whether the rules leave a connection for the payment as it would be now. */
async function refuseRoute(
  needs: PaymentNeeds,
  { fields, sessionId }: Authorization,
  instrument: UsableInstrument,
  caller: Caller,
  admitted: Admitting,
): Promise<Rejection | undefined> {
  const session = sessionId === undefined ? undefined : (await needs.sessions.load(sessionId)).state;
  const terms = paymentTerms(fields, session === undefined || session.status === 'absent' ? {} : session.fields);
  if ('kind' in terms) return undefined; // what is missing is said after the claims of a replay
  const { accountId } = caller;
  const routed = routePayment(needs, { accountId, terms, instrument, isAbsent: isAbsent(caller, terms), admitted });
  return 'kind' in routed ? routed : undefined;
}

const askerOf = ({ sessionId }: Caller): Asker => (sessionId === undefined ? 'backend' : 'checkout');

/**
 * Checks that only a replay precedes: whether the tokens are good and the limits leave room. Answers the instrument to
 * pay with; a payment of a session holds a place in the limits on declines from then on, until it is settled or
 * gives the place back.
 */
async function enterLimits(
  needs: PaymentNeeds,
  asked: Authorization,
  caller: Caller,
  paymentId: string,
): Promise<UsableInstrument | Rejection> {
  const { sessionId } = asked;
  const instrument = await usableInstrument(needs, asked, caller);
  if ('kind' in instrument || sessionId === undefined) return instrument;
  const over = await refuseAgreement(needs, sessionId);
  if (over !== undefined) return over;
  const limited = await needs.cardTesting.reserve(
    paymentId,
    { sessionId, fingerprint: instrument.fingerprint },
    askerOf(caller),
  );
  return limited ?? instrument;
}

/** InvalidAgreementStatus for a session whose payment would begin, or go on with, an agreement that is over. */
async function refuseAgreement(
  { sessions, agreements }: PaymentNeeds,
  sessionId: string,
): Promise<Rejection | undefined> {
  const { state: session } = await sessions.load(sessionId);
  const agreementId =
    session.status === 'absent' ? undefined : (session.agreed?.agreementId ?? session.fields.agreementId);
  if (agreementId === undefined) return undefined;
  const { state: agreement } = await agreements.current(agreementId);
  return agreement.status !== 'absent' && isFinalAgreement(agreement)
    ? wrongAgreementStatus(agreement, 'paid for')
    : undefined;
}

/** The instrument; a vaulted one with the wallet's newer expiry, which comes with another token at the processor. */
export async function usableInstrument(
  needs: PaymentNeeds,
  { paymentMethodToken: token, tokenExpired }: Authorization,
  caller: Caller,
): Promise<UsableInstrument | Rejection> {
  if (tokenExpired) return badToken();
  const { state } = await needs.instruments.load(token);
  if (state.status === 'absent' || state.accountId !== caller.accountId) return badInstrument();
  // the adapter of a connection is there since the last look, or is opened now
  const { processors, connections } = needs;
  const isRouted = connections.routingOf(caller.accountId) !== undefined;
  if (!processors.has(state.processor) && (await connections.processor(state.processor)) === undefined)
    return badInstrument();
  // rules skip a connection that is disabled, and say so
  if (!isRouted && !(await connections.takesPayments(state, caller.accountId))) return badInstrument();
  if (state.status !== 'vaulted' || state.vault === undefined) return state;
  // Read now, because another node may have vaulted a newer card since.
  const inWallet = instrumentOf((await needs.wallets.current(state.vault.walletId)).state, token);
  if (inWallet === undefined) return state;
  const { processorToken, paymentMethodData } = inWallet;
  return { ...state, processorToken, paymentMethodData };
}
