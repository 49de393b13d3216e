// Compares the twin's own movements of money with our payments: holds, captures and refunds, by attempt and in sums.
import type { Attempt } from '../../../src/domain/payment/attempt.ts';
import type { KnownPayment, Payment } from '../../../src/domain/payment/payment.ts';
import { isFinal } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import type { Effect } from './state.ts';

/** What each movement costs the customer. A capture takes what was held already. */
const COST: Readonly<Record<Effect['kind'], -1 | 0 | 1>> = {
  hold: 1,
  increase: 1,
  release: -1,
  capture: 0,
  refund: -1,
  refund_returned: 1,
};

/** The holds that still cost the customer money: their releases and refunds are smaller than they are. */
export function unreversedHolds(effects: readonly Effect[]): readonly Effect[] {
  const costs = costsOf(effects);
  return effects.filter(({ kind, charge }) => kind === 'hold' && (costs.get(charge) ?? 0) > 0);
}

/** What each charge costs the customer, in minor units. `seen` gets the costs after each movement. */
function costsOf(
  effects: readonly Effect[],
  seen: (costs: ReadonlyMap<string, number>) => void = () => undefined,
): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const { charge, kind, amount } of effects) {
    costs.set(charge, (costs.get(charge) ?? 0) + COST[kind] * amount);
    seen(costs);
  }
  return costs;
}

/** The most charges that cost the customer money at the same time. */
function mostAtOnce(effects: readonly Effect[]): number {
  let most = 0;
  costsOf(
    effects.toSorted((one, other) => one.at - other.at),
    (costs) => {
      most = Math.max(most, [...costs.values()].filter((cost) => cost > 0).length);
    },
  );
  return most;
}

/** Each difference in a sentence; empty if the twin and our payments agree, and nobody is charged twice. */
export function twinDifferences(
  effects: readonly Effect[],
  payments: Iterable<readonly [string, Payment]>,
): readonly string[] {
  const left = new Map<string | undefined, Effect[]>();
  for (const one of effects) left.set(one.payment, [...(left.get(one.payment) ?? []), one]);
  const differences: string[] = [];
  const payers = new Map<string, string[]>();
  for (const [id, payment] of payments) {
    const moved = left.get(id) ?? [];
    left.delete(id);
    if (!isKnown(payment)) {
      if (moved.length > 0) differences.push(`${id}: money moved, and the payment is ${payment.status}`);
      continue;
    }
    differences.push(...ofPayment(id, payment, moved));
    const payer = payment.sessionId ?? payment.paymentMethod.paymentMethodToken;
    if (unreversedHolds(moved).length > 0) payers.set(payer, [...(payers.get(payer) ?? []), id]);
  }
  for (const [payer, ids] of payers)
    if (ids.length > 1) differences.push(`${payer} paid ${ids.length} times: ${ids.join(', ')}`);
  for (const [id, moved] of left)
    differences.push(`${id}: the twin has ${moved.map(inWords).join(', ')}, and we do not know of it`);
  return differences;
}

const inWords = ({ kind, amount }: Effect): string => `${kind} ${amount}`;
const sumOf = (moved: readonly Effect[], ...kinds: readonly Effect['kind'][]): number =>
  moved.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { amount }) => sum + amount, 0);

function ofPayment(id: string, payment: KnownPayment, moved: readonly Effect[]): readonly string[] {
  const differences: string[] = [];
  const expectEqual = (what: string, theirs: number, ours: number): void => {
    if (theirs !== ours) differences.push(`${id}: the twin ${what} ${theirs}, we have ${ours}`);
  };
  const unreversed = unreversedHolds(moved);
  const most = mostAtOnce(moved);
  if (most > 1) differences.push(`${id}: authorized ${most} times`);
  const refunded = sumOf(moved, 'refund') - sumOf(moved, 'refund_returned');
  expectEqual('captured', sumOf(moved, 'capture'), payment.amountCaptured);
  expectEqual('refunded', refunded, payment.amountRefunded + payment.amountRefundPending);
  if (refunded > sumOf(moved, 'capture')) differences.push(`${id}: refunded more than was captured`);
  if (sumOf(moved, 'capture') > sumOf(moved, 'hold', 'increase'))
    differences.push(`${id}: captured more than was authorized`);
  if (isFinal(payment.status) && unreversed.length > 0)
    differences.push(`${id}: the twin holds money, and the payment is ${payment.status}`);
  for (const attempt of payment.attempts) differences.push(...ofAttempt(attempt, moved));
  return differences;
}

/** A void is compared by the payment's status: it releases the hold under another reference. */
const KINDS: { readonly [operation in Attempt['operation']]: Effect['kind'] | undefined } = {
  authorization: 'hold',
  capture: 'capture',
  refund: 'refund',
  adjustment: 'increase',
  cancellation: undefined,
};
const HAPPENED: ReadonlySet<Attempt['state']> = new Set(['succeeded', 'returned']);

function ofAttempt({ attemptId, operation, state, reference }: Attempt, moved: readonly Effect[]): readonly string[] {
  const kind = KINDS[operation];
  if (kind === undefined) return [];
  const own = moved.filter(
    (one) => one.kind === kind && (operation === 'authorization' ? one.reference : one.key) === reference,
  );
  if (own.length > 1) return [`${attemptId}: the twin has ${own.map(inWords).join(', ')} for one ${operation}`];
  const isReturned = moved.some((one) => one.kind === 'refund_returned' && one.reference === reference);
  if (operation === 'refund' && state === 'declined' && isReturned) return [];
  // a pending refund has left the balance already, a pending authorization holds nothing
  const happened = state === 'pending' ? operation === 'refund' : HAPPENED.has(state);
  return (own.length === 1) === happened
    ? []
    : [`${attemptId}: the twin has ${own.map(inWords).join() || 'nothing'}, we have ${operation} ${state}`];
}
