// The charges of agreements in the log: each try was allowed when it was claimed (contract §14). That a period is paid
// once is told by the books.
import { type AgreementEvent, agreementCategory } from '../../src/domain/agreement/events.ts';
import {
  isFinalAgreement,
  type KnownAgreement,
  openCharges,
  plannedRetries,
} from '../../src/domain/agreement/state.ts';
import { outsideTerms } from '../../src/domain/agreement/terms.ts';
import type { KnownPayment, Payment } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { paymentInstrumentCategory } from '../../src/domain/payment-instrument/events.ts';
import { cardIn } from '../../src/domain/payment-instrument/recorded-data.ts';
import { TRY_LIMITS } from '../../src/domain/retry-ledger/network-rules.ts';
import { metadataOf } from '../../src/journal/envelope.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';

type Claim = Extract<AgreementEvent, { type: 'ChargeClaimed' }>['data'];

/** How far the clocks of two nodes may be apart, ms. */
const CLOCKS_APART_MS = 400_000;

/** What an event of an agreement breaks, by the agreement that it was appended to. */
export function wrongCharge(stored: StoredEvent, before: object | undefined, data: object): readonly string[] {
  const { stream, revision, type } = stored;
  if (!stream.startsWith(`${agreementCategory.name}-`) || before === undefined || !isAgreement(before)) return [];
  const wrong =
    type === 'ChargeClaimed' && isClaim(data) ? wrongClaim(before, data, metadataOf(stored).recordedAt) : [];
  return wrong.map((what) => `${type} in ${stream}@${revision} ${what}`);
}

function wrongClaim(before: KnownAgreement, claim: Claim, at: number): readonly string[] {
  const { periodKey, amount, currencyCode } = claim;
  const last = before.periods.find((period) => period.periodKey === periodKey);
  const isNew = last === undefined;
  const outside = outsideTerms(before, { amount, currencyCode, isNew, at: claim.claimedAt });
  const notBefore = last?.notBefore ?? 0;
  return [
    ...(before.status === 'ACTIVE' ? [] : [`was claimed while the agreement was ${before.status}`]),
    ...('kind' in outside ? ['was claimed outside the terms'] : []),
    ...(last !== undefined && last.outcome === undefined ? ['was claimed while its last try had no outcome'] : []),
    ...(last?.outcome === 'SUCCEEDED' ? ['was claimed after its success'] : []),
    ...(notBefore > claim.claimedAt || notBefore > at + CLOCKS_APART_MS ? ['was claimed too early'] : []),
  ];
}

/** What is left wrong at the end of the log. */
export function auditCharges(
  streams: ReadonlyMap<string, { readonly category: string; readonly id: string; readonly state: object }>,
  payments: ReadonlyMap<string, Payment>,
): readonly string[] {
  const violations: string[] = [];
  const charges: [string, KnownPayment][] = [];
  for (const [id, payment] of payments) if (isKnown(payment) && payment.agreement) charges.push([id, payment]);
  for (const [id, payment] of charges) {
    if (isOfMastercard(payment) && payment.agreement?.transactionLinkId === undefined)
      violations.push(`${id} does not name the payment that its agreement began with`);
  }
  const newest = Math.max(0, ...charges.map(([, { dateUpdated }]) => dateUpdated));
  for (const { category, id, state } of streams.values()) {
    if (category !== agreementCategory.name || !isAgreement(state)) continue;
    for (const { periodKey } of openCharges(state)) violations.push(`${id} ${periodKey} stays without an outcome`);
    for (const { periodKey, retryAt = newest } of plannedRetries(state))
      if (retryAt < newest - CLOCKS_APART_MS) violations.push(`${id} ${periodKey} is due, and nobody tries it again`);
    violations.push(...unlikeItsEvidence(id, state, charges));
  }
  violations.push(...beyondTheLimits(charges));
  violations.push(...unlikeTheirCards(streams));
  return violations;
}

/** An agreement whose card was closed waits for another one. */
function unlikeTheirCards(
  streams: ReadonlyMap<string, { readonly category: string; readonly id: string; readonly state: object }>,
): readonly string[] {
  const all = [...streams.values()];
  const closed = new Set(all.flatMap(({ category, id, state }) => (isClosedCard(category, state) ? [id] : [])));
  return all.flatMap(({ category, id, state }) => {
    if (category !== agreementCategory.name || !isAgreement(state) || isFinalAgreement(state)) return [];
    const { status, action, method } = state;
    return method === undefined || !closed.has(method.paymentMethodToken) || action === 'NEW_INSTRUMENT'
      ? []
      : [`${id} is ${status} although its card was closed`];
  });
}

const isClosedCard = (category: string, state: object): boolean =>
  category === paymentInstrumentCategory.name && 'closedAt' in state;

/** A withdrawal ends the agreement, whatever came later. */
function unlikeItsEvidence(
  id: string,
  agreement: KnownAgreement,
  charges: readonly (readonly [string, KnownPayment])[],
): readonly string[] {
  const isWithdrawn = charges.some(
    ([, payment]) =>
      payment.agreement?.agreementId === id &&
      payment.status === 'DECLINED' &&
      payment.statusReason.code === 'AUTHORIZATION_REVOKED',
  );
  return isWithdrawn && !isFinalAgreement(agreement)
    ? [`${id} is ${agreement.status} although its customer withdrew the consent`]
    : [];
}

/** Declines of one saved card, counted as its network does. */
function beyondTheLimits(charges: readonly (readonly [string, KnownPayment])[]): readonly string[] {
  const declines = charges.flatMap(([, payment]) =>
    payment.attempts.flatMap((attempt) =>
      attempt.operation === 'authorization' && attempt.state === 'declined' && attempt.refused !== true
        ? [{ at: attempt.requestedAt, amount: payment.amount, ...cardOf(payment) }]
        : [],
    ),
  );
  return TRY_LIMITS.flatMap((limit) =>
    declines.flatMap(({ at, amount, card, network }) => {
      if (network !== limit.network) return [];
      // a claim counts by the clock of its node, and the networks by their own
      const within = declines.filter(
        (one) =>
          one.card === card &&
          one.at <= at &&
          one.at > at - limit.withinMs + CLOCKS_APART_MS &&
          (limit.sameAmount !== true || one.amount === amount),
      );
      return within.length > limit.most ? [`the network counts ${within.length} declines of ${card}`] : [];
    }),
  );
}

const cardOf = ({ paymentMethod }: KnownPayment) => ({
  card: paymentMethod.paymentMethodToken,
  network: cardIn(paymentMethod.paymentMethodData)?.network,
});
const isOfMastercard = (payment: KnownPayment): boolean => cardOf(payment).network === 'MASTERCARD';

/** The agreement's own decider folded it. */
const isAgreement = (state: object): state is KnownAgreement => 'periods' in state && 'consent' in state;
const isClaim = (data: object): data is Claim => 'claimedAt' in data;
