// What is known of the thing that pays, as the events of instruments, wallets and payments hold it.
import { z } from 'zod';
import { type OfferedMethod, type PaymentMethodType, Wallet } from '../payment-method.ts';
import { personal } from '../personal.ts';

export const CardDataV1 = z.strictObject({
  network: z.enum(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER']),
  first6Digits: z.string(),
  last4Digits: z.string(),
  expirationMonth: z.string(),
  expirationYear: z.string(),
  cardholderName: personal(z.string()).optional(),
});
/**
 * The known data of a card: never its full number or CVC, which only the processor sees (contract §4). The enumerations
 * only grow. `first6Digits`: where the processor tells them.
 */
export const CardDataV2 = CardDataV1.extend({
  network: z.enum([
    ...CardDataV1.shape.network.options,
    'CARTES_BANCAIRES',
    'DINERS',
    'EFTPOS_AU',
    'INTERAC',
    'JCB',
    'UNIONPAY',
  ]),
  first6Digits: z.string().optional(),
});
/** `wallet`: the card came out of it, and the digits may be those of the device. */
export const CardData = CardDataV2.extend({ wallet: Wallet.optional() });
export type CardData = z.infer<typeof CardData>;

/** What the network's updater says about a card: another expiry, or another number. */
export const CardUpdate = z.strictObject({
  network: CardDataV2.shape.network.exactOptional(),
  first6Digits: z.string().exactOptional(),
  last4Digits: z.string().exactOptional(),
  expirationMonth: z.string().exactOptional(),
  expirationYear: z.string().exactOptional(),
});
export type CardUpdate = Readonly<z.infer<typeof CardUpdate>>;

/** A bank account: of a debit, or of the bank's page. Its number is kept by the processor alone. */
const BankData = z.strictObject({
  bankName: z.string().optional(),
  ibanLast4: z.string().optional(),
  mandateReference: z.string().optional(),
});
/** An account at the method itself. */
const AccountData = z.strictObject({ emailAddress: personal(z.string()).optional() });
export const MethodData = z.union([CardData, BankData, AccountData]);
export type MethodData = z.infer<typeof MethodData>;

/** The card; undefined for every other method. */
export const cardIn = (data: MethodData): CardData | undefined => ('network' in data ? data : undefined);

/** The last four digits or letters that people know it by: of a card, of an account. */
export const last4In = (data: MethodData): string | undefined =>
  cardIn(data)?.last4Digits ?? ('ibanLast4' in data ? data.ibanLast4 : undefined);

/** By which name a session offers it. */
export const offeredAs = (type: PaymentMethodType, data: MethodData): OfferedMethod => cardIn(data)?.wallet ?? type;

/** By which its payments are counted: the card's network, the method's own name. */
export const networkOf = (type: PaymentMethodType, data: MethodData): string => cardIn(data)?.network ?? type;

/** The data without what is personal in it: the holder's name, the address of an account. */
export function withoutHolder(data: MethodData): MethodData {
  if ('cardholderName' in data) {
    const { cardholderName: _erased, ...card } = data;
    return card;
  }
  if ('emailAddress' in data) return {};
  return data;
}

/** The part of the data that names its holder. */
export const MethodHolder = z.strictObject({ cardholderName: z.string(), emailAddress: z.string() }).partial();
type MethodHolder = z.infer<typeof MethodHolder>;

/** Undefined if the data name nobody. */
export function holderIn(data: MethodData): MethodHolder | undefined {
  if ('cardholderName' in data && data.cardholderName !== undefined) return { cardholderName: data.cardholderName };
  if ('emailAddress' in data && data.emailAddress !== undefined) return { emailAddress: data.emailAddress };
  return undefined;
}

/** The card after the updater's word; another method stays as it is. The first digits are those of the number. */
export function updated(data: MethodData, update: CardUpdate): MethodData {
  if (!('network' in data)) return data;
  const { first6Digits, ...others } = data;
  const isSameNumber = update.last4Digits === undefined || update.last4Digits === data.last4Digits;
  return { ...others, ...(isSameNumber && first6Digits !== undefined && { first6Digits }), ...update };
}

/** The data with this holder. */
export function withHolder(data: MethodData, { cardholderName, emailAddress }: MethodHolder): MethodData {
  if ('network' in data) return cardholderName === undefined ? data : { ...data, cardholderName };
  return emailAddress === undefined ? data : { emailAddress };
}

export const namesHolder = (data: MethodData): boolean => holderIn(data) !== undefined;
