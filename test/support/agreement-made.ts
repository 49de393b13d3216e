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
