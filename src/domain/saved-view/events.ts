// Events of the views that an account's users share. Their stream has the account's id, so it owns their number.
import { z } from 'zod';
import { category, event } from '../category.ts';

export const savedViewCategory = category(
  'savedView',
  z.discriminatedUnion('type', [
    /** `author`: the id of the user. `list`: the name of the list. `search`: its filters and order, by their names. */
    event(
      'ViewSaved',
      z.strictObject({
        author: z.string(),
        list: z.string(),
        name: z.string(),
        search: z.record(z.string(), z.string()),
      }),
    ),
    /** `view`: the revision of its ViewSaved. */
    event('ViewRemoved', z.strictObject({ view: z.number() })),
  ]),
);
export type SavedViewEvent = z.infer<typeof savedViewCategory.event>;
