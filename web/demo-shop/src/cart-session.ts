// The client session of a cart, with the cart's items at the catalogue's prices.
import { type Counterfoil, CounterfoilError } from '@counterfoil/client';
import { type Cart, CURRENCY, type Order, orderOf } from './catalogue.ts';
import type { Shopper } from './shoppers.ts';

const hasExpired = (fault: unknown): boolean => CounterfoilError.is(fault, 'ClientSessionValidationError');

/** Updates the cart's client session and order to the cart's current contents. */
export async function saveCart(
  client: Counterfoil,
  shopper: Shopper,
  { orderId, lines, clientToken }: Cart,
): Promise<void> {
  const order = orderOf(lines);
  const token = clientToken === undefined ? undefined : await update(client, clientToken, order);
  shopper.cart = { orderId, lines, clientToken: token ?? (await create(client, shopper, orderId, order)) };
  shopper.orders.set(orderId, shopper.cart);
}

async function create(
  { clientSessions }: Counterfoil,
  { customerId }: Shopper,
  orderId: string,
  order: Order,
): Promise<string> {
  const paymentMethod = { captureMode: 'AUTOMATIC' } as const;
  return (await clientSessions.create({ orderId, customerId, currencyCode: CURRENCY, order, paymentMethod }))
    .clientToken;
}

/**
 * The session's token, a new one if the old one expired after 24 hours, or undefined if the session expired after 30
 * days.
 */
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
