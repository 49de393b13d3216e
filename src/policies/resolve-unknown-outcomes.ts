// Finds payments with attempts whose outcome is due to be looked up, also those that a crash left, and asks the processor.
import type { Payments } from '../commands/payments/payments.ts';
import type { Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { Policy } from './policy.ts';

const NAME = 'resolve-unknown-outcomes';

export const resolveUnknownOutcomes = ({ lookUpPayment }: Pick<Payments, 'lookUpPayment'>): Policy<Payment, PaymentKey> => ({
  name: NAME,
  of: payments,
  due: 'dueAt',
  graceMs: 0,
  everyMs: 1_000,
  elsewhereMs: 30_000,
  act: async ({ id, revision, doc }) => {
    if (isKnown(doc)) await lookUpPayment({ id, revision, accountId: doc.accountId }, 'due', NAME);
  },
});
