// Payment instruments as a subject: tokenized in the checkout, vaulted, made the default and deleted by a merchant's backend (contract §5).
import type { House } from '../house.ts';
import { deletePaymentInstrument, makeInstrumentDefault } from './change-instrument.ts';
import { tokenizeCard } from './tokenize-card.ts';
import { vaultInstrument } from './vault-instrument.ts';

export type Instruments = ReturnType<typeof makeInstruments>;

export const makeInstruments = (needs: House) => ({
  tokenizeCard: tokenizeCard(needs),
  vaultInstrument: vaultInstrument(needs),
  makeInstrumentDefault: makeInstrumentDefault(needs),
  deletePaymentInstrument: deletePaymentInstrument(needs),
});
