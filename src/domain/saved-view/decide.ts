// Decisions on the views that an account's users share: this stream owns their number and their names.
import { accept, type Decision, reject } from '../decider.ts';
import type { SavedViewEvent } from './events.ts';
import type { SavedView, SavedViews } from './state.ts';

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
