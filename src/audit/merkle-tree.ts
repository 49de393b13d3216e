// The Merkle tree over a log (RFC 6962), built in one pass and little memory: its root at any size, and the paths that
// prove a leaf, or an earlier size.
import { hash } from 'node:crypto';
import { leafText } from '../verify/format.ts';

/**
 * 32 bytes as a latin1 string, a character each: Node makes one in 0.4 µs, and a Buffer or hex in 0.6 to 0.9, which a
 * log of millions pays three times an event.
 */
type Sha256 = string;

const hexOf = (own: Sha256): string => Buffer.from(own, 'latin1').toString('hex');

/** The leaf of an event; `eventHash` in hex. */
export const leafHash = (stream: string, revision: number, eventHash: string): Sha256 =>
  hash('sha256', `\0${leafText(stream, revision, eventHash)}`, 'binary');

const PAIR = Buffer.alloc(65, 1);

interface Subtree {
  /** Its first leaf. */
  readonly start: number;
  readonly leaves: number;
  readonly hash: Sha256;
}

function joined(left: Subtree, right: Subtree): Subtree {
  PAIR.write(left.hash, 1, 'latin1');
  PAIR.write(right.hash, 33, 'latin1');
  return { start: left.start, leaves: left.leaves + right.leaves, hash: hash('sha256', PAIR, 'binary') };
}

/** Hashes in hex, from a subtree up to the root; it is complete when the tree ends. */
type TreePath = string[];

export class MerkleTree {
  #size = 0;
  /** A perfect subtree for each bit of the size, the largest first. */
  readonly #perfect: Subtree[] = [];
  /** The paths that grow, by the first leaf of the perfect subtree that each has reached. */
  readonly #paths = new Map<number, readonly TreePath[]>();

  /**
   * The tree of this size with these perfect subtrees (hex, the largest first), to be continued. Undefined if no tree
   * of this size has so many.
   */
  static from(size: number, perfect: readonly string[]): MerkleTree | undefined {
    const tree = new MerkleTree();
    for (const hex of perfect) {
      const start = tree.#size;
      const leaves = highestBit(size - start);
      tree.#perfect.push({ start, leaves, hash: Buffer.from(hex, 'hex').toString('latin1') });
      tree.#size += leaves;
    }
    return tree.#size === size ? tree : undefined;
  }

  get size(): number {
    return this.#size;
  }

  /** Hex, the largest first: `from` continues from them. */
  get perfect(): readonly string[] {
    return this.#perfect.map((one) => hexOf(one.hash));
  }

  add(leaf: Sha256): void {
    let own: Subtree = { start: this.#size, leaves: 1, hash: leaf };
    this.#size += 1;
    for (let left = this.#perfect.at(-1); left?.leaves === own.leaves; left = this.#perfect.at(-1)) {
      this.#perfect.pop();
      if (this.#paths.size > 0) this.#extend(left, own);
      own = joined(left, own);
    }
    this.#perfect.push(own);
  }

  /** Adds a leaf, and answers its path in the tree that `end` closes (RFC 6962, section 2.1.1). */
  addTracked(leaf: Sha256): readonly string[] {
    const path: TreePath = [];
    this.#paths.set(this.#size, [path]);
    this.add(leaf);
    return path;
  }

  /** The path from this size to the tree that `end` closes (RFC 6962, section 2.1.2). */
  trackSize(): readonly string[] {
    const last = this.#perfect.at(-1);
    if (last === undefined) return [];
    const path: TreePath = this.#perfect.length === 1 ? [] : [hexOf(last.hash)];
    this.#paths.set(last.start, [...(this.#paths.get(last.start) ?? []), path]);
    return path;
  }

  /** Hex. */
  root(): string {
    return hexOf(this.#joined(() => undefined));
  }

  /** Completes every path. Nothing can be added afterwards. */
  end(): void {
    this.#joined((left, right) => this.#extend(left, right));
    this.#perfect.length = 0;
  }

  /** The perfect subtrees joined from the right, whose root is that of the tree. */
  #joined(onJoin: (left: Subtree, right: Subtree) => void): Sha256 {
    let own = this.#perfect.at(-1);
    for (let n = this.#perfect.length - 2; n >= 0; n -= 1) {
      const left = this.#perfect[n];
      if (left === undefined || own === undefined) break;
      onJoin(left, own);
      own = joined(left, own);
    }
    return own?.hash ?? hash('sha256', '', 'binary');
  }

  #extend(left: Subtree, right: Subtree): void {
    const [ofLeft = [], ofRight = []] = [this.#paths.get(left.start), this.#paths.get(right.start)];
    if (ofLeft.length + ofRight.length === 0) return;
    for (const path of ofLeft) path.push(hexOf(right.hash));
    for (const path of ofRight) path.push(hexOf(left.hash));
    this.#paths.delete(right.start);
    this.#paths.set(left.start, [...ofLeft, ...ofRight]);
  }
}

/** `n`: 1 to 2^53, where bit operations end at 2^32. */
function highestBit(n: number): number {
  let bit = 1;
  while (bit * 2 <= n) bit *= 2;
  return bit;
}
