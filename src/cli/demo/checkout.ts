// The demo's checkout: the requests of a shop's backend and its customer's browser, in order.
import { z } from 'zod';
import type { World } from '../../world.ts';
import type { Client, DemoAnswer } from './exchange.ts';

/** The members of the answers that the demo reads. */
const Session = z.object({ clientToken: z.string() });
const Instrument = z.object({ token: z.string() });
export const Payment = z.object({ id: z.string(), status: z.string() });
const Refunded = Payment.extend({
  currencyCode: z.string(),
  processor: z.object({ amountAuthorized: z.number(), amountCaptured: z.number(), amountRefunded: z.number() }),
});

const APPROVED = '4242424242424242';

/** Amounts in minor units. */
export interface Ended {
  readonly paymentId: string;
  readonly status: string;
  readonly currencyCode: string;
  readonly authorized: number;
  readonly captured: number;
  readonly refunded: number;
}

/** Session, token, payment, capture, refund of a half. */
export async function checkout(client: Client, apiKey: string, world: World): Promise<Ended> {
  const { body } = await authorize(client, apiKey, APPROVED, world);
  return captureAndRefund(client, apiKey, Payment.parse(body).id);
}

/** Up to the payment; its answer is any success. `fields`: of POST /payments, besides the two tokens. */
export async function authorize(
  client: Client,
  apiKey: string,
  card: string,
  world: World,
  fields: object = {},
): Promise<DemoAnswer> {
  const order = { lineItems: [{ itemId: 'shirt', amount: 2_500, quantity: 2 }], shipping: { amount: 490 } };
  const reference = `demo-${Buffer.from(world.randomBytes(4)).toString('hex')}`;
  const asShop = ['X-Api-Key', apiKey] as const;
  const session = await client.send({
    method: 'POST',
    path: '/client-session',
    credential: asShop,
    body: { orderId: reference, currencyCode: 'EUR', customer: { emailAddress: 'ada@example.com' }, order },
  });
  const { clientToken } = Session.parse(session.body);
  const instrument = await client.send({
    method: 'POST',
    path: '/checkout/payment-instruments',
    credential: ['X-Client-Token', clientToken],
    body: {
      card: { number: card, expirationMonth: '12', expirationYear: '2030', cvc: '123', cardholderName: 'Ada Lovelace' },
    },
  });
  const paymentMethodToken = Instrument.parse(instrument.body).token;
  return client.send({
    method: 'POST',
    path: '/payments',
    credential: asShop,
    idempotencyKey: reference,
    body: { clientToken, paymentMethodToken, ...fields },
  });
}

export async function captureAndRefund(client: Client, apiKey: string, id: string): Promise<Ended> {
  const credential = ['X-Api-Key', apiKey] as const;
  await client.send({ method: 'POST', path: `/payments/${id}/capture`, credential, body: {} });
  const body = { amount: 2_500, reason: 'one shirt came back' };
  const answer = await client.send({ method: 'POST', path: `/payments/${id}/refund`, credential, body });
  const { status, currencyCode, processor } = Refunded.parse(answer.body);
  const { amountAuthorized: authorized, amountCaptured: captured, amountRefunded: refunded } = processor;
  return { paymentId: id, status, currencyCode, authorized, captured, refunded };
}
