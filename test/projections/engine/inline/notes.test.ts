// The notes on what this process has projected itself: the newest revision of each document, in whatever order the
// writes end.
import { expect } from 'chai';
import { Notes } from '../../../../src/projections/engine/inline/notes.ts';

describe('the notes of own writes', () => {
  it('cover a revision still after the write of an older one has ended', () => {
    const notes = new Notes();
    notes.projected('ledgers', 'a', 3);
    notes.projected('ledgers', 'a', 2);
    expect([3, 4].map((revision) => notes.covers('ledgers', 'a', revision))).to.deep.equal([true, false]);
  });
});
