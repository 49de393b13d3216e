// Notes of users on a payment: added, and withdrawn. They change nothing of the payment, its version included.
import { type Decision, reject } from '../../domain/decider.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { addNote, type PaymentNoteEvent, type PaymentNotes, withdrawNote } from '../../domain/payment-note.ts';
import type { Streams } from '../../journal/streams.ts';
import { type Bound, bind } from '../bind.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { changeOnce, type Idempotency, replayed } from '../idempotency.ts';

interface NoteNeeds {
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly paymentNotes: Streams<PaymentNotes, PaymentNoteEvent>;
  readonly idempotency: Idempotency;
}

export type Notes = Bound<typeof COMMANDS>;

/** Answers the notes of the payment after the change. NotFound for another account's; Conflict if it has too many. */
const add = (needs: NoteNeeds, paymentId: string, text: string, by: Caller): Promise<Answer<PaymentNotes>> =>
  change(needs, 'add-note', paymentId, by, addNote(by.actor.id, text));

/** See addNote. `note`: see Note. `mayAll`: true for a user who may withdraw the notes of others. */
const withdraw = (
  needs: NoteNeeds,
  paymentId: string,
  note: number,
  mayAll: boolean,
  by: Caller,
): Promise<Answer<PaymentNotes>> =>
  change(needs, 'withdraw-note', paymentId, by, withdrawNote(note, { userId: by.actor.id, mayAll }));

async function change(
  { payments, paymentNotes, idempotency }: NoteNeeds,
  name: string,
  paymentId: string,
  by: Caller,
  decide: (notes: PaymentNotes) => Decision<PaymentNoteEvent>,
): Promise<Answer<PaymentNotes>> {
  const { state } = await payments.current(paymentId);
  if (!isKnown(state) || state.accountId !== by.accountId) return reject('NotFound', 'There is no such payment.');
  using operation = await idempotency.open(by, name);
  const target = { streams: paymentNotes, resource: { id: paymentId } };
  const changed = await changeOnce(operation, target, () => decide);
  if (changed.kind === 'rejected') return changed;
  const answer = completed(paymentId, changed.folded);
  return changed.replayed ? replayed(answer) : answer;
}

const COMMANDS = { addNote: add, withdrawNote: withdraw };

export const makeNotes = (needs: NoteNeeds): Notes => bind(needs, COMMANDS);
