// Disputes in words: their reasons, the meaning of each status for the merchant, and what a refund means in one.
import { moneyText } from '../../parts/money.tsx';
import { statusWords } from '../../parts/status-badge.tsx';
import type { ListedDispute } from './dispute-queries.ts';
import { DISPUTE_STATUSES, type DisputeStatus } from './dispute-search.ts';

/** `Fraudulent · 10.4` */
export const reasonWords = ({ reason, reasonCode }: Pick<ListedDispute, 'reason' | 'reasonCode'>): string =>
  [reason === undefined ? undefined : statusWords(reason), reasonCode].filter((one) => one !== undefined).join(' · ') ||
  '–';

const ROUNDS: { readonly [type: string]: string } = {
  RETRIEVAL: 'Inquiry',
  PREARBITRATION: 'Pre-arbitration',
  APPEAL: 'Appeal',
};

/** `Inquiry`, `Round 2 · Appeal`; undefined for a dispute in its first round. */
export function roundWords({ round, type }: Pick<ListedDispute, 'round' | 'type'>): string | undefined {
  const words = [round === 1 ? undefined : `Round ${round}`, ROUNDS[type]].filter((one) => one !== undefined);
  return words.length === 0 ? undefined : words.join(' · ');
}

const MEANINGS: { readonly [status in DisputeStatus]: string } = {
  OPEN: 'The customer gets the money back unless you challenge the dispute in time. You cannot refund the amount meanwhile.',
  CHALLENGED: 'The issuer is reviewing your evidence. You cannot refund the amount meanwhile.',
  ACCEPTED: 'You accepted the dispute. The customer has the money.',
  EXPIRED: 'You did not respond in time. The customer has the money.',
  WON: 'The issuer decided in your favour. You keep the money, and can refund it again.',
  LOST: 'The issuer decided in favour of the customer, who has the money.',
  PREVENTED: 'The dispute was stopped before it became a chargeback. There is nothing to answer.',
};

/** A sentence or two on who has the money and what can be done, or undefined if the status is not known here. */
export function meaningOf(status: string): string | undefined {
  const known = DISPUTE_STATUSES.find((one) => one === status);
  return known && MEANINGS[known];
}

interface RefundedPayment {
  readonly currencyCode: string;
  /** `amountRefunded` has the refunds of the merchant, not those of the processor for a dispute. */
  readonly processor: { readonly amountRefunded: number };
}

/**
 * What the merchant's own refund means for an open dispute: the customer has that money already, and the issuer does
 * not know it. Undefined without a refund, or for a dispute that needs no response.
 */
export function refundWords(
  { status, amount, currencyCode }: Pick<ListedDispute, 'status' | 'amount' | 'currencyCode'>,
  { processor: { amountRefunded }, currencyCode: refundedIn }: RefundedPayment,
): string | undefined {
  if (status !== 'OPEN' || amountRefunded === 0) return undefined;
  const refunded = moneyText({ amount: amountRefunded, currencyCode: refundedIn });
  return refundedIn === currencyCode && amountRefunded >= amount
    ? `You have refunded ${refunded} of this payment. The refund is the answer: send it as evidence. If you accept the dispute, or do not respond, the customer gets the money twice.`
    : `You have refunded ${refunded} of this payment. Send the refund as evidence: without it the customer gets that part twice.`;
}
