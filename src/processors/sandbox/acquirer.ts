// The rules that any acquirer keeps, whatever the card: the amounts that an authorization still allows, and the result
// of a request.
import type { Operation } from '../../domain/operation.ts';
import type { PaymentStanding, StandingRefund } from '../../domain/payment/outcome.ts';
import type { OperationRequest } from '../processor.ts';
import { authenticatedFirst, type ChallengePage, withoutFriction } from './authentication.ts';
import { type Card, type CardAnswer, declineTypeOf } from './card.ts';
import { cardOfId, takesMoneyAtOnce } from './cards.ts';
import { type Entry, isHidden, resultAt } from './entry.ts';
import { actReferenceOf, isByHand, otherCurrencyThan, transactionIdOf } from './names.ts';

/** The rest of an authorization at a moment, summed up from its operations, so no counter can drift. Minor units. */
interface HoldStanding {
  readonly status: 'pending' | 'declined' | 'open' | 'closed' | 'expired';
  readonly authorized: number;
  /** Captured, or being captured. */
  readonly captured: number;
  /** Captured and confirmed: the amount that can be refunded. */
  readonly settled: number;
  /** Refunded, or being refunded. */
  readonly refunded: number;
}

function standingAt(entries: readonly Entry[], now: number): HoldStanding {
  const going = entries.filter((entry) => resultAt(entry, now) !== 'declined');
  const done = going.filter((entry) => resultAt(entry, now) === 'succeeded');
  const sumOf = (operation: Operation, among: readonly Entry[]): number =>
    among.reduce((sum, entry) => (entry.operation === operation ? sum + entry.amount : sum), 0);
  const total = going.findLast(({ operation }) => operation === 'authorization' || operation === 'adjustment');
  const [authorization] = entries;
  const taken = (among: readonly Entry[]): number =>
    authorization !== undefined && hasTaken(authorization, now) && among.includes(authorization)
      ? authorization.amount
      : 0;
  return {
    status: statusAt(authorization, going, now),
    authorized: total?.amount ?? 0,
    captured: sumOf('capture', going) + taken(going),
    settled: sumOf('capture', done) + taken(done),
    refunded: sumOf('refund', going),
  };
}

function statusAt(authorization: Entry | undefined, going: readonly Entry[], now: number): HoldStanding['status'] {
  if (authorization === undefined) return 'declined';
  if (going.some(({ operation, final }) => operation === 'cancellation' || final)) return 'closed';
  const result = resultAt(authorization, now);
  if (result !== 'succeeded') return result;
  if (takesMoneyAtOnce(authorization.card)) return 'closed';
  const { holdExpiresAt } = authorization;
  return holdExpiresAt !== undefined && holdExpiresAt <= now ? 'expired' : 'open';
}

/** Took the money with its success, and nobody has taken it back. */
export const hasTaken = ({ card, settles, at }: Entry, now: number): boolean => {
  const backAfterMs = cardOfId(card ?? '')?.on.authorization?.returnedAfterMs;
  return takesMoneyAtOnce(card) && (backAfterMs === undefined || now < (settles?.at ?? at) + backAfterMs);
};

/** True if an authorization of these operations, oldest first, holds money at a moment that can still be captured. */
export function holdsMoney(entries: readonly Entry[], now: number): boolean {
  const { status, captured, authorized } = standingAt(entries, now);
  return status === 'open' && captured < authorized;
}

/**
 * The payment as the acquirer shows it, of the operations on its authorization, oldest first; undefined if they hold
 * nothing that was approved. What a card hides is not shown.
 */
export function paymentStanding(entries: readonly Entry[], now: number): PaymentStanding | undefined {
  const [authorization] = entries;
  const shown = entries.filter((entry) => !isHidden(entry, now));
  if (authorization === undefined || shown[0] !== authorization || resultAt(authorization, now) !== 'succeeded')
    return undefined;
  const { status, authorized, captured, settled } = standingAt(shown, now);
  const done = shown.filter((entry) => resultAt(entry, now) === 'succeeded');
  return {
    kind: 'standing',
    processorTransactionId: authorization.transactionId,
    currencyCode: authorization.currencyCode,
    captured: settled,
    capturable: status === 'open' ? authorized - captured : 0,
    captureName:
      done.findLast(({ operation }) => operation === 'capture')?.transactionId ?? authorization.transactionId,
    ...(status === 'expired' && { expired: true }),
    ours: done.flatMap(({ reference, operation, amount }) =>
      (operation === 'capture' || operation === 'adjustment') && !isByHand({ reference })
        ? [{ reference, operation, amount }]
        : [],
    ),
    refunds: shown.flatMap((entry): StandingRefund[] => {
      const { operation, transactionId: name, reference, amount, declineCode: code = 'GENERIC_DECLINE' } = entry;
      if (operation !== 'refund') return [];
      const about = { name, amount, ...(!isByHand(entry) && { reference }) };
      const state = resultAt(entry, now);
      if (state !== 'declined') return [{ ...about, state }];
      return [{ ...about, state: 'failed', code, declineType: declineTypeOf(code) }];
    }),
  };
}

interface HoldRule {
  readonly code: string;
  readonly isBroken: (standing: HoldStanding, amount: number) => boolean;
}
const whenIn = (wrong: HoldStanding['status'], code: string): HoldRule => ({
  code,
  isBroken: ({ status }) => status === wrong,
});
const AUTHORIZED = [whenIn('pending', 'AUTHORIZATION_PENDING'), whenIn('declined', 'AUTHORIZATION_DECLINED')];
const HELD = [...AUTHORIZED, whenIn('expired', 'AUTHORIZATION_EXPIRED')];

/** The rules of operations on an authorization; the first broken one is the answer. */
const RULES: { readonly [O in Exclude<Operation, 'authorization'>]: readonly HoldRule[] } = {
  capture: [
    ...HELD,
    whenIn('closed', 'NOTHING_TO_CAPTURE'),
    { code: 'AMOUNT_ABOVE_CAPTURABLE', isBroken: ({ captured, authorized }, amount) => captured + amount > authorized },
  ],
  cancellation: [
    ...HELD,
    whenIn('closed', 'NOTHING_TO_CANCEL'),
    { code: 'NOTHING_TO_CANCEL', isBroken: ({ captured, authorized }) => captured >= authorized },
  ],
  refund: [
    ...AUTHORIZED,
    { code: 'AMOUNT_ABOVE_REFUNDABLE', isBroken: ({ refunded, settled }, amount) => refunded + amount > settled },
  ],
  adjustment: [
    ...HELD,
    whenIn('closed', 'AUTHORIZATION_CLOSED'),
    { code: 'AMOUNT_BELOW_CAPTURED', isBroken: ({ captured }, amount) => amount < captured },
  ],
};

/** The code of the rule that a request breaks; undefined if it is allowed. */
function brokenRule(
  request: OperationRequest,
  card: Card | undefined,
  entries: readonly Entry[],
  now: number,
): string | undefined {
  const { operation, amount, currencyCode } = request;
  const hasAmount = operation !== 'cancellation';
  if (hasAmount && amount < 1) return 'AMOUNT_TOO_SMALL';
  if (operation === 'authorization') return card === undefined ? 'CARD_UNKNOWN' : undefined;
  const [authorization] = entries;
  if (authorization === undefined) return 'TRANSACTION_UNKNOWN';
  if (hasAmount && currencyCode !== authorization.currencyCode) return 'CURRENCY_MISMATCH';
  const standing = standingAt(entries, now);
  return RULES[operation].find(({ isBroken }) => isBroken(standing, amount))?.code;
}

type Decided = Pick<Entry, 'amount' | 'result' | 'settles' | 'declineCode' | 'challenge' | 'threeDSecure'> & {
  readonly currencyCode?: string;
};

/** A card's decision on an operation that is allowed. */
function decidedBy(
  answer: CardAnswer | undefined,
  { operation, amount, currencyCode }: OperationRequest,
  entries: readonly Entry[],
  now: number,
): Decided {
  switch (answer?.kind) {
    case undefined:
      return { amount, result: 'succeeded' };
    case 'decline':
      return { amount, result: 'declined', declineCode: answer.code };
    case 'first_only': {
      const isFirst = !entries.some((entry) => entry.operation === operation && resultAt(entry, now) !== 'declined');
      return isFirst ? { amount, result: 'succeeded' } : { amount, result: 'declined', declineCode: answer.code };
    }
    case 'less':
      // Not amount * 9 / 10: the product of a large amount would leave the integers.
      return { amount: Math.max(1, amount - Math.ceil(amount / 10)), result: 'succeeded' };
    case 'other_currency':
      return { amount, result: 'succeeded', currencyCode: otherCurrencyThan(currencyCode) };
    case 'later': {
      const { as, notified, afterMs } = answer;
      const settles = { at: now + afterMs, as: as === 'succeeded' ? as : 'declined', notified } as const;
      return { amount, result: 'pending', settles, ...(as !== 'succeeded' && { declineCode: as }) };
    }
    default:
      return answer satisfies never;
  }
}

/**
 * The entry that a request results in. `card`: of the token for an authorization, otherwise of the authorization;
 * undefined if nothing of the kind is known. `entries`: those of the authorization that the request names, oldest
 * first; none for an authorization. `page`: where a customer would be challenged. `isAuthenticated`: see
 * authenticatedFirst.
 */
export function decide(
  request: OperationRequest,
  card: Card | undefined,
  entries: readonly Entry[],
  now: number,
  page?: ChallengePage,
  isAuthenticated = false,
): Entry {
  const { reference, operation, accountId, paymentId, amount, currencyCode } = request;
  const broken = brokenRule(request, card, entries, now);
  const { answer, hiddenForMs, heldForMs } = card?.on[operation] ?? {};
  const refused = (declineCode: string): Decided => ({ amount, result: 'declined', declineCode });
  const decided: Decided =
    broken === undefined
      ? (authenticatedFirst(request, card, page, isAuthenticated) ?? {
          ...decidedBy(answer, request, entries, now),
          ...withoutFriction(request, card),
        })
      : refused(broken);
  const isDeclined = decided.result === 'declined';
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
    ...(operation === 'authorization' && request.keeps === true && { keeps: true as const }),
    ...(operation === 'authorization' &&
      request.offSession === true && { absent: { processorToken: request.processorToken, ...request.agreement } }),
    ...(!isDeclined && hiddenForMs !== undefined && { hiddenUntil: now + hiddenForMs }),
    ...(!isDeclined && heldForMs !== undefined && { holdExpiresAt: now + heldForMs }),
  };
}

/** What a person does to a payment at the acquirer itself, in no call of ours. */
export interface MoneyAct {
  readonly operation: Exclude<Operation, 'authorization'>;
  /** Minor units, of an adjustment the new total; all that is possible if it is missing. */
  readonly amount?: number | undefined;
}

/** The entry that an act results in: declined where the rules forbid it. `entries`: as decide takes them, not empty. */
export function decideAct(act: MoneyAct, entries: readonly [Entry, ...Entry[]], now: number): Entry {
  const [authorization] = entries;
  const { accountId, paymentId, authorizationId, currencyCode } = authorization;
  const { authorized, captured, settled, refunded } = standingAt(entries, now);
  const { operation } = act;
  const whole = { capture: authorized - captured, refund: settled - refunded, adjustment: authorized, cancellation: 0 };
  const amount = act.amount ?? whole[operation];
  const reference = actReferenceOf(authorizationId, entries.length);
  const about = { reference, accountId, paymentId, amount, currencyCode, requestedAt: now };
  const named = { processorTransactionId: authorizationId };
  const request: OperationRequest =
    operation === 'capture'
      ? { ...about, operation, authorization: named, final: true }
      : operation === 'refund'
        ? { ...about, operation, authorization: named, captures: [] }
        : { ...about, operation, authorization: named };
  return decide(request, undefined, entries, now);
}
