// The views that an account's users share. Their stream has the account's id, so it owns their number and names.
import { z } from 'zod';
import { category, event } from './category.ts';
import { accept, type Decider, type Decision, reject } from './decider.ts';

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

export interface SavedView {
  /** The revision of its event: its id among the views of the account. */
  readonly view: number;
  /** The id of the user. */
  readonly author: string;
  /** The name of the list. */
  readonly list: string;
  readonly name: string;
  /** Filters and order, by their names. */
  readonly search: { readonly [name: string]: string };
}

export interface SavedViews {
  /** Oldest first. */
  readonly views: readonly SavedView[];
}

export const savedView: Decider<SavedViews, SavedViewEvent> = {
  category: savedViewCategory,
  initial: { views: [] },
  evolve({ views }, { type, data }, { revision }) {
    switch (type) {
      case 'ViewSaved':
        return { views: [...views, { view: revision, ...data }] };
      case 'ViewRemoved':
        return { views: views.filter(({ view }) => view !== data.view) };
      default:
        return type satisfies never;
    }
  },
};

/** Of all lists of an account; removed views do not count. */
export const MOST_VIEWS = 50;

/** Conflict beyond MOST_VIEWS, and for a name that the list has already. */
export const saveView =
  (saved: Omit<SavedView, 'view'>) =>
  ({ views }: SavedViews): Decision<SavedViewEvent> => {
    if (views.some(({ list, name }) => list === saved.list && name === saved.name))
      return reject('Conflict', `A view of this list for everybody is called “${saved.name}” already.`);
    return views.length < MOST_VIEWS
      ? accept({ type: 'ViewSaved', data: saved })
      : reject('Conflict', `The account has ${MOST_VIEWS} views for everybody, and cannot have more.`);
  };

/** NotFound for an unknown or removed view; InsufficientScope for another author’s, unless `mayAll`. */
export const removeView =
  (view: number, by: { readonly userId: string; readonly mayAll: boolean }) =>
  ({ views }: SavedViews): Decision<SavedViewEvent> => {
    const found = views.find((one) => one.view === view);
    if (found === undefined) return reject('NotFound', 'There is no such view.');
    return by.mayAll || found.author === by.userId
      ? accept({ type: 'ViewRemoved', data: { view } })
      : reject('InsufficientScope', 'Only the author of a view, or an owner, can remove the view.');
  };
