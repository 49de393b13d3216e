// The notes on a payment, folded from their own stream: a page reads those of one payment, so they have no read model.
import type { Rejection } from '../domain/decider.ts';
import type { PaymentNoteEvent } from '../domain/payment-note/events.ts';
import type { PaymentNotes } from '../domain/payment-note/state.ts';
import type { Streams } from '../journal/streams.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { readPayment } from './read-payments.ts';

/** NotFound, including for a payment of another account. Throws StoreUnavailable and BrokenStream. */
export const readPaymentNotes =
  (readModels: ReadModels, notes: Streams<PaymentNotes, PaymentNoteEvent>) =>
  async (paymentId: string, accountId: string): Promise<PaymentNotes | Rejection> => {
    const payment = await readPayment(readModels)(paymentId, accountId);
    return 'kind' in payment ? payment : (await notes.current(paymentId)).state;
  };
