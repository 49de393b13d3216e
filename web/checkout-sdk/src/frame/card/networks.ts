// Card networks under the names of the contract (§4), and the network of a number while it is being typed.
import validateCard from 'card-validator';

export type Network = 'VISA' | 'MASTERCARD' | 'AMEX' | 'DISCOVER' | 'OTHER';

/** The display name of each. A card of another network has no name. */
export const NETWORK_NAMES: { readonly [network in Network]: string } = {
  VISA: 'Visa',
  MASTERCARD: 'Mastercard',
  AMEX: 'American Express',
  DISCOVER: 'Discover',
  OTHER: '',
};

export const isNetwork = (name: unknown): name is Network =>
  typeof name === 'string' && Object.hasOwn(NETWORK_NAMES, name);

const NETWORKS: { readonly [type: string]: Network } = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  'american-express': 'AMEX',
  discover: 'DISCOVER',
};

interface KnownOfNumber {
  /** The network, or undefined while several are possible. */
  readonly network: Network | undefined;
  /** The positions at which groups start. */
  readonly gaps: readonly number[];
  readonly maxDigits: number;
  readonly cvcDigits: 3 | 4;
  /** True if the length and the check digit are right. */
  readonly isComplete: boolean;
  /** True for digits that no card starts with, or for a whole number whose check digit is wrong. */
  readonly isWrong: boolean;
}

const MAX_DIGITS = 19;

export function knownOf(digits: string): KnownOfNumber {
  const { card, isValid, isPotentiallyValid } = validateCard.number(digits);
  return {
    network: card === null ? undefined : (NETWORKS[card.type] ?? 'OTHER'),
    gaps: card?.gaps ?? [4, 8, 12],
    maxDigits: card === null ? MAX_DIGITS : Math.max(...card.lengths),
    cvcDigits: card?.code.size === 4 ? 4 : 3,
    isComplete: isValid,
    isWrong: !isPotentiallyValid,
  };
}
