// Payment instruments by token; found when their vaulting was begun and not finished.
import { type PaymentInstrument, paymentInstrument } from '../domain/payment-instrument/state.ts';
import { foldOf, type Projection, projection } from './projection.ts';

export const paymentInstruments: Projection<PaymentInstrument, 'vaultingSince'> = projection(foldOf(paymentInstrument), {
  name: 'payment-instruments',
  version: 1,
  keys: { vaultingSince: vaultingSince },
  indexes: [['vaultingSince']],
});

/** When vaulting was requested, ms, while neither the wallet's answer nor a merge is on record. */
function vaultingSince(instrument: PaymentInstrument): number | undefined {
  return instrument.status === 'absent' || instrument.vault?.state !== 'requested' ? undefined : instrument.vault.requestedAt;
}
