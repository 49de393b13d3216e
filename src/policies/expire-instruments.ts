// Records that single-use tokens have expired which neither paid nor were vaulted within their 24 hours (contract §5).
import type { House } from '../commands/house.ts';
import { expireInstrument } from '../domain/payment-instrument/decide.ts';
import type { PaymentInstrument } from '../domain/payment-instrument/state.ts';
import { policyContext } from '../journal/contexts.ts';
import { transact } from '../journal/transact.ts';
import { type PaymentInstrumentKey, paymentInstruments } from '../projections/models/payment-instruments.ts';
import type { Policy } from './policy.ts';

const NAME = 'expire-instruments';

export const expireInstruments = (house: House): Policy<PaymentInstrument, PaymentInstrumentKey> => ({
  name: NAME,
  of: paymentInstruments,
  due: 'expiresAt',
  graceMs: 0,
  everyMs: 5_000,
  elsewhereMs: 60_000,
  act: async ({ id, revision, doc }) => {
    if (doc.status === 'absent') return;
    const context = policyContext(house.world, NAME, doc.accountId, await house.instruments.causeAt(id, revision));
    await transact(house.instruments, id, context, expireInstrument(context.at));
  },
});
