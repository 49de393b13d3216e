// The notes on a payment: read by every user, added by those who work with payments, withdrawn by their author.
import { z } from 'zod';
import { textUpTo } from '../../../commands/fields/text.ts';
import type { PaymentNotes } from '../../../domain/payment-note.ts';
import { formatTime } from '../../../world.ts';
import { Instant } from '../../answers/shapes.ts';
import { forRoles, forUsers, found, type Route, route, shapedLater } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { paymentParams as params } from '../payment-filter.ts';
import { userOf } from './sign-in.ts';

const MOST_CHARACTERS = 2_000;
const NewNote = z
  .strictObject({
    text: textUpTo(MOST_CHARACTERS).refine((text) => text.trim() !== '', { error: 'Must not be blank.' }),
  })
  .meta({ id: 'NewPaymentNote' });
const NotesAnswer = z
  .strictObject({
    data: z.array(
      z.strictObject({
        /** Its id among the notes of the payment. */
        note: z.int().min(0),
        text: z.string(),
        date: Instant,
        /** `email` is absent for a user who is no longer known. */
        author: z.strictObject({ id: z.string(), email: z.string().optional() }),
      }),
    ),
  })
  .meta({ id: 'PaymentNotes' });

const common = { tag: 'Payments', path: '/dashboard/api/payments/:id/notes', answer: NotesAnswer } as const;
const writes = {
  ...common,
  method: 'POST',
  scope: forRoles('owner', 'developer', 'support'),
  errors: ['Conflict'],
} as const;

export function paymentNoteRoutes({ notes, queries }: RouteParts): readonly Route[] {
  /** The newest first. */
  const answerOf = async ({ notes: all }: PaymentNotes, accountId: string): Promise<z.infer<typeof NotesAnswer>> => {
    const emails = all.length === 0 ? new Map<string, string>() : await queries.emailsOfAccount(accountId);
    const data = all.toReversed().map(({ note, text, at, author: id }) => ({
      note,
      text,
      date: formatTime(at),
      author: { id, email: emails.get(id) },
    }));
    return { data };
  };
  return [
    route({
      ...common,
      method: 'GET',
      scope: forUsers,
      summary: 'Read the notes on a payment, newest first',
      request: z.object({ params }),
      async handle({ params: { id } }, { caller: { accountId } }) {
        const read = await queries.readPaymentNotes(id, accountId);
        return 'kind' in read ? read : found(await answerOf(read, accountId));
      },
    }),
    route({
      ...writes,
      summary: 'Add a note to a payment, whose version stays',
      request: z.object({ params, body: NewNote }),
      handle: async ({ params: { id }, body: { text } }, { caller }) =>
        shapedLater(await notes.addNote(id, text.trim(), caller), ({ doc }) => answerOf(doc, caller.accountId)),
    }),
    route({
      ...writes,
      path: `${common.path}/:note/withdraw`,
      summary: 'Withdraw a note: your own, or as an owner anyone’s; the log keeps it',
      request: z.object({ params: params.extend({ note: z.coerce.number().pipe(z.int().min(0)) }) }),
      async handle({ params: { id, note } }, call) {
        const { caller } = call;
        const done = await notes.withdrawNote(id, note, userOf(call).role === 'owner', caller);
        return shapedLater(done, ({ doc }) => answerOf(doc, caller.accountId));
      },
    }),
  ];
}
