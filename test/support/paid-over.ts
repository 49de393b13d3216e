// One payment over HTTP, authorized and captured: the smallest story with money in it.
import { z } from 'zod';
import type { Dashboard } from './dashboard.ts';

/** 50.00 EUR with a test card. Answers the payment's id. */
export async function paidOver(
  { url, key }: Pick<Dashboard, 'url' | 'key'>,
  number = '4242424242424242',
): Promise<string> {
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: object): Promise<unknown> => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  };
  const own = { 'x-api-key': key };
  const order = { lineItems: [{ itemId: 'shirt', amount: 2_500, quantity: 2 }] };
  const { clientToken } = z
    .looseObject({ clientToken: z.string() })
    .parse(await post('/client-session', own, { orderId: 'order-1', currencyCode: 'EUR', order }));
  const card = { number, expirationMonth: '12', expirationYear: '2030', cvc: '123' };
  const { token } = z
    .looseObject({ token: z.string() })
    .parse(await post('/checkout/payment-instruments', { 'x-client-token': clientToken }, { card }));
  const { id } = z
    .looseObject({ id: z.string() })
    .parse(await post('/payments', own, { clientToken, paymentMethodToken: token }));
  await post(`/payments/${id}/capture`, own, {});
  return id;
}
