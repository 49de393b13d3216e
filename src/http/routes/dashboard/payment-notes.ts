// The notes on a payment: read by every user, added by those who work with payments, withdrawn by their author.
import { z } from 'zod';
import type { Completed } from '../../../commands/caller.ts';
import { textUpTo } from '../../../commands/fields/text.ts';
import type { Notes } from '../../../commands/payments/payment-notes.ts';
import type { PaymentNotes } from '../../../domain/payment-note/state.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime } from '../../../world.ts';
import { forRoles, forUsers, found, type Route, route } from '../../route.ts';
import { params } from '../payment-params.ts';
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
        date: z.iso.datetime({ precision: 3 }),
        /** `email` is absent for a user who is no longer known. */
        author: z.strictObject({ id: z.string(), email: z.string().optional() }),
      }),
    ),
  })
  .meta({ id: 'PaymentNotes' });

export interface NoteRouteNeeds extends Notes, Pick<Queries, 'readPaymentNotes' | 'usersOfAccount'> {}

const common = { tag: 'Payments', answer: NotesAnswer } as const;
const writes = { ...common, method: 'POST', scope: forRoles('owner', 'developer', 'support') } as const;

export const paymentNoteRoutes = (needs: NoteRouteNeeds): readonly Route[] => {
  /** The newest first. */
  const answerOf = async ({ notes }: PaymentNotes, accountId: string): Promise<z.infer<typeof NotesAnswer>> => {
    const users = notes.length === 0 ? [] : await needs.usersOfAccount(accountId);
    const emails = new Map(users.map(({ userId, user }) => [userId, user.email]));
    const data = notes.toReversed().map(({ note, text, at, author }) => {
      const email = emails.get(author);
      return { note, text, date: formatTime(at), author: { id: author, ...(email !== undefined && { email }) } };
    });
    return { data };
  };
  const changed = async ({ doc, replayed = false }: Completed<PaymentNotes>, accountId: string) => ({
    ...found(await answerOf(doc, accountId)),
    ...(replayed && { replayed }),
  });
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dashboard/api/payments/:id/notes',
      scope: forUsers,
      summary: 'Read the notes on a payment, newest first',
      request: z.object({ params }),
      async handle({ params: { id } }, { caller: { accountId } }) {
        const notes = await needs.readPaymentNotes(id, accountId);
        return 'kind' in notes ? notes : found(await answerOf(notes, accountId));
      },
    }),
    route({
      ...writes,
      path: '/dashboard/api/payments/:id/notes',
      summary: 'Add a note to a payment, whose version stays',
      request: z.object({ params, body: NewNote }),
      errors: ['Conflict'],
      async handle({ params: { id }, body: { text } }, { caller }) {
        const done = await needs.addNote(id, text.trim(), caller);
        return done.kind === 'rejected' ? done : changed(done, caller.accountId);
      },
    }),
    route({
      ...writes,
      path: '/dashboard/api/payments/:id/notes/:note/withdraw',
      summary: 'Withdraw a note: your own, or as an owner anyone’s; the log keeps it',
      request: z.object({ params: params.extend({ note: z.coerce.number().pipe(z.int().min(0)) }) }),
      errors: ['Conflict'],
      async handle({ params: { id, note } }, call) {
        const { caller } = call;
        const done = await needs.withdrawNote(id, note, userOf(call).role === 'owner', caller);
        return done.kind === 'rejected' ? done : changed(done, caller.accountId);
      },
    }),
  ];
};
