// An agreement of a dashboard's account, and charges of its periods, by the API as merchants make them.
import { z } from 'zod';
import { CONSENT, TERMS } from './agreement-made.ts';
import type { Shop, ShopPayment } from './dashboard-shop.ts';

const Made = z.looseObject({ id: z.string() });
const Charged = z.looseObject({ id: z.string(), status: z.string() });

/** The members of the request win over those of these tests. */
interface Asked {
  readonly customerId: string;
  readonly card?: string;
  readonly [member: string]: unknown;
}

interface Agreed {
  readonly id: string;
  readonly first: ShopPayment;
}

/** By a payment that its customer made. `fields`: of the request, which win. */
export async function agreedOn(shop: Shop, paymentId: string, fields: object = {}): Promise<{ readonly id: string }> {
  const asked = { paymentId, kind: 'RECURRING', terms: TERMS, consent: CONSENT, ...fields };
  return Made.parse(await shop.ask('/agreements', asked));
}

/** With the payment that it begins with. */
export async function agreedIn(shop: Shop, { customerId, card, ...fields }: Asked): Promise<Agreed> {
  const session = { customerId, paymentMethod: { vaultOnSuccess: true, paymentType: 'FIRST_PAYMENT' } };
  const first = await shop.paid({ session, ...(card !== undefined && { card }) });
  return { ...(await agreedOn(shop, first.id, fields)), first };
}

export const chargedIn = async (
  shop: Shop,
  id: string,
  periodKey: string,
  fields: object = {},
): Promise<z.infer<typeof Charged>> =>
  Charged.parse(await shop.ask(`/agreements/${id}/charges`, { periodKey, orderId: `order-${periodKey}`, ...fields }));
