// The name of a customer in the dashboard's answers.
import { z } from 'zod';
import type { CustomerName } from '../../projections/models/customers.ts';

/** In two parts, because a page keeps the direction of the one from the other. */
export const CustomerNameAnswer = z
  .strictObject({ firstName: z.string().optional(), lastName: z.string().optional() })
  .meta({ id: 'CustomerName' });

/** The member `customerName`; nothing if no part of the name is known. */
export function customerNameAnswer(customer: CustomerName | undefined): { readonly customerName?: CustomerName } {
  const { firstName, lastName } = customer ?? {};
  if (firstName === undefined && lastName === undefined) return {};
  return {
    customerName: { ...(firstName !== undefined && { firstName }), ...(lastName !== undefined && { lastName }) },
  };
}
