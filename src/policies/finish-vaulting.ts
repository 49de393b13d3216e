// Finishes the vaulting of instruments that a crash left between the instrument's stream and the customer's wallet.
import type { Instruments } from '../commands/instruments/instruments.ts';
import type { PaymentInstrument } from '../domain/payment-instrument/state.ts';
import { type PaymentInstrumentKey, paymentInstruments } from '../projections/models/payment-instruments.ts';
import type { Policy } from './policy.ts';

const NAME = 'finish-vaulting';
/** A request needs far less for its three steps. */
const GRACE_MS = 10_000;

export const finishVaulting = ({
  finishVaulting: finish,
}: Pick<Instruments, 'finishVaulting'>): Policy<PaymentInstrument, PaymentInstrumentKey> => ({
  name: NAME,
  of: paymentInstruments,
  due: 'vaultingSince',
  graceMs: GRACE_MS,
  everyMs: 5_000,
  elsewhereMs: 30_000,
  act: async ({ id, revision, doc }) => {
    if (doc.status !== 'absent') await finish({ id, revision, accountId: doc.accountId }, doc, NAME);
  },
});
