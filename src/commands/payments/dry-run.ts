// Dry runs: what an operation on a payment would do, by its own checks and its own decision (contract §4, "Dry run").
// They only read: nothing is appended, no processor is called, no idempotency key is claimed or looked at.
import type { z } from 'zod';
import type { Routing } from '../../domain/account.ts';
import type { Decision, Rejection } from '../../domain/decider.ts';
import type { Operation } from '../../domain/operation.ts';
import type { ChosenRoute } from '../../domain/payment/create.ts';
import { routeWords } from '../../domain/payment/event-words.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { attemptsToAskAbout, isKnown } from '../../domain/payment/queries.ts';
import type { PaymentTerms } from '../../domain/payment/terms.ts';
import { newId } from '../../world.ts';
import { type Caller, contextOf } from '../caller.ts';
import type { ConnectionRoute } from '../connections/connections.ts';
import type { Admitting, Circuits } from '../limits/circuits.ts';
import {
  type AuthorizePayment,
  admitAuthorization,
  authorizationOf,
  refuseAtOnce,
  usableInstrument,
} from './authorize-payment.ts';
import {
  type AttemptChange,
  type CancelPayment,
  type CapturePayment,
  cancelling,
  capturing,
  changing,
  ifSupported,
  ownPayment,
  type RefundPayment,
  refunding,
} from './change-payment.ts';
import { sessionFor, tokenFor } from './claims.ts';
import { decideCreation } from './create-payment.ts';
import type { PaymentNeeds } from './needs.ts';

/** The operations that can be tried out. */
export const DRY_RUN_OPERATIONS = ['authorization', 'capture', 'cancellation', 'refund'] as const satisfies Operation[];

interface NamedRoute {
  readonly id: string;
  readonly name: string;
  readonly processor: string;
}

/** What an operation would do. Whether the processor would then agree, only the processor can say. */
export interface DryRun {
  readonly operation: (typeof DRY_RUN_OPERATIONS)[number];
  /** The answer of the operation; undefined if nothing here refuses it. */
  readonly refused?: Rejection | undefined;
  /** Minor units; undefined where the refusal comes before it is known. */
  readonly amount?: number | undefined;
  readonly currencyCode?: string | undefined;
  /** What leaves the customer's account, minor units; undefined where nothing can. */
  readonly charged?: number | undefined;
  /** The connection that would be asked, and why. */
  readonly connection?: (NamedRoute & { readonly because: string }) | undefined;
  /** Those that may be asked after a refusal there, in this order. */
  readonly fallbacks?: readonly NamedRoute[] | undefined;
  /** The operation asks the processor about earlier attempts first, which a dry run does not. */
  readonly unknownAttempts?: true | undefined;
}

/** A token or a session of another account is refused as unknown, as the call itself refuses it. */
export async function dryRunAuthorization(
  needs: PaymentNeeds,
  request: z.output<typeof AuthorizePayment>,
  caller: Caller,
): Promise<DryRun> {
  const decided = await decideAuthorization(needs, request, caller);
  const { amount, currencyCode } = request;
  return decided.kind === 'rejected'
    ? { operation: 'authorization', refused: decided, amount, currencyCode }
    : authorizedBy(needs, caller.accountId, decided.events);
}

/** The checks of POST /payments in their order, up to the first events of the payment. */
async function decideAuthorization(
  needs: PaymentNeeds,
  request: z.output<typeof AuthorizePayment>,
  caller: Caller,
): Promise<Decision<PaymentEvent>> {
  const asked = authorizationOf(needs, request, caller);
  if ('kind' in asked) return asked;
  await needs.mayWrite();
  const admitted = lookingAt(needs.circuits);
  const refusal =
    (await refuseAtOnce(needs, asked, caller)) ??
    (await admitAuthorization(needs, asked, caller, {
      admitted,
      limited: (...attempted) => needs.cardTesting.wouldRefuse(...attempted),
    }));
  if (refusal !== undefined) return refusal;
  const instrument = await usableInstrument(needs, asked, caller);
  if ('kind' in instrument) return instrument;
  const { paymentMethodToken, sessionId } = asked;
  const session = sessionId === undefined ? undefined : await sessionFor(needs, sessionId, caller.at);
  const token = await tokenFor(needs, paymentMethodToken, caller.at);
  const context = contextOf(caller, newId(needs.world, 'op'));
  const effect = { context, resourceId: newId(needs.world, 'pay'), how: {} };
  return decideCreation(needs, { asked, caller, effect, instrument, admitted }, { session, token });
}

/** Takes no try of an open circuit. */
const lookingAt = (circuits: Circuits): Admitting => ({
  isAt: () => false,
  enter: (of) => circuits.refusal(of),
});

/** By the first events of the payment. */
function authorizedBy(needs: PaymentNeeds, accountId: string, events: readonly PaymentEvent[]): DryRun {
  let about: DryRun = { operation: 'authorization' };
  let chosen: ChosenRoute | undefined;
  for (const { type, data } of events) {
    if (type === 'PaymentCreated') about = authorizationOfTerms(data);
    if (type === 'RouteChosen') chosen = data;
    if (type === 'AuthorizationRequested')
      about = { ...about, connection: { ...namedRoute(needs, data), because: whyChosen(needs, accountId, chosen) } };
  }
  return { ...about, fallbacks: chosen?.fallback?.connections.map((one) => namedRoute(needs, one)) };
}

/** Money that is only held is not charged. */
export const authorizationOfTerms = ({
  amount,
  currencyCode,
  paymentMethod: { captureMode },
}: Pick<PaymentTerms, 'amount' | 'currencyCode'> & {
  readonly paymentMethod: Pick<PaymentTerms['paymentMethod'], 'captureMode'>;
}): DryRun => ({
  operation: 'authorization',
  amount,
  currencyCode,
  charged: captureMode === 'AUTOMATIC' ? amount : 0,
});

export const namedRoute = (
  { connections }: Pick<PaymentNeeds, 'connections'>,
  { connectionId, processor }: ConnectionRoute,
): NamedRoute => ({ id: connectionId, name: connections.nameOf(connectionId), processor });

function whyChosen({ connections }: PaymentNeeds, accountId: string, chosen: ChosenRoute | undefined): string {
  const routing = connections.routingOf(accountId);
  return chosen === undefined || routing === undefined
    ? 'The account has no rules of routing, and the token is good at this connection.'
    : choiceWords(chosen, routing);
}

/** The choice as the history of a payment has it. A draw by weight belongs to one payment, so the next may differ. */
export function choiceWords(chosen: Omit<ChosenRoute, 'fallback'>, { rules }: Pick<Routing, 'rules'>): string {
  const { use } = rules.rules.find(({ name }) => name === chosen.rule) ?? rules.default;
  const isDrawn = use.filter(({ weight }) => weight > 0).length > 1;
  return isDrawn ? `${routeWords(chosen)} Each payment is drawn by weight.` : routeWords(chosen);
}

export const dryRunCapture = (
  needs: PaymentNeeds,
  paymentId: string,
  request: z.output<typeof CapturePayment>,
  caller: Caller,
): Promise<DryRun | Rejection> =>
  dryRunChange(needs, paymentId, { operation: 'capture', decide: capturing(request), amount: request.amount }, caller);

export const dryRunCancellation = (
  needs: PaymentNeeds,
  paymentId: string,
  request: z.output<typeof CancelPayment>,
  caller: Caller,
): Promise<DryRun | Rejection> =>
  dryRunChange(needs, paymentId, { operation: 'cancellation', decide: cancelling(request) }, caller);

export const dryRunRefund = (
  needs: PaymentNeeds,
  paymentId: string,
  request: z.output<typeof RefundPayment>,
  caller: Caller,
): Promise<DryRun | Rejection> =>
  dryRunChange(needs, paymentId, { operation: 'refund', decide: refunding(request), amount: request.amount }, caller);

interface DryChange {
  readonly operation: Exclude<DryRun['operation'], 'authorization'>;
  readonly decide: AttemptChange;
  /** As it was asked for, minor units. */
  readonly amount?: number | undefined;
}

/** NotFound for a payment that is not the caller's. */
async function dryRunChange(
  needs: PaymentNeeds,
  paymentId: string,
  { operation, decide, amount }: DryChange,
  caller: Caller,
): Promise<DryRun | Rejection> {
  const payment = await ownPayment(needs, paymentId, caller);
  if ('kind' in payment) return payment;
  await needs.mayWrite();
  const about: DryRun = {
    operation,
    amount,
    currencyCode: payment.currencyCode,
    connection: { ...namedRoute(needs, payment), because: 'The payment was authorized at this connection.' },
  };
  const unavailable = needs.circuits.refusal(payment);
  if (unavailable !== undefined) return { ...about, refused: unavailable };
  const { state, head } = await needs.payments.current(paymentId);
  const effect = { context: contextOf(caller, newId(needs.world, 'op')), resourceId: paymentId };
  const decided = ifSupported(needs.processors, decide(changing(needs, effect)))(state, head.revision);
  // a cancellation that is refused asks nobody
  const mayAsk = operation !== 'cancellation' || decided.kind === 'accepted';
  const unknownAttempts = mayAsk && attemptsToAskAbout(state).length > 0 ? true : undefined;
  if (decided.kind === 'rejected') return { ...about, refused: decided, unknownAttempts };
  const moved = amountIn(decided.events) ?? heldBy(state);
  return { ...about, amount: moved, ...(operation === 'capture' && { charged: moved }), unknownAttempts };
}

/** The amount of a capture or a refund, minor units. */
const amountIn = (events: readonly PaymentEvent[]): number | undefined => {
  for (const { type, data } of events)
    if (type === 'CaptureRequested' || type === 'RefundRequested') return data.amount;
  return undefined;
};

/** What a cancellation releases; undefined while nothing is held. */
const heldBy = (payment: Payment): number | undefined =>
  isKnown(payment) && payment.amountCapturable > 0 ? payment.amountCapturable : undefined;
