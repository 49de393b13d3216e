// Cursors: the rest of answers that did not fit into one batch. They end with the process, as in a real server.

const BATCH_BYTES = 16 * 1024 * 1024;

interface Open {
  readonly namespace: string;
  readonly docs: readonly Buffer[];
  next: number;
}

export interface Batch {
  /** 0 when no document is left. */
  readonly cursorId: number;
  readonly docs: readonly Buffer[];
}

export class Cursors {
  readonly #open = new Map<number, Open>();
  /** Begins at a random id, so that ids of an earlier process do not return. */
  #lastId = Math.floor(Math.random() * 2 ** 50);

  /** The first batch. The rest is kept for a cursor unless `single`. */
  begin(namespace: string, docs: readonly Buffer[], batchSize: number, single: boolean): Batch {
    const open = { namespace, docs, next: 0 };
    const batch = take(open, batchSize);
    if (single || open.next >= docs.length) return { cursorId: 0, docs: batch };
    this.#lastId += 1;
    this.#open.set(this.#lastId, open);
    return { cursorId: this.#lastId, docs: batch };
  }

  /** The next batch of a cursor; undefined if it does not exist. */
  more(cursorId: number, namespace: string, batchSize: number): Batch | undefined {
    const open = this.#open.get(cursorId);
    if (open === undefined || open.namespace !== namespace) return undefined;
    const docs = take(open, batchSize);
    if (open.next < open.docs.length) return { cursorId, docs };
    this.#open.delete(cursorId);
    return { cursorId: 0, docs };
  }

  /** Ends a cursor. Answers whether it existed. */
  kill(cursorId: number): boolean {
    return this.#open.delete(cursorId);
  }

  get size(): number {
    return this.#open.size;
  }
}

/** Takes one batch: at least one document, however large, if any is left. */
function take(open: Open, batchSize: number): readonly Buffer[] {
  const first = open.next;
  let bytes = 0;
  while (open.next < open.docs.length && open.next - first < batchSize) {
    bytes += open.docs[open.next]?.length ?? 0;
    if (bytes > BATCH_BYTES && open.next > first) break;
    open.next += 1;
  }
  return open.docs.slice(first, open.next);
}
