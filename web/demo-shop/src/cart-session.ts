// The client session of a cart, with the cart's items at the catalogue's prices.
import { type Counterfoil, CounterfoilError, type Payment } from '@counterfoil/client';
import { type Cart, CURRENCY, type Order, orderOf } from './catalogue.ts';
import type { Shopper } from './shoppers.ts';

const hasExpired = (fault: unknown): boolean => CounterfoilError.is(fault, 'ClientSessionValidationError');

/**
 * Updates the cart's client session and order to the cart's current contents. `goesOn`: a payment whose shopper has
 * left the page of the bank, and is led there again with the session as it is.
 */
export async function saveCart(
  client: Counterfoil,
  shopper: Shopper,
  { orderId, lines, clientToken }: Cart,
  goesOn: (payment: Payment) => boolean = () => false,
): Promise<void> {
  const order = orderOf(lines);
  const token = clientToken === undefined ? undefined : await update(client, clientToken, order, goesOn);
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
async function update(
  { clientSessions, payments }: Counterfoil,
  clientToken: string,
  order: Order,
  goesOn: (payment: Payment) => boolean,
): Promise<string | undefined> {
  try {
    await clientSessions.update(clientToken, { order });
    return clientToken;
  } catch (fault) {
    const held = CounterfoilError.is(fault, 'ClientSessionCompleted') ? fault.paymentId : undefined;
    if (held !== undefined && goesOn(await payments.get(held))) return clientToken;
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
