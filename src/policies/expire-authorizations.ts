// Releases what an issuer no longer holds, at the time that the processor named when it authorized (contract §4).

import type { House } from '../commands/house.ts';
import { concludePayment } from '../commands/payments/conclude-payment.ts';
import { expireHold } from '../domain/payment/decide.ts';
import { isKnown, type Payment } from '../domain/payment/state.ts';
import { policyContext } from '../journal/contexts.ts';
import { contextAfter, transact } from '../journal/transact.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { Policy } from './policy.ts';

const NAME = 'expire-authorizations';

export const expireAuthorizations = (house: House): Policy<Payment, PaymentKey> => ({
  name: NAME,
  of: payments,
  due: 'expiresAt',
  graceMs: 0,
  everyMs: 1_000,
  elsewhereMs: 30_000,
  act: async ({ id, revision, doc }) => {
    if (!isKnown(doc)) return;
    const context = policyContext(house.world, NAME, doc.accountId, await house.payments.causeAt(id, revision));
    const expired = await transact(house.payments, id, context, expireHold(context.at));
    if (expired.kind === 'written') await concludePayment(house, id, expired.folded, contextAfter(context, expired));
  },
});
