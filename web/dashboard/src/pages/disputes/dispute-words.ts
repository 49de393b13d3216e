// Disputes in words: reasons, and what each status means for the merchant.
import { statusWords } from '../../parts/status-badge.tsx';
import type { ListedDispute } from './dispute-queries.ts';
import { DISPUTE_STATUSES, type DisputeStatus } from './dispute-search.ts';

/** `Fraudulent · 10.4` */
export const reasonWords = ({ reason, reasonCode }: Pick<ListedDispute, 'reason' | 'reasonCode'>): string =>
  [reason === undefined ? undefined : statusWords(reason), reasonCode].filter((one) => one !== undefined).join(' · ') || '–';

const MEANINGS: { readonly [status in DisputeStatus]: string } = {
  OPEN: 'The customer takes the money back unless you challenge it in time. It cannot be refunded meanwhile.',
  CHALLENGED: 'The issuer has your evidence and decides. The money cannot be refunded meanwhile.',
  ACCEPTED: 'It was accepted: the customer has the money.',
  EXPIRED: 'Nobody answered in time: the customer has the money.',
  WON: 'The issuer decided for you: the money is yours, and can be refunded again.',
  LOST: 'The issuer decided for the customer, who has the money.',
};

/** A sentence or two: who has the money, and what can be done. Undefined of a status that is not known here. */
export function meaningOf(status: string): string | undefined {
  const known = DISPUTE_STATUSES.find((one) => one === status);
  return known && MEANINGS[known];
}
