// Views that the users of an account share: saved, and removed.
import type { Decision } from '../../domain/decider.ts';
import { removeView, type SavedView, type SavedViewEvent, type SavedViews, saveView } from '../../domain/saved-view.ts';
import type { Streams } from '../../journal/streams.ts';
import type { Answer, Caller } from '../caller.ts';
import { answerOf, changeFor, type Idempotency } from '../idempotency.ts';

interface ViewNeeds {
  readonly savedViews: Streams<SavedViews, SavedViewEvent>;
  readonly idempotency: Idempotency;
}

export type Views = ReturnType<typeof makeViews>;

/** Each answers all views of the caller’s account after the change. */
export const makeViews = (needs: ViewNeeds) => ({
  /** Conflict if the account has too many views, or the list one of this name. */
  saveView: (saved: Pick<SavedView, 'list' | 'name' | 'search'>, by: Caller): Promise<Answer<SavedViews>> =>
    change(needs, 'save-view', by, saveView({ ...saved, author: by.actor.id })),
  /** `view`: see SavedView. `mayAll`: true for a user who may remove the views of others. */
  removeView: (view: number, mayAll: boolean, by: Caller): Promise<Answer<SavedViews>> =>
    change(needs, 'remove-view', by, removeView(view, { userId: by.actor.id, mayAll })),
});

async function change(
  needs: ViewNeeds,
  name: string,
  by: Caller,
  decide: (views: SavedViews) => Decision<SavedViewEvent>,
): Promise<Answer<SavedViews>> {
  const { accountId } = by;
  const target = { streams: needs.savedViews, resource: { id: accountId } };
  return answerOf(await changeFor(needs, { name, accountId, by }, target, () => decide));
}
