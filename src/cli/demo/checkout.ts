// The demo's checkout: what a shop's backend and its customer's browser send, in order.
import { z } from 'zod';
import type { World } from '../../world.ts';
import { Refused } from '../exit.ts';
import { tell } from '../output.ts';
import type { Answer, Client } from './exchange.ts';

/** What the demo reads of the answers. */
const Session = z.object({ clientToken: z.string() });
const Instrument = z.object({ token: z.string() });
const Payment = z.object({ id: z.string(), status: z.string() });
const Refunded = Payment.extend({
  currencyCode: z.string(),
  processor: z.object({ amountCaptured: z.number(), amountRefunded: z.number() }),
});

const APPROVED = '4242424242424242';
/** The call times out, and the money moved. */
const LOST_ANSWER = '4000009900001044';

/** Amounts in minor units. */
export interface Ended {
  readonly paymentId: string;
  readonly status: string;
  readonly currencyCode: string;
  readonly captured: number;
  readonly refunded: number;
}

/** Session, token, payment, capture, half of it back. */
export async function checkout(client: Client, apiKey: string, world: World): Promise<Ended> {
  const { body } = await authorize(client, apiKey, APPROVED, world);
  return captureAndRefund(client, apiKey, Payment.parse(body).id);
}

/** The same with a lost answer: 202, then the processor is asked what became of it. */
export async function unknownCheckout(client: Client, apiKey: string, world: World): Promise<Ended> {
  tell('The processor will not answer: the service waits for it for 25 s, then says 202.');
  const { status, body } = await authorize(client, apiKey, LOST_ANSWER, world);
  const { id } = Payment.parse(body);
  if (status !== 202) throw new Refused(`The lost answer was expected to be a 202, and was ${status}.`);
  tell('The outcome is unknown, so nobody claims one. The service asks the processor by its own reference, 30 s after the request.');
  await untilKnown(client, apiKey, id, world);
  return captureAndRefund(client, apiKey, id);
}

async function authorize(client: Client, apiKey: string, card: string, world: World): Promise<Answer> {
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
    body: { card: { number: card, expirationMonth: '12', expirationYear: '2030', cvc: '123', cardholderName: 'Ada Lovelace' } },
  });
  const paymentMethodToken = Instrument.parse(instrument.body).token;
  return client.send({
    method: 'POST',
    path: '/payments',
    credential: asShop,
    idempotencyKey: reference,
    body: { clientToken, paymentMethodToken },
  });
}

const LOOK_EVERY_MS = 1_000;
/** Longer than the first look-up needs by any measure. */
const SETTLED_WITHIN_MS = 120_000;

/** Reads the payment until it is not PENDING any more; only what changed is shown, so the reads in between go unseen. */
async function untilKnown(client: Client, apiKey: string, id: string, world: World): Promise<void> {
  const deadline = world.monotonic() + SETTLED_WITHIN_MS;
  while (world.monotonic() < deadline) {
    const { body } = await client.look({ method: 'GET', path: `/payments/${id}`, credential: ['X-Api-Key', apiKey] }, (answer) => {
      const read = Payment.safeParse(answer);
      return !read.success || read.data.status !== 'PENDING';
    });
    if (Payment.parse(body).status !== 'PENDING') return;
    await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  throw new Refused(`The outcome of ${id} is still unknown after ${SETTLED_WITHIN_MS / 1_000} s: counterfoil payments show ${id}`);
}

async function captureAndRefund(client: Client, apiKey: string, id: string): Promise<Ended> {
  const credential = ['X-Api-Key', apiKey] as const;
  await client.send({ method: 'POST', path: `/payments/${id}/capture`, credential, body: {} });
  const body = { amount: 2_500, reason: 'one shirt came back' };
  const refunded = await client.send({ method: 'POST', path: `/payments/${id}/refund`, credential, body });
  const { status, currencyCode, processor } = Refunded.parse(refunded.body);
  return { paymentId: id, status, currencyCode, captured: processor.amountCaptured, refunded: processor.amountRefunded };
}
