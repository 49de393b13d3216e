// The methods of payment that this version of the frame can take, a row each.

interface Mark {
  readonly text: string;
  readonly ground: string;
  readonly ink: string;
  readonly size: string;
  readonly slant?: true;
}

interface Method {
  /** Its name in every language, or undefined if each language has a word of its own. */
  readonly name?: string;
  /**
   * What the shopper does: a card is typed, a wallet makes a token, `page` leads to another page, a debit asks for an
   * account, a voucher gives numbers.
   */
  readonly kind: 'card' | 'wallet' | 'page' | 'debit' | 'voucher';
  /** Its sign in the list; undefined: the sign of a card. */
  readonly mark?: Mark;
}

const white = '#ffffff';

export const METHODS = {
  PAYMENT_CARD: { kind: 'card' },
  APPLE_PAY: {
    name: 'Apple Pay',
    kind: 'wallet',
    mark: { text: 'Pay', ground: '#000000', ink: white, size: '10.500' },
  },
  GOOGLE_PAY: {
    name: 'Google Pay',
    kind: 'wallet',
    mark: { text: 'G Pay', ground: white, ink: '#3c4043', size: '9.500' },
  },
  IDEAL: { name: 'iDEAL', kind: 'page', mark: { text: 'iDEAL', ground: white, ink: '#b3005a', size: '9.500' } },
  BANCONTACT: {
    name: 'Bancontact',
    kind: 'page',
    mark: { text: 'BC', ground: '#ffd800', ink: '#00417a', size: '10.500', slant: true },
  },
  KLARNA: { name: 'Klarna', kind: 'page', mark: { text: 'K.', ground: '#ffb3c7', ink: '#0b051d', size: '12' } },
  PAYPAL: {
    name: 'PayPal',
    kind: 'page',
    mark: { text: 'PayPal', ground: white, ink: '#003087', size: '8.200', slant: true },
  },
  SEPA_DEBIT: { kind: 'debit', mark: { text: 'SEPA', ground: '#10298e', ink: white, size: '9.200', slant: true } },
  MULTIBANCO: { name: 'Multibanco', kind: 'voucher', mark: { text: 'MB', ground: white, ink: '#2b5ea7', size: '11' } },
} as const satisfies Readonly<Record<string, Method>>;

export type MethodName = keyof typeof METHODS;
type Row = { readonly [name in MethodName]: Method };
const ROWS: Row = METHODS;

export const methodOf = (name: MethodName): Method => ROWS[name];
/** False for a method of a newer service. */
export const isMethod = (name: unknown): name is MethodName => typeof name === 'string' && Object.hasOwn(METHODS, name);

/** The methods of a session, and those that a processor's own fields take. */
interface Offering {
  readonly methods: readonly MethodName[];
  readonly fields: readonly { readonly methods: readonly MethodName[] }[];
}

export const isWallet = (name: MethodName): boolean => ROWS[name].kind === 'wallet';

/**
 * The rows of the list, in the order in which they are shown: the last used first, then wallets, then the session's
 * order. A wallet that a processor's own fields take has a button above the list. Any other wallet makes its token in
 * test mode only.
 */
export function shownMethods(
  { methods, fields }: Offering,
  { isTest, last }: { readonly isTest: boolean; readonly last?: MethodName | undefined },
): readonly MethodName[] {
  const hasButton = (name: MethodName): boolean => fields.some((own) => own.methods.includes(name));
  const taken = methods.filter((name) => !isWallet(name) || (isTest && !hasButton(name)));
  const place = (name: MethodName): number => (name === last ? 0 : isWallet(name) ? 1 : 2);
  return [...taken].sort((a, b) => place(a) - place(b));
}

/** True if the page can take any of the session's methods; the browser may lack the wallets. */
export const hasMethod = (session: Offering, isTest: boolean): boolean =>
  shownMethods(session, { isTest }).length > 0 || session.fields.some(({ methods }) => methods.some(isWallet));
