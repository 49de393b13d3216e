// The parts of a card that may be kept: its network and the digits that people know it by.
import validateCard from 'card-validator';
import { LRUCache } from 'lru-cache';
import type { CardData } from '../domain/payment-instrument/recorded-data.ts';
import type { CardDetails } from './processor.ts';

const NETWORKS: { readonly [type: string]: CardData['network'] } = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  'american-express': 'AMEX',
  discover: 'DISCOVER',
};

/** The first eight digits of a card number at most determine its network, and no more of a number is kept here. */
const ISSUER_DIGITS = 8;
/** The search takes some 20 µs; a shop sees the cards of few issuers. */
const networks = new LRUCache<string, CardData['network']>({ max: 5_000 });

function networkOf(number: string): CardData['network'] {
  const issuer = number.slice(0, ISSUER_DIGITS);
  const known = networks.get(issuer);
  if (known !== undefined) return known;
  const network = NETWORKS[validateCard.number(issuer).card?.type ?? ''] ?? 'OTHER';
  networks.set(issuer, network);
  return network;
}

/** `number`: digits only; the year has four. */
export const cardDataOf = ({ number, expirationMonth, expirationYear, cardholderName }: CardDetails): CardData => ({
  network: networkOf(number),
  first6Digits: number.slice(0, 6),
  last4Digits: number.slice(-4),
  expirationMonth,
  expirationYear,
  ...(cardholderName !== undefined && { cardholderName }),
});
