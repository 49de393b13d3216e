// The notes of a payment: as many as its stream allows, withdrawn by their author or an owner.
import { expect } from 'chai';
import {
  addNote,
  MOST_NOTES,
  type PaymentNoteEvent,
  paymentNote,
  withdrawNote,
} from '../../../src/domain/payment-note.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(paymentNote);
const added: PaymentNoteEvent = { type: 'NoteAdded', data: { author: 'usr_ada', text: 'The customer called.' } };
const withdrawn: PaymentNoteEvent = { type: 'NoteWithdrawn', data: { note: 0 } };
const ada = { userId: 'usr_ada', mayAll: false };

describe('the notes of a payment', () => {
  it('keep author and text, and the revision of the event as their id', () => {
    const decided = given(added).when(addNote('usr_grace', 'Called back.'));
    decided.then({ type: 'NoteAdded', data: { author: 'usr_grace', text: 'Called back.' } });
    expect(decided.state.notes.map(({ note, author }) => [note, author])).to.deep.equal([
      [0, 'usr_ada'],
      [1, 'usr_grace'],
    ]);
  });

  it('are withdrawn by their author and by an owner, and by nobody else', () => {
    given(added).when(withdrawNote(0, ada)).then(withdrawn);
    given(added)
      .when(withdrawNote(0, { userId: 'usr_owner', mayAll: true }))
      .then(withdrawn);
    given(added)
      .when(withdrawNote(0, { userId: 'usr_grace', mayAll: false }))
      .thenRejected('InsufficientScope');
  });

  it('are withdrawn once, and only if they are known', () => {
    given(added, withdrawn).when(withdrawNote(0, ada)).thenRejected('NotFound');
    given(added).when(withdrawNote(1, ada)).thenRejected('NotFound');
    given().when(withdrawNote(0, ada)).thenRejected('NotFound');
  });

  it('are bounded in number, withdrawn ones included', () => {
    const all = Array.from({ length: MOST_NOTES - 1 }, () => added);
    given(...all)
      .when(addNote('usr_ada', 'the last one'))
      .then({
        type: 'NoteAdded',
        data: { author: 'usr_ada', text: 'the last one' },
      });
    given(...all, added, withdrawn)
      .when(addNote('usr_ada', 'one more'))
      .thenRejected('Conflict');
  });
});
