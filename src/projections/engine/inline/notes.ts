// Notes the events that this process has projected itself, so that the follower need not look at its own writes again.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../journal/bounded-cache.ts';

/** Streams remembered for each projection; a forgotten stream costs the follower a look at its document. */
const REMEMBERED = 20_000;

export class Notes {
  readonly #revisions = new Map<string, LRUCache<string, number>>();

  /** The document of `id` is written, up to this revision. */
  projected(projection: string, id: string, revision: number): void {
    const of = this.#revisions.get(projection) ?? boundedCache<number>(REMEMBERED);
    this.#revisions.set(projection, of);
    if ((of.peek(id) ?? -1) < revision) of.set(id, revision);
  }

  covers(projection: string, id: string, revision: number): boolean {
    return (this.#revisions.get(projection)?.peek(id) ?? -1) >= revision;
  }

  /** Another generation is live: notes on the old one say nothing about it. */
  forget(projection: string): void {
    this.#revisions.delete(projection);
  }
}
