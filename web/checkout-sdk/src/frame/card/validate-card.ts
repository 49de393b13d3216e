// Validates a card before it is sent: the error of each field, by the name of its sentence.
import validateCard from 'card-validator';
import type { CardFault } from '../words/words.ts';
import { knownOf, type Network } from './networks.ts';

/** The texts of the fields. */
export interface CardText {
  readonly number: string;
  readonly expiry: string;
  readonly cvc: string;
  readonly name: string;
}
export type CardField = keyof CardText;
export const CARD_FIELDS: readonly CardField[] = ['number', 'expiry', 'cvc', 'name'];

/** The body of POST /checkout/payment-instruments. */
export interface Card {
  readonly number: string;
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly cvc: string;
  readonly cardholderName: string;
}

const NAME_MAX = 255;
/** A name with so many digits is a card number in the wrong field. */
const DIGITS_IN_NAME = 7;

/** The errors, or undefined if there are none. `networks`: the networks that the session accepts. */
export function faultOf(field: CardField, card: CardText, networks: readonly Network[]): CardFault | undefined {
  switch (field) {
    case 'number':
      return numberFault(card.number, networks);
    case 'expiry':
      return expiryFault(card.expiry);
    case 'cvc': {
      if (card.cvc === '') return 'cvcMissing';
      return validateCard.cvv(card.cvc, knownOf(digitsIn(card.number)).cvcDigits).isValid ? undefined : 'cvcIncomplete';
    }
    case 'name': {
      if (card.name.trim() === '') return 'nameMissing';
      return card.name.length > NAME_MAX || digitsIn(card.name).length >= DIGITS_IN_NAME ? 'nameWrong' : undefined;
    }
    default:
      return field satisfies never;
  }
}

function numberFault(text: string, networks: readonly Network[]): CardFault | undefined {
  const digits = digitsIn(text);
  if (digits === '') return 'numberMissing';
  const { isComplete, isWrong, network } = knownOf(digits);
  if (network !== undefined && !networks.includes(network)) return 'networkNotTaken';
  if (isComplete) return undefined;
  return isWrong || digits.length >= 16 ? 'numberWrong' : 'numberIncomplete';
}

function expiryFault(text: string): CardFault | undefined {
  if (text === '') return 'expiryMissing';
  if (validateCard.expirationDate(text.replaceAll(' ', '')).isValid) return undefined;
  const [month = '', year = ''] = text.split('/').map(digitsIn);
  if (month.length === 2 && (month === '00' || Number(month) > 12)) return 'expiryWrong';
  return year.length < 2 ? 'expiryIncomplete' : 'expired';
}

/** The request body for a valid card. */
export function cardOf({ number, expiry, cvc, name }: CardText): Card {
  const [month = '', year = ''] = expiry.split('/').map(digitsIn);
  return {
    number: digitsIn(number),
    expirationMonth: month,
    expirationYear: `20${year}`,
    cvc: digitsIn(cvc),
    cardholderName: name.trim(),
  };
}

export const digitsIn = (text: string): string => text.replaceAll(/\D/g, '');
