// Whether an authorization may begin: the checks before any claim, and its reservation in the limits meanwhile.
import { z } from 'zod';
import type { ShownAmount } from '../../domain/client-session/decide.ts';
import { instrumentOf } from '../../domain/customer-wallet/state.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { Metadata } from '../../domain/metadata.ts';
import { isMerchantInitiated, type PaymentTerms, paymentTerms } from '../../domain/payment/terms.ts';
import type { UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { Caller } from '../caller.ts';
import { mayCapture, refuseCaptureMode } from '../capture-scope.ts';
import type { Effect } from '../effect.ts';
import { PositiveAmount } from '../fields/amount.ts';
import { CurrencyCode } from '../fields/currency.ts';
import { AuthorizationType, CaptureMode, Customer, Order, PaymentType, ReturnUrl } from '../fields/session-fields.ts';
import { identifier, shortText } from '../fields/text.ts';
import type { Asker } from '../limits/card-testing.ts';
import type { Admittance } from '../limits/circuits.ts';
import { badToken } from '../sessions/client-tokens.ts';
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
  /** The session's token is too old: said after an idempotent replay. */
  readonly tokenExpired?: boolean;
}

/** A payment on its way to the processor. */
export interface Paying {
  readonly asked: Authorization;
  readonly caller: Caller;
  /** `resourceId`: of the payment. */
  readonly effect: Effect;
  readonly instrument: UsableInstrument;
  readonly admitted: Admittance;
}

export const badInstrument = (): Rejection =>
  reject(
    'InvalidPaymentInstrumentToken',
    'The payment method token is not usable: unknown, used, expired, deleted, or of another account.',
  );

/**
 * Asked first of all: whether the token names an instrument of the account (contract §1 has that before a scope that
 * the body decides); and, of a payment link, whether it is a saved one.
 */
export async function refuseInstrument(
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
export async function refuseScope(
  needs: PaymentNeeds,
  { fields, sessionId }: Authorization,
  caller: Caller,
): Promise<Rejection | undefined> {
  if (mayCapture(caller)) return undefined;
  const session = sessionId === undefined ? undefined : (await needs.sessions.current(sessionId)).state;
  const ofSession = session === undefined || session.status === 'absent' ? undefined : session.fields.paymentMethod;
  return refuseCaptureMode(fields.paymentMethod ?? ofSession, caller);
}

/**
 * Checks that no earlier call under the same key can have passed, and limits (contract §1: 429 precedes a replay), and
 * open circuits.
 */
export async function admitAuthorization(
  needs: PaymentNeeds,
  asked: Authorization,
  caller: Caller,
  admitted: Admittance,
): Promise<Rejection | undefined> {
  const { paymentMethodToken, sessionId, tokenExpired } = asked;
  if (tokenExpired) return undefined;
  const { state } = await needs.instruments.load(paymentMethodToken);
  if (state.status === 'absent' || state.accountId !== caller.accountId) return badInstrument();
  const { fingerprint } = state;
  const limited =
    sessionId === undefined ? undefined : await needs.cardTesting.refusal({ sessionId, fingerprint }, askerOf(caller));
  if (limited !== undefined) return limited;
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
  admitted: Admittance,
): Promise<Rejection | undefined> {
  const session = sessionId === undefined ? undefined : (await needs.sessions.load(sessionId)).state;
  const terms = paymentTerms(fields, session === undefined || session.status === 'absent' ? {} : session.fields);
  if ('kind' in terms) return undefined; // what is missing is said after the claims of a replay
  const { accountId } = caller;
  const routed = routePayment(needs, { accountId, terms, instrument, isAbsent: isAbsent(caller, terms), admitted });
  return 'kind' in routed ? routed : undefined;
}

/** A shopper in the checkout is there, whatever the type of the payment says. */
export const isAbsent = ({ sessionId }: Caller, { paymentMethod }: PaymentTerms): boolean =>
  sessionId === undefined && isMerchantInitiated(paymentMethod.paymentType);

const askerOf = ({ sessionId }: Caller): Asker => (sessionId === undefined ? 'backend' : 'checkout');

/**
 * Checks that only a replay precedes: whether the tokens are good and the limits leave room. Answers the instrument to
 * pay with; a payment of a session holds a place in the limits on declines from then on, until it is settled or
 * gives the place back.
 */
export async function enterLimits(
  needs: PaymentNeeds,
  { paymentMethodToken, sessionId, tokenExpired }: Authorization,
  caller: Caller,
  paymentId: string,
): Promise<UsableInstrument | Rejection> {
  if (tokenExpired) return badToken();
  const instrument = await usableInstrument(needs, paymentMethodToken, caller);
  if ('kind' in instrument || sessionId === undefined) return instrument;
  const limited = await needs.cardTesting.reserve(
    paymentId,
    { sessionId, fingerprint: instrument.fingerprint },
    askerOf(caller),
  );
  return limited ?? instrument;
}

/** The instrument; a vaulted one with the wallet's newer expiry, which comes with another token at the processor. */
async function usableInstrument(
  needs: PaymentNeeds,
  token: string,
  caller: Caller,
): Promise<UsableInstrument | Rejection> {
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
