// Decisions on the notes of a payment: this stream owns how many there are.
import { accept, type Decision, reject } from '../decider.ts';
import type { PaymentNoteEvent } from './events.ts';
import type { PaymentNotes } from './state.ts';

/** All have room in one answer. Withdrawn notes count: their events stay in the stream. */
export const MOST_NOTES = 50;

/** Conflict beyond MOST_NOTES. */
export const addNote =
  (author: string, text: string) =>
  ({ added }: PaymentNotes): Decision<PaymentNoteEvent> =>
    added < MOST_NOTES
      ? accept({ type: 'NoteAdded', data: { author, text } })
      : reject('Conflict', `The payment has had ${MOST_NOTES} notes, and cannot have more.`);

/** NotFound for an unknown or withdrawn note; InsufficientScope for another author’s, unless `mayAll`. */
export const withdrawNote =
  (note: number, by: { readonly userId: string; readonly mayAll: boolean }) =>
  ({ notes }: PaymentNotes): Decision<PaymentNoteEvent> => {
    const found = notes.find((one) => one.note === note);
    if (found === undefined) return reject('NotFound', 'There is no such note.');
    return by.mayAll || found.author === by.userId
      ? accept({ type: 'NoteWithdrawn', data: { note } })
      : reject('InsufficientScope', 'Only the author of a note, or an owner, can withdraw the note.');
  };
