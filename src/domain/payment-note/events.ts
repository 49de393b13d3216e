// Events of the notes on a payment. Their stream has the payment's id, so the payment's own stream and version stay.
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';
import { CustomerErased, personal } from '../personal.ts';

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
