// Finds payments with attempts whose outcome is due to be looked up, also those that a crash left, and asks the processor.

import { lookUpAttempts } from '../commands/attempts/look-up-attempts.ts';
import type { House } from '../commands/house.ts';
import { concludePayment } from '../commands/payments/conclude-payment.ts';
import { isKnown, type Payment } from '../domain/payment/state.ts';
import { policyContext } from '../journal/contexts.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { Policy } from './policy.ts';

const NAME = 'resolve-unknown-outcomes';

export const resolveUnknownOutcomes = (house: House): Policy<Payment, PaymentKey> => ({
  name: NAME,
  of: payments,
  due: 'dueAt',
  graceMs: 0,
  everyMs: 1_000,
  elsewhereMs: 30_000,
  act: async ({ id, revision, doc }) => {
    if (!isKnown(doc)) return;
    const context = policyContext(house.world, NAME, doc.accountId, await house.payments.causeAt(id, revision));
    // Also what follows from a settled payment and a crash left undone: vaulting, and claims given back.
    await concludePayment(house, id, await lookUpAttempts(house, id, 'due', context), context);
  },
});
