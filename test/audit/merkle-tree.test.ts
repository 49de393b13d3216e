// The tree is built by one piece of code and verified by another; here each is held against RFC 6962 and the other.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { leafHash, MerkleTree } from '../../src/audit/merkle-tree.ts';
import { isExtended, isIncluded } from '../../src/verify/verify.ts';

const rawLeaf = (hex: string): string =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.of(0), Buffer.from(hex, 'hex')]))
    .digest('binary');

/** The leaves that implementations of RFC 6962 are tested with, and the roots of the first one, two, … of them. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  rawLeaf,
);
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const MOST = 40;
const textOf = (n: number): string => `counter-${n}\n0\nh${n}`;
const leafAt = (n: number): string => leafHash(`counter-${n}`, 0, `h${n}`);

/** The tree of so many leaves, with a path of each and of each smaller size. */
function treeOf(size: number): {
  readonly root: string;
  readonly paths: readonly (readonly string[])[];
  readonly sizes: readonly { readonly treeSize: number; readonly root: string; readonly path: readonly string[] }[];
} {
  const tree = new MerkleTree();
  const paths: (readonly string[])[] = [];
  const sizes = [{ treeSize: 0, root: tree.root(), path: tree.trackSize() }];
  for (let n = 0; n < size; n += 1) {
    paths.push(tree.addTracked(leafAt(n)));
    sizes.push({ treeSize: n + 1, root: tree.root(), path: tree.trackSize() });
  }
  const root = tree.root();
  tree.end();
  return { root, paths, sizes };
}

describe('the Merkle tree of a log', () => {
  it('has the roots of RFC 6962', () => {
    const tree = new MerkleTree();
    expect(tree.root()).to.equal('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    for (const [n, leaf] of LEAVES.entries()) {
      tree.add(leaf);
      expect(tree.root()).to.equal(ROOTS[n]);
    }
  });

  it('continues from its perfect subtrees', () => {
    for (let size = 0; size <= MOST; size += 1) {
      const whole = new MerkleTree();
      for (let n = 0; n < size; n += 1) whole.add(leafAt(n));
      const resumed = MerkleTree.from(whole.size, whole.perfect);
      expect(resumed?.root()).to.equal(whole.root());
      for (const tree of [whole, resumed]) tree?.add(leafAt(size));
      expect([resumed?.size, resumed?.root()]).to.deep.equal([whole.size, whole.root()]);
    }
    expect(MerkleTree.from(3, ['00'])).to.equal(undefined);
  });

  it('proves each leaf of each size, in its own place alone', async () => {
    for (let size = 1; size <= MOST; size += 1) {
      const { root, paths } = treeOf(size);
      for (const [index, path] of paths.entries()) {
        const proven = { leaf: textOf(index), index, path };
        expect(await isIncluded(proven, { treeSize: size, root }), `${index} of ${size}`).to.equal(true);
        const wrong = [
          { ...proven, leaf: textOf(index + 1) },
          { ...proven, index: index + 1 },
          { ...proven, path: [...path, root] },
          ...(path.length > 0
            ? [
                { ...proven, path: path.slice(1) },
                { ...proven, path: path.toReversed().fill(root, 0, 1) },
              ]
            : []),
        ];
        for (const one of wrong) expect(await isIncluded(one, { treeSize: size, root })).to.equal(false);
      }
    }
  });

  it('proves that it extends each smaller size, and no other tree', async () => {
    for (let size = 1; size <= MOST; size += 1) {
      const { root, sizes } = treeOf(size);
      const newer = { treeSize: size, root };
      for (const older of sizes.slice(1)) {
        expect(await isExtended(older, newer, older.path), `${older.treeSize} of ${size}`).to.equal(true);
        const other = { ...older, root: sizes[older.treeSize - 1]?.root ?? '' };
        expect(await isExtended(other, newer, older.path)).to.equal(false);
        expect(await isExtended(older, { ...newer, root: other.root }, older.path)).to.equal(false);
        if (older.treeSize === size) continue; // the roots alone are compared
        expect(await isExtended(older, newer, [...older.path, root])).to.equal(false);
        if (older.path.length > 0) expect(await isExtended(older, newer, older.path.slice(0, -1))).to.equal(false);
      }
    }
  });
});
