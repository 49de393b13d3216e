// Notes of users on a payment: added, and withdrawn. They change nothing of the payment, its version included.
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { addNote, withdrawNote } from '../../domain/payment-note/decide.ts';
import type { PaymentNoteEvent } from '../../domain/payment-note/events.ts';
import type { PaymentNotes } from '../../domain/payment-note/state.ts';
import type { Streams } from '../../journal/streams.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { type Effect, leftBy, transactFor, type Worked } from '../effect.ts';
import type { Idempotency } from '../idempotency.ts';

export interface NoteNeeds {
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly paymentNotes: Streams<PaymentNotes, PaymentNoteEvent>;
  readonly idempotency: Idempotency;
}

export type Notes = ReturnType<typeof makeNotes>;

/** Each answers the notes of the payment after the change. NotFound for another account's payment. */
export const makeNotes = (needs: NoteNeeds) => ({
  /** Conflict if the payment has too many notes. */
  addNote: (paymentId: string, text: string, by: Caller): Promise<Answer<PaymentNotes>> =>
    change(needs, 'add-note', paymentId, by, addNote(by.actor.id, text)),
  /** `note`: see Note. `mayAll`: true for a user who may withdraw the notes of others. */
  withdrawNote: (paymentId: string, note: number, mayAll: boolean, by: Caller): Promise<Answer<PaymentNotes>> =>
    change(needs, 'withdraw-note', paymentId, by, withdrawNote(note, { userId: by.actor.id, mayAll })),
});

async function change(
  { payments, paymentNotes, idempotency }: NoteNeeds,
  name: string,
  paymentId: string,
  by: Caller,
  decide: (notes: PaymentNotes) => Decision<PaymentNoteEvent>,
): Promise<Answer<PaymentNotes>> {
  const { state } = await payments.current(paymentId);
  if (!isKnown(state) || state.accountId !== by.accountId) return missing();
  return idempotency.once(by, {
    name,
    target: paymentNotes,
    resource: { id: paymentId },
    appendsOnce: true,
    async work(effect: Effect): Promise<Worked<Answer<PaymentNotes>>> {
      const done = await transactFor(effect, paymentNotes, decide);
      if (done.kind === 'rejected') return { answer: done, appended: false };
      return { answer: completed(paymentId, await leftBy(paymentNotes, paymentId, done)), appended: true };
    },
    replay: async (_effect, revision) => completed(paymentId, await paymentNotes.at(paymentId, revision)),
  });
}

const missing = (): Rejection => reject('NotFound', 'There is no such payment.');
