// Payment instruments by token; listed newest first; found when their vaulting was begun and not finished, by when the
// expiry of an unused token is to be recorded, by when a payment claimed one, by session, and by customer.
import {
  claimedSince,
  expiryDueAt,
  type PaymentInstrument,
  paymentInstrument,
} from '../../domain/payment-instrument/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type PaymentInstrumentKey =
  | 'accountId'
  | 'createdAt'
  | 'vaultingSince'
  | 'expiresAt'
  | 'claimedAt'
  | 'sessionId'
  | 'customerId';

export const paymentInstruments: StreamProjection<PaymentInstrument, PaymentInstrumentKey> = projection(
  foldOf(paymentInstrument),
  {
    name: 'payment-instruments',
    version: 7,
    keys: {
      accountId: (instrument) => (instrument.status === 'absent' ? undefined : instrument.accountId),
      createdAt: (instrument) => (instrument.status === 'absent' ? undefined : instrument.createdAt),
      vaultingSince: (instrument) => (instrument.status === 'vaulting' ? instrument.vault?.requestedAt : undefined),
      expiresAt: expiryDueAt,
      claimedAt: claimedSince,
      sessionId: (instrument) => (instrument.status === 'absent' ? undefined : instrument.sessionId),
      /** The customer for whom it was ever saved: merged and deleted ones keep it. */
      customerId: (instrument) => (instrument.status === 'absent' ? undefined : instrument.vault?.customerId),
    },
    indexes: [
      ['accountId', 'createdAt'],
      ['vaultingSince'],
      ['expiresAt'],
      ['claimedAt'],
      ['sessionId'],
      ['accountId', 'customerId'],
    ],
  },
);
