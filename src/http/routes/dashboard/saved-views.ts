// The views of lists that the users of an account share: read by every user, saved by those who work with payments,
// removed by their author.
import { z } from 'zod';
import { identifier, textUpTo } from '../../../commands/fields/text.ts';
import type { Views } from '../../../commands/views/saved-views.ts';
import type { SavedViews } from '../../../domain/saved-view/state.ts';
import type { Queries } from '../../../queries/queries.ts';
import { forRoles, forUsers, found, type Route, route } from '../../route.ts';
import { userOf } from './sign-in.ts';

const MOST_CHARACTERS = 60;
const MOST_FILTERS = 20;
const ListName = z.enum(['payments', 'client-sessions', 'disputes']);
const Search = z
  .record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), identifier)
  .refine((search) => Object.keys(search).length <= MOST_FILTERS, {
    error: `Must have at most ${MOST_FILTERS} filters.`,
  });
const NewView = z
  .strictObject({
    list: ListName,
    name: textUpTo(MOST_CHARACTERS).refine((name) => name.trim() !== '', { error: 'Must not be blank.' }),
    /** Filters and order, as the URL of the list names them. */
    search: Search,
  })
  .meta({ id: 'NewSavedView' });
const ViewsAnswer = z
  .strictObject({
    data: z.array(
      z.strictObject({
        /** Its id among the views of the account. */
        view: z.int().min(0),
        list: z.string(),
        name: z.string(),
        search: z.record(z.string(), z.string()),
        /** `email` is absent for a user who is no longer known. */
        author: z.strictObject({ id: z.string(), email: z.string().optional() }),
      }),
    ),
  })
  .meta({ id: 'SavedViews' });

export interface SavedViewRouteNeeds extends Views, Pick<Queries, 'readSavedViews' | 'usersOfAccount'> {}

const common = { tag: 'Account', answer: ViewsAnswer } as const;
const writes = { ...common, method: 'POST', scope: forRoles('owner', 'developer', 'support') } as const;

export const savedViewRoutes = (needs: SavedViewRouteNeeds): readonly Route[] => {
  /** Of all lists, by name. */
  const answerOf = async ({ views }: SavedViews, accountId: string): Promise<z.infer<typeof ViewsAnswer>> => {
    const users = views.length === 0 ? [] : await needs.usersOfAccount(accountId);
    const emails = new Map(users.map(({ userId, user }) => [userId, user.email]));
    const data = views
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
      .map(({ author, ...view }) => {
        const email = emails.get(author);
        return { ...view, author: { id: author, ...(email !== undefined && { email }) } };
      });
    return { data };
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dashboard/api/views',
      scope: forUsers,
      summary: 'Read the views of lists that the users of the account share, by name',
      request: z.object({}),
      async handle(_request, { caller: { accountId } }) {
        return found(await answerOf(await needs.readSavedViews(accountId), accountId));
      },
    }),
    route({
      ...writes,
      path: '/dashboard/api/views',
      summary: 'Save the filters and the order of a list as a view for all users of the account',
      request: z.object({ body: NewView }),
      errors: ['Conflict'],
      async handle({ body }, { caller }) {
        const done = await needs.saveView({ ...body, name: body.name.trim() }, caller);
        if (done.kind === 'rejected') return done;
        const { doc, replayed = false } = done;
        return { ...found(await answerOf(doc, caller.accountId)), ...(replayed && { replayed }) };
      },
    }),
    route({
      ...writes,
      path: '/dashboard/api/views/:view/remove',
      summary: 'Remove a view: your own, or as an owner anyone’s',
      request: z.object({
        params: z.object({ view: z.coerce.number().pipe(z.int().min(0)) }),
      }),
      errors: ['Conflict'],
      async handle({ params: { view } }, call) {
        const { caller } = call;
        const done = await needs.removeView(view, userOf(call).role === 'owner', caller);
        if (done.kind === 'rejected') return done;
        const { doc, replayed = false } = done;
        return { ...found(await answerOf(doc, caller.accountId)), ...(replayed && { replayed }) };
      },
    }),
  ];
};
