// The views of lists that the users of an account share: read by every user, saved by those who work with payments,
// removed by their author.
import { z } from 'zod';
import { identifier, textUpTo } from '../../../commands/fields/text.ts';
import type { SavedViews } from '../../../domain/saved-view.ts';
import { forRoles, forUsers, found, type Route, route, shapedLater } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
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

const common = { tag: 'Account', path: '/dashboard/api/views', answer: ViewsAnswer } as const;
const writes = {
  ...common,
  method: 'POST',
  scope: forRoles('owner', 'developer', 'support'),
  errors: ['Conflict'],
} as const;

export function savedViewRoutes({ views, queries }: RouteParts): readonly Route[] {
  /** Of all lists, by name. */
  const answerOf = async ({ views: all }: SavedViews, accountId: string): Promise<z.infer<typeof ViewsAnswer>> => {
    const emails = all.length === 0 ? new Map<string, string>() : await queries.emailsOfAccount(accountId);
    const data = all
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
      .map(({ author: id, ...view }) => ({ ...view, author: { id, email: emails.get(id) } }));
    return { data };
  };
  return [
    route({
      ...common,
      method: 'GET',
      scope: forUsers,
      summary: 'Read the views of lists that the users of the account share, by name',
      request: z.object({}),
      handle: async (_request, { caller: { accountId } }) =>
        found(await answerOf(await queries.readSavedViews(accountId), accountId)),
    }),
    route({
      ...writes,
      summary: 'Save the filters and the order of a list as a view for all users of the account',
      request: z.object({ body: NewView }),
      async handle({ body }, { caller }) {
        const done = await views.saveView({ ...body, name: body.name.trim() }, caller);
        return shapedLater(done, ({ doc }) => answerOf(doc, caller.accountId));
      },
    }),
    route({
      ...writes,
      path: `${common.path}/:view/remove`,
      summary: 'Remove a view: your own, or as an owner anyone’s',
      request: z.object({ params: z.object({ view: z.coerce.number().pipe(z.int().min(0)) }) }),
      async handle({ params: { view } }, call) {
        const { caller } = call;
        const done = await views.removeView(view, userOf(call).role === 'owner', caller);
        return shapedLater(done, ({ doc }) => answerOf(doc, caller.accountId));
      },
    }),
  ];
}
