// The notes on a payment. Their stream has the payment's id, so the payment's own stream and version stay; it owns how
// many there are.
import { z } from 'zod';
import { category, event, upcast } from './category.ts';
import { accept, type Decider, type Decision, reject } from './decider.ts';
import { CustomerErased, personal } from './personal.ts';

/** People write names into notes. */
const NoteAdded = z.strictObject({ author: z.string(), text: personal(z.string(), '') });

export const paymentNoteCategory = category(
  'paymentNote',
  z.discriminatedUnion('type', [
    /** `author`: the id of the user. */
    event('NoteAdded', NoteAdded),
    /** `note`: the revision of its NoteAdded. The log keeps the text, and pages no longer show it. */
    event('NoteWithdrawn', z.strictObject({ note: z.number() })),
    /** The customer of the payment was erased, and all notes with the customer. */
    event('CustomerErased', CustomerErased),
  ]),
  { NoteAdded: [upcast(NoteAdded, (older) => older)] },
);
export type PaymentNoteEvent = z.infer<typeof paymentNoteCategory.event>;

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
