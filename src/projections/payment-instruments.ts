// Payment instruments by token; found when their vaulting was begun and not finished.
import { type PaymentInstrument, paymentInstrument } from '../domain/payment-instrument/state.ts';
import { foldOf, type Projection, projection } from './projection.ts';

export const paymentInstruments: Projection<PaymentInstrument, 'vaultingSince'> = projection(foldOf(paymentInstrument), {
  name: 'payment-instruments',
  version: 1,
  keys: { vaultingSince: (instrument) => (instrument.status === 'vaulting' ? instrument.vault?.requestedAt : undefined) },
  indexes: [['vaultingSince']],
});
