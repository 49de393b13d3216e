// Records that single-use tokens have expired which neither paid nor were vaulted within their 24 hours (contract §5).
import type { Instruments } from '../commands/instruments/instruments.ts';
import type { PaymentInstrument } from '../domain/payment-instrument/state.ts';
import { type PaymentInstrumentKey, paymentInstruments } from '../projections/models/payment-instruments.ts';
import type { Policy } from './policy.ts';

const NAME = 'expire-instruments';

export const expireInstruments = ({
  expireInstrument,
}: Pick<Instruments, 'expireInstrument'>): Policy<PaymentInstrument, PaymentInstrumentKey> => ({
  name: NAME,
  of: paymentInstruments,
  due: 'expiresAt',
  graceMs: 0,
  everyMs: 5_000,
  elsewhereMs: 60_000,
  act: async ({ id, revision, doc }) => {
    if (doc.status !== 'absent') await expireInstrument({ id, revision, accountId: doc.accountId }, NAME);
  },
});
