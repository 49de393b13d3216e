// The shop's products and prices in cents, and the order as the API takes it.
import type { ClientSessionChanges } from '@counterfoil/client';
import { PICTURES } from './pictures.ts';

export const CURRENCY = 'EUR';
export const MOST_OF_ONE = 9;

export interface Product {
  readonly id: string;
  readonly name: string;
  readonly words: string;
  /** Cents. */
  readonly price: number;
  /** SVG of our own. */
  readonly picture: string;
}

export interface Cart {
  readonly orderId: string;
  /** How many of which product. */
  readonly lines: ReadonlyMap<string, number>;
  /** The id of the client session, if it exists. */
  readonly clientToken?: string | undefined;
}

export const PRODUCTS: readonly Product[] = [
  {
    id: 'notebook',
    name: 'Ledger notebook',
    words: 'Linen cover, 192 numbered pages',
    price: 1_850,
    picture: PICTURES.notebook,
  },
  { id: 'pen', name: 'Fountain pen', words: 'Turned brass, medium nib', price: 6_400, picture: PICTURES.pen },
  { id: 'ink', name: 'Bottle of ink', words: 'Ultramarine, 50 ml', price: 1_290, picture: PICTURES.ink },
  { id: 'clips', name: 'Paper clips', words: 'Forty, in three colours', price: 650, picture: PICTURES.clips },
  { id: 'letters', name: 'Letter set', words: 'Ten sheets, ten envelopes', price: 1_490, picture: PICTURES.letters },
  { id: 'lamp', name: 'Desk lamp', words: 'Dimmable, powder-coated steel', price: 11_900, picture: PICTURES.lamp },
];

export const productOf = (id: string): Product | undefined => PRODUCTS.find((product) => product.id === id);

export interface Line {
  readonly product: Product;
  readonly quantity: number;
}

export const linesOf = (lines: Cart['lines']): readonly Line[] =>
  PRODUCTS.flatMap((product) => {
    const quantity = lines.get(product.id);
    return quantity === undefined ? [] : [{ product, quantity }];
  });

const SHIPPING = 490;
const FREE_FROM = 10_000;

interface Totals {
  readonly goods: number;
  readonly shipping: number;
  readonly total: number;
}

/** Cents. */
export function totalsOf(lines: Cart['lines']): Totals {
  const goods = linesOf(lines).reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
  const shipping = goods === 0 || goods >= FREE_FROM ? 0 : SHIPPING;
  return { goods, shipping, total: goods + shipping };
}

/** An order as the API has it; it calculates the amount from it. */
export type Order = NonNullable<ClientSessionChanges['order']>;

export const orderOf = (lines: Cart['lines']): Order => ({
  lineItems: linesOf(lines).map(({ product, quantity }) => ({
    itemId: product.id,
    name: product.name,
    amount: product.price,
    quantity,
    productType: 'PHYSICAL',
  })),
  shipping: { amount: totalsOf(lines).shipping, methodName: 'Standard' },
});
