// Events of the notes on a payment. Their stream has the payment's id, so the payment's own stream and version stay.
import { z } from 'zod';
import { category, event } from '../category.ts';

export const paymentNoteCategory = category(
  'paymentNote',
  z.discriminatedUnion('type', [
    /** `author`: the id of the user. */
    event('NoteAdded', z.strictObject({ author: z.string(), text: z.string() })),
    /** `note`: the revision of its NoteAdded. The log keeps the text, and pages no longer show it. */
    event('NoteWithdrawn', z.strictObject({ note: z.number() })),
  ]),
);
export type PaymentNoteEvent = z.infer<typeof paymentNoteCategory.event>;
