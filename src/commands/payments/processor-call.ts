// A call to a processor under its deadline: counted by the circuit, and never thrown for what the network or an adapter
// does.

import { maskCardNumbers, maskedText } from '../../domain/card-number/mask.ts';
import { mayHoldCardNumber } from '../../domain/card-number/search.ts';
import { type Attempt, authorizationOf } from '../../domain/payment/attempt.ts';
import {
  type Evidence,
  type LookUp,
  type NotSent,
  networkNames,
  type Outcome,
  type Preparation,
  type TakenBack,
  type Unknown,
} from '../../domain/payment/outcome.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { attemptOf } from '../../domain/payment/queries.ts';
import { METHODS } from '../../domain/payment-method.ts';
import type { Call, Known, OperationRequest } from '../../processors/processor.ts';
import { within } from '../../world.ts';
import type { AccountConnections, ConnectionRoute } from '../connections/connections.ts';
import { UnresolvedSecret } from '../connections/secret-reference.ts';
import { endedCall } from '../limits/circuits.ts';
import type { PaymentNeeds } from './needs.ts';

/** The end of a call at its deadline, without card numbers. */
export interface CallMade<T extends Outcome | Preparation = Outcome | Preparation> {
  readonly outcome: T;
  /** Undefined if nothing was sent. */
  readonly call?: SentCall | undefined;
  /** The answer that missed the deadline; it may still come, or reject. */
  readonly late?: Promise<T>;
}

export interface CallNeeds extends Pick<PaymentNeeds, 'world' | 'timings' | 'deadlines' | 'circuits' | 'report'> {
  readonly connections: Pick<AccountConnections, 'of'>;
}

/** What a call that may have an effect is, when it is sent, and when it is over; World.monotonic. */
interface CallBounds {
  /** For operators: "capture". */
  readonly what: string;
  /** Whose circuit counts it. */
  readonly accountId: string;
  /** Asked right before it is sent: true if the time to send it has passed. */
  readonly isLate: () => boolean;
  /** When it must be over, where that is sooner than `answerWithinMs` from now. */
  readonly endsAt?: number | undefined;
}

/**
 * A call that may have an effect. Without its secret, or after its time, nothing is sent, however long the secret took.
 * Never throws.
 */
export async function callProcessor<T extends Outcome | Preparation>(
  { world, timings, deadlines, circuits, connections, report }: CallNeeds,
  route: ConnectionRoute,
  send: (call: Call) => Promise<T>,
  { what, accountId, isLate, endsAt }: CallBounds,
): Promise<CallMade<T | Unknown | NotSent>> {
  let sent: SentCall | undefined;
  let startedAt = 0;
  let answer: Promise<T> | undefined;
  const sendOnce = async (signal: AbortSignal): Promise<T | NotSent> => {
    const found = usableAt({ connections, report }, route);
    const connection = found instanceof Promise ? await found : found;
    if ('detail' in connection) return { kind: 'not_sent', detail: connection.detail };
    if (signal.aborted || isLate()) return TOO_LATE;
    sent = { sentAt: world.now() };
    startedAt = world.monotonic();
    answer = send({ connection, signal });
    return answer;
  };
  try {
    const { answerWithinMs } = timings;
    const leftMs =
      endsAt === undefined ? answerWithinMs : Math.min(answerWithinMs, Math.max(0, endsAt - world.monotonic()));
    const outcome = endsAt === undefined ? await deadlines.within(sendOnce) : await within(world, leftMs, sendOnce);
    if (answer === undefined) return { outcome: outcome === 'timeout' ? TOO_LATE : withoutCardNumbers(outcome) };
    const silent: Unknown = { kind: 'unknown', detail: `no answer within ${Math.round(leftMs)} ms` };
    const told = outcome === 'timeout' ? silent : outcome;
    const made = { what, at: sent?.sentAt ?? world.now(), tookMs: world.monotonic() - startedAt };
    circuits.ended({ accountId, connectionId: route.connectionId }, 'operation', told.kind, endedCall(made, told));
    if (outcome !== 'timeout') return { outcome: withoutCardNumbers(outcome), call: sent };
    return { outcome: silent, call: sent, late: answer.then((told) => withoutCardNumbers(told)) };
  } catch (fault) {
    report(fault); // an adapter's defect says nothing about the effect at the processor
    const detail = 'the call failed in a way that its adapter did not grade';
    return { outcome: { kind: 'unknown', detail }, call: sent };
  }
}

const TOO_LATE: NotSent = { kind: 'not_sent', detail: 'the time to send it had passed' };

interface CallWithoutEffect {
  readonly what: string;
  readonly accountId: string;
  readonly patienceMs: number;
  readonly isUncounted?: boolean;
}

interface UnreachableProcessor {
  readonly kind: 'unreachable';
  readonly detail: string;
}

/**
 * A call that has no effect on money, within `patienceMs` at most; `what`: of the call, in the detail of a failure.
 * `isUncounted`: a failure says nothing about payments, so the circuit does not hear of it. Never throws.
 */
export async function askProcessor<Found extends { readonly kind: string }>(
  { world, timings, circuits, connections, report }: CallNeeds,
  route: ConnectionRoute,
  { what, accountId, patienceMs, isUncounted = false }: CallWithoutEffect,
  ask: (call: Call) => Promise<Found>,
): Promise<Found | UnreachableProcessor> {
  const [at, startedAt] = [world.now(), world.monotonic()];
  let isUsable = true;
  const askOnce = async (signal: AbortSignal): Promise<Found | UnreachableProcessor> => {
    const usable = usableAt({ connections, report }, route);
    const connection = usable instanceof Promise ? await usable : usable;
    isUsable = !('detail' in connection);
    return 'detail' in connection ? { kind: 'unreachable', detail: connection.detail } : ask({ connection, signal });
  };
  try {
    const found = await within(world, Math.min(timings.answerWithinMs, patienceMs), askOnce);
    const told: Found | UnreachableProcessor =
      found === 'timeout' ? { kind: 'unreachable', detail: `the ${what} was not answered in time` } : found;
    const tookMs = world.monotonic() - startedAt;
    // a secret that cannot be read says nothing about the processor
    if (isUsable && !isUncounted)
      circuits.ended(
        { accountId, connectionId: route.connectionId },
        'look_up',
        told.kind,
        endedCall({ what, at, tookMs }, told),
      );
    return told;
  } catch (fault) {
    report(fault);
    return { kind: 'unreachable', detail: `the ${what} failed` };
  }
}

/**
 * The connection with its secrets, or why it cannot be used; at once where nothing is read for it. Operators learn of a
 * secret that cannot be used by the readiness of the node, and not at every call.
 */
function usableAt({ connections, report }: Pick<CallNeeds, 'connections' | 'report'>, route: ConnectionRoute) {
  const found = connections.of(route);
  if (!(found instanceof Promise)) return found;
  return found.catch((fault: unknown): { readonly detail: string } => {
    if (fault instanceof UnresolvedSecret) return { detail: 'the secret of the connection cannot be used' };
    report(fault);
    return { detail: 'the connection could not be read' };
  });
}

/** The time (ms) at which a call was sent. Undefined if nothing was sent. */
interface SentCall {
  readonly sentAt: number;
}

/** What a processor may answer to any call about an operation. */
type ProcessorAnswer = Outcome | LookUp | Preparation | TakenBack;

/**
 * The evidence of an answer or a look-up. `outcome` has passed `withoutCardNumbers`; the text of a network fault is
 * kept.
 */
export const evidenceOf = (
  source: 'answer' | 'lookup',
  outcome: ProcessorAnswer,
  call: SentCall | undefined,
): Evidence => ({
  source,
  ...call,
  ...('detail' in outcome && { detail: outcome.detail }),
});

/**
 * Masks the card numbers in the texts of an outcome; almost always returns the same object. An outcome is never refused
 * for its text. Checks are words of our own, and the data of an action goes to the customer unchanged.
 */
export function withoutCardNumbers<T extends ProcessorAnswer>(outcome: T): T {
  const json = JSON.stringify(outcome);
  if (!json.includes('\\') && !mayHoldCardNumber(json)) return outcome;
  if (maskCardNumbers(json) === json) return outcome;
  const texts = Object.entries(outcome).filter(([name, value]) => TEXTS.has(name) && typeof value === 'string');
  return { ...outcome, ...Object.fromEntries(texts.map(([name, value]) => [name, maskedText(String(value))])) };
}

const TEXTS: ReadonlySet<string> = new Set(['processorTransactionId', 'currencyCode', 'code', 'networkCode', 'detail']);

/** The request for the call and for every look-up after it. */
export function operationRequest(paymentId: string, payment: KnownPayment, attempt: Attempt): OperationRequest {
  const { reference, operation, amount, requestedAt, processorTransactionId } = attempt;
  const { accountId, currencyCode } = payment;
  const about = {
    reference,
    accountId,
    paymentId,
    amount,
    currencyCode,
    requestedAt,
    ...(processorTransactionId !== undefined && { processorTransactionId }),
  };
  const authorization = authorizationKnown(payment, attempt);
  switch (operation) {
    case 'authorization':
      return {
        ...about,
        operation,
        processorToken: attempt.processorToken ?? '',
        ...(attempt.threeDSecure !== undefined && { threeDSecure: attempt.threeDSecure }),
        ...(attempt.offSession !== undefined && { offSession: attempt.offSession }),
        ...optional(payment),
      };
    case 'capture':
      return { ...about, operation, authorization, final: attempt.final ?? true };
    case 'refund':
      return { ...about, operation, authorization, captures: capturesOf(payment, attempt) };
    default:
      return { ...about, operation, authorization };
  }
}

function optional({ paymentMethod, customer, customerId, agreement }: KnownPayment): object {
  const { descriptor, paymentType, authorizationType, paymentMethodType, vaultOnSuccess, isVaulted } = paymentMethod;
  const keeps = vaultOnSuccess && !isVaulted && customerId !== undefined && METHODS[paymentMethodType].isKept;
  return {
    ...(paymentMethodType !== 'PAYMENT_CARD' && { paymentMethodType }),
    ...(keeps && { keeps: true }),
    ...(descriptor !== undefined && { descriptor }),
    ...(paymentType !== undefined && { paymentType }),
    ...(agreement?.kind !== undefined && { agreement: { kind: agreement.kind, ...networkNames(agreement) } }),
    ...(authorizationType === 'ESTIMATED' && { isEstimated: true }),
    ...(customer?.billingAddress !== undefined && { billingAddress: customer.billingAddress }),
  };
}

/**
 * An attempt that an operator vouched for is booked under our own reference; the processor's name is not known then.
 */
const known = (reference: string, name: string | undefined): Known =>
  name === undefined || name === reference ? { reference } : { processorTransactionId: name };

/** The one that counts; where an attempt takes back another authorization, that one. */
function authorizationKnown(payment: KnownPayment, { follows }: Attempt): Known {
  const followed = follows && attemptOf(payment, follows.attemptId);
  if (followed?.operation === 'authorization') return known(followed.reference, followed.processorTransactionId);
  return known(authorizationOf(payment)?.reference ?? '', payment.processorTransactionId);
}

/**
 * The captures to which it is allocated. The reversal of a late capture is allocated to none, and reverses the capture
 * that it follows.
 */
function capturesOf(payment: KnownPayment, { refund, follows }: Attempt): readonly Known[] {
  const allocated = refund?.allocations.map(({ attemptId }) => attemptId) ?? [];
  const ids = allocated.length > 0 || follows === undefined ? allocated : [follows.attemptId];
  return ids.flatMap((attemptId) => {
    const capture = attemptOf(payment, attemptId);
    return capture === undefined ? [] : [known(capture.reference, capture.processorTransactionId)];
  });
}
