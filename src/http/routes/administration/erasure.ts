// The erasure of a customer's personal data: by an API key (contract §5), or by an owner in the dashboard.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import { found, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { MAY } from './ways.ts';

const count = (description: string) => z.int().min(0).meta({ description });

const ErasureAnswerBody = z
  .object({
    customerId: z.string().meta({ description: "The merchant's id of the customer, which stays." }),
    payments: count('Payments that no longer show the customer.'),
    sessions: count('Client sessions that no longer show the customer.'),
  })
  .meta({ id: 'CustomerErasure' });

const params = z.object({ customerId: identifier.meta({ description: "The merchant's id of the customer." }) });

/** Erases, and says what no longer shows the customer. */
async function erase({ customers }: RouteParts, ...asked: Parameters<RouteParts['customers']['eraseCustomer']>) {
  const erased = await customers.eraseCustomer(...asked);
  if (erased.kind === 'rejected') return erased;
  const { customerId, payments, sessions } = erased;
  return found({ customerId, payments, sessions });
}

const common = {
  answer: ErasureAnswerBody,
  errors: ['PaymentOperationInProgress', 'PaymentDisputed', 'OperationNotSupported', 'Conflict'],
  summary: "Erase a customer's personal data for good",
} as const;

export const erasureByKey = (parts: RouteParts): Route =>
  route({
    ...common,
    tag: 'Customers',
    method: 'DELETE',
    path: '/customers/:customerId/personal-data',
    scope: 'payment_instrument:write',
    id: 'eraseCustomer',
    example: { on: 'vaulted card' },
    request: z.object({ params }),
    handle: ({ params: { customerId } }, { caller }) => erase(parts, customerId, caller),
  });

export const erasureByUser = (parts: RouteParts): Route =>
  route({
    ...common,
    tag: 'Payments',
    method: 'POST',
    path: '/dashboard/api/customer/erase',
    scope: MAY.erasure.change,
    request: z.object({ body: z.strictObject({ customerId: identifier }).meta({ id: 'CustomerToErase' }) }),
    handle: ({ body: { customerId } }, { caller }) => erase(parts, customerId, caller),
  });
