// The client session of a cart: it holds what the cart holds, at the catalogue's prices.
import { type Counterfoil, CounterfoilError } from 'counterfoil/client';
import { type Cart, CURRENCY, type Order, orderOf } from './catalogue.ts';
import type { Shopper } from './shoppers.ts';

const hasExpired = (fault: unknown): boolean => CounterfoilError.is(fault, 'ClientSessionValidationError');

/** Brings the cart's client session to what the cart is now, and its order with it. */
export async function saveCart(client: Counterfoil, shopper: Shopper, { orderId, lines, clientToken }: Cart): Promise<void> {
  const order = orderOf(lines);
  const token = clientToken === undefined ? undefined : await update(client, clientToken, order);
  shopper.cart = { orderId, lines, clientToken: token ?? (await create(client, shopper, orderId, order)) };
  shopper.orders.set(orderId, shopper.cart);
}

async function create({ clientSessions }: Counterfoil, { customerId }: Shopper, orderId: string, order: Order): Promise<string> {
  const paymentMethod = { captureMode: 'AUTOMATIC' } as const;
  return (await clientSessions.create({ orderId, customerId, currencyCode: CURRENCY, order, paymentMethod })).clientToken;
}

/** The session's token, a fresh one where 24 hours have ended the old. Undefined: the session has ended too, 30 days later. */
async function update({ clientSessions }: Counterfoil, clientToken: string, order: Order): Promise<string | undefined> {
  try {
    await clientSessions.update(clientToken, { order });
    return clientToken;
  } catch (fault) {
    if (!hasExpired(fault)) throw fault;
  }
  try {
    const { clientToken: fresh } = await clientSessions.renewToken(clientToken);
    await clientSessions.update(fresh, { order });
    return fresh;
  } catch (fault) {
    if (!hasExpired(fault)) throw fault;
    return undefined;
  }
}
