// The parts of a card that may be kept: its network and the digits that people know it by.
import validateCard from 'card-validator';
import type { CardData } from '../domain/payment-instrument/recorded-card.ts';
import type { CardDetails } from './processor.ts';

const NETWORKS: { readonly [type: string]: CardData['network'] } = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  'american-express': 'AMEX',
  discover: 'DISCOVER',
};

/** By the details themselves, which the service hands on to the sandbox in the same process: the network's search takes some 20 µs. */
const known = new WeakMap<CardDetails, CardData>();

/** `number`: digits only; the year has four. */
export function cardDataOf(card: CardDetails): CardData {
  const data = known.get(card) ?? dataOf(card);
  known.set(card, data);
  return data;
}

const dataOf = ({ number, expirationMonth, expirationYear, cardholderName }: CardDetails): CardData => ({
  network: NETWORKS[validateCard.number(number).card?.type ?? ''] ?? 'OTHER',
  first6Digits: number.slice(0, 6),
  last4Digits: number.slice(-4),
  expirationMonth,
  expirationYear,
  ...(cardholderName !== undefined && { cardholderName }),
});
