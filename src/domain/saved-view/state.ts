// The views that the users of an account share, without those that were removed.
import type { Decider } from '../decider.ts';
import { type SavedViewEvent, savedViewCategory } from './events.ts';

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
