// The choices of `listen`: made by the seed and the place alone, and in the parts that were asked for.
import { expect } from 'chai';
import { choiceOf, type Misfortunes } from '../../../src/cli/listen/relay.ts';

const ALL: Misfortunes = { duplicate: true, shuffle: true, drop: 0.2, seed: 7 };
const first = (count: number, misfortunes: Misfortunes) =>
  Array.from({ length: count }, (_, place) => choiceOf(misfortunes, place));

describe('the choices of listen', () => {
  it('are the same for one seed, and others for another', () => {
    expect(first(50, ALL)).to.deep.equal(first(50, ALL));
    expect(first(50, ALL)).not.to.deep.equal(first(50, { ...ALL, seed: 8 }));
  });

  it('drop the part that was asked for: half refused, half lost', () => {
    const choices = first(10_000, ALL);
    for (const kind of ['refuse', 'lose'])
      expect(choices.filter((one) => one.kind === kind).length).to.be.within(900, 1_100);
  });

  it('drop the same messages, whatever else is asked for', () => {
    const dropped = (misfortunes: Misfortunes) => first(200, misfortunes).map(({ kind }) => kind);
    expect(dropped({ ...ALL, duplicate: false, shuffle: false })).to.deep.equal(dropped(ALL));
  });

  it('hold a message until one to four others have passed', () => {
    const held = first(1_000, { ...ALL, drop: 0 }).flatMap((one) => (one.kind === 'pass' ? one.after : []));
    expect([...new Set(held)].sort()).to.deep.equal([0, 1, 2, 3, 4]);
  });

  it('change nothing where nothing was asked for', () => {
    for (const choice of first(100, { duplicate: false, shuffle: false, drop: 0, seed: 7 }))
      expect(choice).to.deep.equal({ kind: 'pass', after: 0 });
  });
});
