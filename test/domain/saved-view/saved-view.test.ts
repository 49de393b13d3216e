// The views that an account's users share: as many as the stream allows, each name once in a list, removed by their
// author or an owner.
import { expect } from 'chai';
import { MOST_VIEWS, removeView, type SavedViewEvent, savedView, saveView } from '../../../src/domain/saved-view.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(savedView);
const view = (name: string, list = 'payments') => ({ author: 'usr_ada', list, name, search: { status: 'SETTLED' } });
const saved = (name: string, list?: string): SavedViewEvent => ({ type: 'ViewSaved', data: view(name, list) });
const removed: SavedViewEvent = { type: 'ViewRemoved', data: { view: 0 } };
const ada = { userId: 'usr_ada', mayAll: false };

describe('the views of an account', () => {
  it('have the revision of their event as their id', () => {
    const decided = given(saved('Settled')).when(saveView(view('Paid')));
    decided.then(saved('Paid'));
    expect(decided.state.views.map((one) => [one.view, one.name])).to.deep.equal([
      [0, 'Settled'],
      [1, 'Paid'],
    ]);
  });

  it('have a name once in a list; a removed view frees its name', () => {
    given(saved('Settled'))
      .when(saveView(view('Settled')))
      .thenRejected('Conflict');
    given(saved('Settled'))
      .when(saveView(view('Settled', 'disputes')))
      .then(saved('Settled', 'disputes'));
    given(saved('Settled'), removed)
      .when(saveView(view('Settled')))
      .then(saved('Settled'));
  });

  it('are removed by their author and by an owner, and by nobody else', () => {
    given(saved('Settled')).when(removeView(0, ada)).then(removed);
    given(saved('Settled'))
      .when(removeView(0, { userId: 'usr_owner', mayAll: true }))
      .then(removed);
    given(saved('Settled'))
      .when(removeView(0, { userId: 'usr_grace', mayAll: false }))
      .thenRejected('InsufficientScope');
  });

  it('are removed once, and only if they are known', () => {
    given(saved('Settled'), removed).when(removeView(0, ada)).thenRejected('NotFound');
    given(saved('Settled')).when(removeView(1, ada)).thenRejected('NotFound');
  });

  it('are bounded in number, removed ones aside', () => {
    const all = Array.from({ length: MOST_VIEWS }, (_, at) => saved(`view ${at}`));
    given(...all)
      .when(saveView(view('one more')))
      .thenRejected('Conflict');
    given(...all, removed)
      .when(saveView(view('one more')))
      .then(saved('one more'));
  });
});
