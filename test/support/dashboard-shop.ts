// The shop of a dashboard's account: it makes the payments that tests of the dashboard look at, by the API as merchants
// do.
import { z } from 'zod';
import type { Dashboard } from './dashboard.ts';
import { CARDS } from './http-merchant.ts';
import { card } from './node.ts';

export interface ShopPayment {
  readonly id: string;
  readonly status: string;
  readonly version: number;
}

export interface ShopPaying {
  readonly session?: object;
  readonly card?: string;
  /** Members of POST /payments besides the two tokens. */
  readonly fields?: object;
}

export interface Shop {
  /** The answer of a call with the account's key. Throws when it was refused. */
  readonly ask: (
    path: string,
    body: object,
    headers?: Readonly<Record<string, string>>,
    method?: 'POST' | 'PUT',
  ) => Promise<unknown>;
  /** A client token. */
  readonly session: (fields?: object) => Promise<string>;
  readonly tokenize: (clientToken: string, number?: string) => Promise<string>;
  readonly paid: (paying?: ShopPaying) => Promise<ShopPayment>;
  readonly captured: (paying?: ShopPaying) => Promise<ShopPayment>;
}

const ShopPaymentShape = z.looseObject({ id: z.string(), status: z.string(), version: z.number() });

export function shopOf({ url, key }: Pick<Dashboard, 'url' | 'key'>): Shop {
  const ask: Shop['ask'] = async (path, body, headers = { 'x-api-key': key }, method = 'POST') => {
    const sent = { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, sent);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
  const session: Shop['session'] = async (fields = {}) => {
    const made = await ask('/client-session', { orderId: 'order-1', currencyCode: 'EUR', amount: 5_490, ...fields });
    return z.looseObject({ clientToken: z.string() }).parse(made).clientToken;
  };
  const tokenize: Shop['tokenize'] = async (clientToken, number = CARDS.approved) => {
    const made = await ask('/checkout/payment-instruments', card(number), { 'x-client-token': clientToken });
    return z.looseObject({ token: z.string() }).parse(made).token;
  };
  const paid: Shop['paid'] = async ({ session: fields, card: number, fields: own = {} } = {}) => {
    const clientToken = await session(fields);
    const paymentMethodToken = await tokenize(clientToken, number);
    return ShopPaymentShape.parse(await ask('/payments', { clientToken, paymentMethodToken, ...own }));
  };
  return {
    ask,
    session,
    tokenize,
    paid,
    captured: async (paying) => ShopPaymentShape.parse(await ask(`/payments/${(await paid(paying)).id}/capture`, {})),
  };
}
