// The change that an event makes to a state, as `audit replay --diff` shows it.
import { expect } from 'chai';
import { readable } from '../../src/cli/audit/streams.ts';
import { changesBetween } from '../../src/queries/replay-stream.ts';

describe('the change of an event', () => {
  it('is empty between equal states', () => {
    expect(changesBetween({ a: [1, { b: null }] }, { a: [1, { b: null }] })).to.deep.equal([]);
  });

  it('is every member that is new, gone or different, by its path', () => {
    expect(changesBetween({ a: 1, b: { c: [1, 2] }, d: 0 }, { b: { c: [1, 3, 4] }, d: 0, e: {} })).to.deep.equal([
      { path: '$.a', before: 1 },
      { path: '$.b.c[1]', before: 2, after: 3 },
      { path: '$.b.c[2]', after: 4 },
      { path: '$.e', after: {} },
    ]);
  });

  it('is the whole value where its kind changed', () => {
    expect(changesBetween({ a: [1] }, { a: { 0: 1 } })).to.deep.equal([{ path: '$.a', before: [1], after: { 0: 1 } }]);
  });

  it('shows times as times and amounts as amounts', () => {
    const at = Date.UTC(2026, 0, 31);
    const shown = readable({ requestedAt: at, amount: at, events: [{ at }], date: at });
    const time = '2026-01-31T00:00:00.000Z';
    expect(shown).to.deep.equal({ requestedAt: time, amount: at, events: [{ at: time }], date: time });
    expect(readable(at, '$.attempts[0].nextLookUpAt')).to.equal(time);
  });
});
