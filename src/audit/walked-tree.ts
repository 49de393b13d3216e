// The Merkle tree of a walk, and the leaves that threads hand over in the order of streams.
import type { Consistency } from '../verify/format.ts';
import { MerkleTree } from './merkle-tree.ts';

type Leaf = Parameters<MerkleTree['add']>[0];

/** A tree with the roots of the wanted sizes and the wanted proof; see LogWalk and WalkedLog for the members. */
export class WalkedTree {
  readonly #tree = new MerkleTree();
  readonly #since: number | undefined;
  readonly #wanted: ReadonlySet<number>;
  readonly #roots = new Map<number, string>();
  #extended: Consistency | undefined;

  constructor({ sizes = [], since }: { readonly sizes?: readonly number[]; readonly since?: number | undefined }) {
    this.#since = since;
    this.#wanted = new Set(since === undefined ? sizes : [...sizes, since]);
    this.#noteSize();
  }

  get size(): number {
    return this.#tree.size;
  }

  add(leaf: Leaf): void {
    this.#tree.add(leaf);
    this.#noteSize();
  }

  /** Adds a leaf, and answers its path in the tree that `ended` closes. */
  addTracked(leaf: Leaf): readonly string[] {
    const path = this.#tree.addTracked(leaf);
    this.#noteSize();
    return path;
  }

  /** Nothing can be added afterwards. */
  ended(): {
    readonly root: string;
    readonly roots: ReadonlyMap<number, string>;
    readonly extended: Consistency | undefined;
  } {
    const root = this.#tree.root();
    this.#tree.end();
    return { root, roots: this.#roots, extended: this.#extended };
  }

  #noteSize(): void {
    const { size } = this.#tree;
    if (!this.#wanted.has(size)) return;
    const root = this.#tree.root();
    this.#roots.set(size, root);
    if (size === this.#since) this.#extended = { treeSize: size, root, path: this.#tree.trackSize() };
  }
}

export const LEAF_BYTES = 32;
/** Leaves that wait together for those before them. */
const A_CHUNK = 4_096;

/**
 * Puts leaves into their order: one for each position from 0 on. Streams begin in the order of the log, so that few
 * wait at a time; at worst all do, 32 bytes each.
 */
export class LeavesInOrder {
  readonly #onNext: (leaf: Leaf) => void;
  readonly #chunks = new Map<number, { readonly bytes: Buffer; count: number }>();
  /** The number of the first chunk that is not complete. */
  #first = 0;

  constructor(onNext: (leaf: Leaf) => void) {
    this.#onNext = onNext;
  }

  add(position: number, leaf: Uint8Array): void {
    const number = Math.floor(position / A_CHUNK);
    let chunk = this.#chunks.get(number);
    if (chunk === undefined) {
      chunk = { bytes: Buffer.allocUnsafe(A_CHUNK * LEAF_BYTES), count: 0 };
      this.#chunks.set(number, chunk);
    }
    chunk.bytes.set(leaf, (position % A_CHUNK) * LEAF_BYTES);
    chunk.count += 1;
    while (this.#chunks.get(this.#first)?.count === A_CHUNK) this.#takeFirst();
  }

  /** Takes the rest, which must have no gap. */
  end(): void {
    this.#takeFirst();
  }

  #takeFirst(): void {
    const { bytes, count } = this.#chunks.get(this.#first) ?? { bytes: Buffer.alloc(0), count: 0 };
    this.#chunks.delete(this.#first);
    this.#first += 1;
    for (let at = 0; at < count * LEAF_BYTES; at += LEAF_BYTES)
      this.#onNext(bytes.toString('latin1', at, at + LEAF_BYTES));
  }
}
