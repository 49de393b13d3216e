// The methods of payment, a value each: what the service does about a method follows from its properties, never from
// its name (contract §4, "Methods").
import { z } from 'zod';

/** Grows and never shrinks. Apple Pay and Google Pay are cards with a `wallet`. */
export const PaymentMethodType = z.enum([
  'PAYMENT_CARD',
  'IDEAL',
  'BANCONTACT',
  'KLARNA',
  'PAYPAL',
  'SEPA_DEBIT',
  'MULTIBANCO',
]);
export type PaymentMethodType = z.infer<typeof PaymentMethodType>;

/** The wallet that supplied the card. */
export const Wallet = z.enum(['APPLE_PAY', 'GOOGLE_PAY']);
export type Wallet = z.infer<typeof Wallet>;

/** What a checkout offers, and a session orders and narrows: each method, and each wallet by its own name. */
export const OfferedMethod = z.enum([...PaymentMethodType.options, ...Wallet.options]);
export type OfferedMethod = z.infer<typeof OfferedMethod>;

/** The method as the service knows it: a wallet has a card in it. */
export const typeOfOffered = (offered: OfferedMethod): PaymentMethodType =>
  PaymentMethodType.options.find((type) => type === offered) ?? 'PAYMENT_CARD';

export interface MethodRules {
  /** Whose page it is, as its customers know it. */
  readonly name: string;
  /** `with_authorization`: a success has taken the money, and nothing is left to capture or to void. */
  readonly capture: 'separate' | 'with_authorization';
  /** When the outcome is known: while the customer pays, or days later. */
  readonly answer: 'soon' | 'delayed';
  /** What the customer does: nothing, in a frame, on a page of its own, or with what is shown (a voucher). */
  readonly action: 'none' | 'frame' | 'page' | 'show';
  /** True if a customer can keep it, and pay with it again. */
  readonly isKept: boolean;
  readonly currencies: 'any' | readonly string[];
  /** Minor units of each of its currencies; none where the processor alone decides. */
  readonly most?: number;
}

const bankPage = {
  capture: 'with_authorization',
  answer: 'soon',
  action: 'page',
  isKept: false,
  currencies: ['EUR'],
} as const satisfies Omit<MethodRules, 'name'>;
const accountPage = {
  ...bankPage,
  capture: 'separate',
} as const satisfies Omit<MethodRules, 'name'>;

export const METHODS: { readonly [T in PaymentMethodType]: MethodRules } = {
  PAYMENT_CARD: {
    name: 'your bank',
    capture: 'separate',
    answer: 'soon',
    action: 'frame',
    isKept: true,
    currencies: 'any',
  },
  IDEAL: { ...bankPage, name: 'iDEAL', most: 5_000_000 },
  BANCONTACT: { ...bankPage, name: 'Bancontact' },
  KLARNA: { ...accountPage, name: 'Klarna', currencies: ['EUR', 'GBP', 'USD', 'SEK', 'NOK', 'DKK', 'CHF'] },
  PAYPAL: {
    ...accountPage,
    name: 'PayPal',
    currencies: ['EUR', 'GBP', 'USD', 'SEK', 'NOK', 'DKK', 'CHF', 'AUD', 'CAD'],
  },
  SEPA_DEBIT: {
    name: 'your bank',
    capture: 'with_authorization',
    answer: 'delayed',
    action: 'none',
    isKept: true,
    currencies: ['EUR'],
    most: 1_000_000,
  },
  MULTIBANCO: {
    name: 'Multibanco',
    capture: 'with_authorization',
    answer: 'delayed',
    action: 'show',
    isKept: false,
    currencies: ['EUR'],
    most: 9_999_999,
  },
};

/** The terms of a payment, or of a session, as far as they are known. */
interface Terms {
  readonly currencyCode?: string | undefined;
  /** Minor units. */
  readonly amount?: number | undefined;
  readonly captureMode?: 'MANUAL' | 'AUTOMATIC' | undefined;
  /** An agreement charges the payment method later. */
  readonly mustKeep?: boolean | undefined;
}

/** Why a method cannot pay these terms: the member of the request, and a sentence; undefined if it can. */
export function unfit(
  type: PaymentMethodType,
  { currencyCode, amount, captureMode = 'MANUAL', mustKeep = false }: Terms,
): { readonly path: string; readonly description: string } | undefined {
  const { capture, currencies, most, isKept } = METHODS[type];
  if (mustKeep && !isKept)
    return {
      path: '$.paymentMethodToken',
      description: `Must be of another method: nothing can charge ${type} later.`,
    };
  if (capture === 'with_authorization' && captureMode === 'MANUAL')
    return {
      path: '$.paymentMethod.captureMode',
      description: `Must be AUTOMATIC: ${type} takes the money at once, and cannot be captured later.`,
    };
  if (currencies !== 'any' && currencyCode !== undefined && !currencies.includes(currencyCode))
    return { path: '$.currencyCode', description: `Must be ${currencies.join(' or ')} for ${type}.` };
  if (most !== undefined && amount !== undefined && amount > most)
    return { path: '$.amount', description: `Must be at most ${most} for ${type}.` };
  return undefined;
}
