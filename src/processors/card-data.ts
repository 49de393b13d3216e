// The parts of a card that may be kept: its network and the digits that people know it by.
import validateCard from 'card-validator';
import type { CardData, CardDetails } from './processor.ts';

const NETWORKS: { readonly [type: string]: CardData['network'] } = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  'american-express': 'AMEX',
  discover: 'DISCOVER',
};

/** `number`: digits only; the year has four. */
export const cardDataOf = ({ number, expirationMonth, expirationYear, cardholderName }: CardDetails): CardData => ({
  network: NETWORKS[validateCard.number(number).card?.type ?? ''] ?? 'OTHER',
  first6Digits: number.slice(0, 6),
  last4Digits: number.slice(-4),
  expirationMonth,
  expirationYear,
  ...(cardholderName !== undefined && { cardholderName }),
});
