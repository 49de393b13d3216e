// One authorized payment, made over HTTP.
import { z } from 'zod';
import { newSession, post } from './patches.ts';

/** Answers its id. */
export async function newPayment(url: string, key: string): Promise<string> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const clientToken = await newSession(url, headers);
  const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
  const checkout = { 'X-Client-Token': clientToken, 'Content-Type': 'application/json' };
  const { token } = z.object({ token: z.string() }).parse(await post(`${url}/checkout/payment-instruments`, checkout, { card }));
  return z.object({ id: z.string() }).parse(await post(`${url}/payments`, headers, { clientToken, paymentMethodToken: token })).id;
}
