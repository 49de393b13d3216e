// Card networks in the words of the contract (§4), and what a number tells while it is being typed.
import validateCard from 'card-validator';

export type Network = 'VISA' | 'MASTERCARD' | 'AMEX' | 'DISCOVER' | 'OTHER';

/** How people call each; a card of another network has no name. */
export const NETWORK_NAMES: { readonly [network in Network]: string } = {
  VISA: 'Visa',
  MASTERCARD: 'Mastercard',
  AMEX: 'American Express',
  DISCOVER: 'Discover',
  OTHER: '',
};

export const isNetwork = (name: unknown): name is Network => typeof name === 'string' && Object.hasOwn(NETWORK_NAMES, name);

const NETWORKS: { readonly [type: string]: Network } = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  'american-express': 'AMEX',
  discover: 'DISCOVER',
};

interface KnownOfNumber {
  /** Undefined while it may still be several. */
  readonly network: Network | undefined;
  /** Where groups begin. */
  readonly gaps: readonly number[];
  readonly maxDigits: number;
  readonly cvcDigits: 3 | 4;
  /** Right length and check digit. */
  readonly isComplete: boolean;
  /** Digits that no card begins with, or a whole number whose check digit is wrong. */
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
