// Releases holds that the issuer gave up, at the time that the processor named when it authorized (contract §4).
import type { Payments } from '../commands/payments/payments.ts';
import type { Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { Policy } from './policy.ts';

const NAME = 'expire-authorizations';

export const expireAuthorizations = ({ expireAuthorization }: Pick<Payments, 'expireAuthorization'>): Policy<Payment, PaymentKey> => ({
  name: NAME,
  of: payments,
  due: 'expiresAt',
  graceMs: 0,
  everyMs: 1_000,
  elsewhereMs: 30_000,
  act: async ({ id, revision, doc }) => {
    if (isKnown(doc)) await expireAuthorization({ id, revision, accountId: doc.accountId }, NAME);
  },
});
