// The rules that any acquirer keeps, whatever the card: the amounts that an authorization still allows, and the result of a request.
import type { OperationRequest } from '../processor.ts';
import type { Answer, Behaviour, Card } from './card.ts';
import type { RuleCode } from './decline-codes.ts';
import { type Entry, resultAt } from './entry.ts';
import { otherCurrencyThan, transactionIdOf } from './names.ts';

/** The rest of an authorization at a moment: a fold over its operations, so no counter can drift. Minor units. */
interface Standing {
  readonly status: 'pending' | 'declined' | 'open' | 'closed' | 'expired';
  readonly authorized: number;
  /** Captured, or being captured. */
  readonly captured: number;
  /** Captured and confirmed: the amount that can be refunded. */
  readonly settled: number;
  /** Refunded, or being refunded. */
  readonly refunded: number;
}

const NOTHING: Standing = { status: 'declined', authorized: 0, captured: 0, settled: 0, refunded: 0 };

function folded(standing: Standing, entry: Entry, now: number): Standing {
  const result = resultAt(entry, now);
  const { operation, amount } = entry;
  if (operation === 'authorization') {
    const isOver = entry.holdExpiresAt !== undefined && entry.holdExpiresAt <= now;
    return { ...NOTHING, authorized: amount, status: result !== 'succeeded' ? result : isOver ? 'expired' : 'open' };
  }
  if (result === 'declined') return standing;
  const { captured, settled, refunded, status } = standing;
  switch (operation) {
    case 'capture':
      return {
        ...standing,
        captured: captured + amount,
        settled: result === 'succeeded' ? settled + amount : settled,
        status: entry.final ? 'closed' : status,
      };
    case 'refund':
      return { ...standing, refunded: refunded + amount };
    case 'cancellation':
      return { ...standing, status: 'closed' };
    case 'adjustment':
      return { ...standing, authorized: amount };
    default:
      return operation satisfies never;
  }
}

/** Whether an authorization of these operations, oldest first, holds money at a moment that can still be captured. */
export function holdsMoney(entries: readonly Entry[], now: number): boolean {
  const { status, captured, authorized } = standingAt(entries, now);
  return status === 'open' && captured < authorized;
}

const standingAt = (entries: readonly Entry[], now: number): Standing =>
  entries.reduce((standing, entry) => folded(standing, entry, now), NOTHING);

/** The rule that a request breaks; undefined when it is allowed. */
function brokenRule(request: OperationRequest, card: Card | undefined, entries: readonly Entry[], now: number): RuleCode | undefined {
  const { operation, amount, currencyCode } = request;
  if (operation !== 'cancellation' && amount < 1) return 'AMOUNT_TOO_SMALL';
  if (operation === 'authorization') return card === undefined ? 'CARD_UNKNOWN' : undefined;
  const [authorization] = entries;
  if (authorization === undefined) return 'TRANSACTION_UNKNOWN';
  if (operation !== 'cancellation' && currencyCode !== authorization.currencyCode) return 'CURRENCY_MISMATCH';
  const { status, authorized, captured, settled, refunded } = standingAt(entries, now);
  if (status === 'pending') return 'AUTHORIZATION_PENDING';
  if (status === 'declined') return 'AUTHORIZATION_DECLINED';
  if (status === 'expired' && operation !== 'refund') return 'AUTHORIZATION_EXPIRED';
  switch (operation) {
    case 'capture':
      if (status === 'closed') return 'NOTHING_TO_CAPTURE';
      return captured + amount > authorized ? 'AMOUNT_ABOVE_CAPTURABLE' : undefined;
    case 'cancellation':
      return status === 'closed' || captured >= authorized ? 'NOTHING_TO_CANCEL' : undefined;
    case 'refund':
      return refunded + amount > settled ? 'AMOUNT_ABOVE_REFUNDABLE' : undefined;
    case 'adjustment':
      if (status === 'closed') return 'AUTHORIZATION_CLOSED';
      return amount < captured ? 'AMOUNT_BELOW_CAPTURED' : undefined;
    default:
      return operation satisfies never;
  }
}

type Decided = Pick<Entry, 'amount' | 'result'> & Partial<Pick<Entry, 'settles' | 'declineCode' | 'currencyCode'>>;

/** A card's decision on an operation that is allowed. */
function decidedBy(
  answer: Answer | undefined,
  { operation, amount, currencyCode }: OperationRequest,
  entries: readonly Entry[],
  now: number,
): Decided {
  if (answer === undefined) return { amount, result: 'succeeded' };
  switch (answer.kind) {
    case 'decline':
      return { amount, result: 'declined', declineCode: answer.code };
    case 'first_only': {
      const earlier = entries.some((entry) => entry.operation === operation && resultAt(entry, now) !== 'declined');
      return earlier ? { amount, result: 'declined', declineCode: answer.code } : { amount, result: 'succeeded' };
    }
    case 'less':
      // Not amount * 9 / 10: the product of a large amount would leave the integers.
      return { amount: Math.max(1, amount - Math.ceil(amount / 10)), result: 'succeeded' };
    case 'other_currency':
      return { amount, result: 'succeeded', currencyCode: otherCurrencyThan(currencyCode) };
    case 'later': {
      const { as, notified } = answer;
      const at = now + answer.afterMs;
      return as === 'succeeded'
        ? { amount, result: 'pending', settles: { at, as, notified } }
        : { amount, result: 'pending', settles: { at, as: 'declined', notified }, declineCode: as };
    }
    default:
      return answer satisfies never;
  }
}

const timesOf = ({ hiddenForMs, heldForMs }: Behaviour, now: number): Pick<Entry, 'hiddenUntil' | 'holdExpiresAt'> => ({
  ...(hiddenForMs !== undefined && { hiddenUntil: now + hiddenForMs }),
  ...(heldForMs !== undefined && { holdExpiresAt: now + heldForMs }),
});

/**
 * The entry that a request comes to. `card`: of the token for an authorization, else of the authorization; undefined when nothing of the
 * kind is known. `entries`: those of the authorization that the request names, oldest first; none for an authorization.
 */
export function decide(request: OperationRequest, card: Card | undefined, entries: readonly Entry[], now: number): Entry {
  const { reference, operation, accountId, paymentId, amount, currencyCode } = request;
  const broken = brokenRule(request, card, entries, now);
  const behaviour = card?.on[operation];
  const decided: Decided =
    broken === undefined ? decidedBy(behaviour?.answer, request, entries, now) : { amount, result: 'declined', declineCode: broken };
  const transactionId = transactionIdOf(operation, reference);
  return {
    reference,
    operation,
    accountId,
    paymentId,
    authorizationId: entries[0]?.authorizationId ?? transactionId,
    number: entries.length,
    transactionId,
    ...(card !== undefined && { card: card.id }),
    currencyCode,
    final: operation === 'capture' && request.final,
    at: now,
    ...decided,
    ...(behaviour !== undefined && decided.result !== 'declined' && timesOf(behaviour, now)),
  };
}
