// /customers: the erasure of a customer's personal data (contract §5).
import { z } from 'zod';
import type { Caller } from '../../commands/caller.ts';
import type { Erased, ErasureAnswer } from '../../commands/customers/erase-customer.ts';
import { identifier } from '../../commands/fields/text.ts';
import type { Refusal } from '../errors.ts';
import { type Reply, type Route, route } from '../route.ts';

export interface ErasureRouteNeeds {
  readonly eraseCustomer: (customerId: string, caller: Caller) => Promise<ErasureAnswer>;
}

const count = (description: string) => z.int().min(0).meta({ description });

export const ErasureAnswerBody = z
  .object({
    customerId: z.string().meta({ description: "The merchant's id of the customer, which stays." }),
    payments: count('Payments that no longer show the customer.'),
    sessions: count('Client sessions that no longer show the customer.'),
  })
  .meta({ id: 'CustomerErasure' });

const params = z.object({ customerId: identifier.meta({ description: "The merchant's id of the customer." }) });

/** The response after an erasure, or its refusal. */
export const erasureReply = (answer: ErasureAnswer): Reply<z.infer<typeof ErasureAnswerBody>> | Refusal =>
  answer.kind === 'rejected' ? answer : { kind: 'reply', status: 200, body: bodyOf(answer) };

const bodyOf = (erased: Erased): z.infer<typeof ErasureAnswerBody> => ({
  customerId: erased.customerId,
  payments: erased.payments,
  sessions: erased.sessions,
});

export const customerRoutes = (needs: ErasureRouteNeeds): readonly Route[] => [
  route({
    tag: 'Customers',
    method: 'DELETE',
    path: '/customers/:customerId/personal-data',
    scope: 'payment_instrument:write',
    id: 'eraseCustomer',
    example: { on: 'vaulted card' },
    summary: "Erase a customer's personal data for good",
    request: z.object({ params }),
    answer: ErasureAnswerBody,
    errors: ['PaymentOperationInProgress', 'PaymentDisputed', 'OperationNotSupported', 'Conflict'],
    handle: async ({ params: { customerId } }, { caller }) =>
      erasureReply(await needs.eraseCustomer(customerId, caller)),
  }),
];
