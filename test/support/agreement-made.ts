// An agreement, and the payment of its customer that it begins with.
import { z } from 'zod';
import { newId } from '../../src/world.ts';
import { bodyOf, type Paying, type Payment } from './http-merchant.ts';
import type { HttpService } from './http-service.ts';

/** A payment that saves its card for the customer. */
export const firstPayment = (
  { shop, world }: Pick<HttpService, 'shop' | 'world'>,
  customerId: string = newId(world, 'customer'),
  paying: Paying = {},
): Promise<Payment> =>
  shop.paid({
    ...paying,
    session: { customerId, paymentMethod: { vaultOnSuccess: true, paymentType: 'FIRST_PAYMENT' }, ...paying.session },
  });

/** The terms of these tests: 19.00 EUR each month. */
export const TERMS = {
  amountRule: 'EXACT',
  amount: 1_900,
  currencyCode: 'EUR',
  frequency: 'MONTH',
  description: 'The magazine, each month',
};

export const CONSENT = { acceptedAt: '2026-01-01T00:00:00Z', channel: 'ONLINE', textDigest: 'ab'.repeat(32) };

/** The id of a new agreement. `fields`: of the request, which win. */
export async function agreementOf(
  { shop }: Pick<HttpService, 'shop'>,
  { id }: Pick<Payment, 'id'>,
  fields: object = {},
): Promise<string> {
  const made = await shop.ask('POST', '/agreements', {
    paymentId: id,
    kind: 'RECURRING',
    terms: TERMS,
    consent: CONSENT,
    ...fields,
  });
  return bodyOf(made, z.looseObject({ id: z.string() })).id;
}

/** A session whose customer is asked to agree to `agreement`; PATCHes name it by the token. */
export async function proposing(
  { shop, world }: Pick<HttpService, 'shop' | 'world'>,
  fields: object = {},
): Promise<{ readonly clientToken: string; readonly customerId: string }> {
  const customerId = newId(world, 'customer');
  const agreement = { kind: 'RECURRING', terms: TERMS };
  return { clientToken: await shop.session({ customerId, agreement, ...fields }), customerId };
}

const Shown = z.looseObject({
  agreement: z.looseObject({
    isAgreed: z.boolean(),
    texts: z.array(z.looseObject({ language: z.string(), text: z.string(), textDigest: z.string() })),
  }),
});

/** The sentence that the session's checkout shows. */
export async function shownText(
  { request }: Pick<HttpService, 'request'>,
  token: string,
  language = 'en',
): Promise<{ readonly text: string; readonly textDigest: string; readonly isAgreed: boolean }> {
  const { agreement } = bodyOf(await request('GET', '/checkout/session', { token }), Shown);
  const shown = agreement.texts.find((one) => one.language === language);
  if (shown === undefined) throw new Error(`the checkout has no text in ${language}`);
  return { ...shown, isAgreed: agreement.isAgreed };
}

/** The customer agrees in the checkout; the id of the agreement. */
export async function agreeIn(http: Pick<HttpService, 'request'>, token: string, language = 'en'): Promise<string> {
  const { textDigest } = await shownText(http, token, language);
  const agreed = await http.request('POST', '/checkout/agreement', { token, body: { language, textDigest } });
  return bodyOf(agreed, z.looseObject({ id: z.string() })).id;
}
