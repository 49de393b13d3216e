// Leaves that come in any order, and the tree that they make.
import { expect } from 'chai';
import { LEAF_BYTES, LeavesInOrder } from '../../src/audit/walked-tree.ts';
import { randomFrom } from '../support/load.ts';

const leafOf = (n: number): Buffer => {
  const leaf = Buffer.alloc(LEAF_BYTES, n % 251);
  leaf.writeUInt32LE(n);
  return leaf;
};

describe('leaves that wait for those before them', () => {
  for (const count of [0, 1, 4_095, 4_096, 4_097, 20_000])
    it(`come out once each and in order, ${count} of them`, () => {
      const random = randomFrom(count);
      const places = Array.from({ length: count }, (_, n) => ({ n, at: random() })).sort((a, b) => a.at - b.at);
      const found: string[] = [];
      const leaves = new LeavesInOrder((leaf) => void found.push(leaf));
      for (const { n } of places) leaves.add(n, leafOf(n));
      leaves.end();
      expect(found).to.deep.equal(Array.from({ length: count }, (_, n) => leafOf(n).toString('latin1')));
    });

  it('come out as soon as none before them is missing', () => {
    let found = 0;
    const leaves = new LeavesInOrder(() => {
      found += 1;
    });
    for (let n = 4_096; n < 12_288; n += 1) leaves.add(n, leafOf(n));
    for (let n = 1; n < 4_096; n += 1) leaves.add(n, leafOf(n));
    expect(found).to.equal(0);
    leaves.add(0, leafOf(0));
    expect(found).to.equal(12_288);
  });
});
