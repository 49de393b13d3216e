// The notes on a payment as they are: without those that were withdrawn.
import type { Decider } from '../decider.ts';
import { type PaymentNoteEvent, paymentNoteCategory } from './events.ts';

interface Note {
  /** The revision of its event: its id among the notes of the payment. */
  readonly note: number;
  /** The id of the user. */
  readonly author: string;
  readonly text: string;
  /** When it was recorded, ms. */
  readonly at: number;
}

export interface PaymentNotes {
  /** Oldest first. */
  readonly notes: readonly Note[];
  /** The number of notes that were ever added. */
  readonly added: number;
}

export const paymentNote: Decider<PaymentNotes, PaymentNoteEvent> = {
  category: paymentNoteCategory,
  initial: { notes: [], added: 0 },
  subjectOf: (_notes, _event, id) => ({ accountId: '', otherwise: `payment ${id}` }),
  evolve({ notes, added }, { type, data }, { revision, at }) {
    switch (type) {
      case 'NoteAdded':
        return { notes: [...notes, { note: revision, ...data, at }], added: added + 1 };
      case 'NoteWithdrawn':
        return { notes: notes.filter(({ note }) => note !== data.note), added };
      case 'CustomerErased':
        return { notes: [], added };
      default:
        return type satisfies never;
    }
  },
};
