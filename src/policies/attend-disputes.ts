// Disputes whose time has come: answers with an unknown outcome, disputes whose time to answer is over, and challenged ones are looked up.
import type { Payments } from '../commands/payments/payments.ts';
import type { Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { Policy } from './policy.ts';

const NAME = 'attend-disputes';

export const attendDisputes = ({ lookUpDisputes }: Pick<Payments, 'lookUpDisputes'>): Policy<Payment, PaymentKey> => ({
  name: NAME,
  of: payments,
  due: 'disputeDueAt',
  graceMs: 0,
  everyMs: 1_000,
  elsewhereMs: 30_000,
  act: async ({ id, revision, doc }) => {
    if (isKnown(doc)) await lookUpDisputes({ id, revision, accountId: doc.accountId }, NAME);
  },
});
