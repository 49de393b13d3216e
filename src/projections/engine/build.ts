// Fills a new generation from the log: folds in memory, one document of each stream, and hands finished ones to the builder.
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import type { Builder, Stored } from '../../stores/read-models.ts';
import type { Projection } from '../projection.ts';
import { idIn } from './apply.ts';

export interface BuildProgress {
  readonly events: number;
  readonly position: bigint;
  /** Where the log ended when this began. */
  readonly head: bigint;
}

/** Documents in memory; streams live close together in the log, so those that came first are rarely wanted again. */
const DOCUMENTS_IN_MEMORY = 20_000;
const DOCUMENTS_A_BATCH = 1_000;

export interface Poisoned {
  readonly stored: StoredEvent;
  readonly cause: unknown;
}

export interface Filled {
  readonly position: bigint;
  readonly events: number;
  readonly poisoned: readonly Poisoned[];
}

/** Reads the log from its beginning up to `head`; the builder holds every document when this resolves. Rejects when the signal aborts. */
export async function fill<Doc extends object, K extends string>(
  of: Projection<Doc, K>,
  events: EventStore,
  builder: Builder<Doc>,
  head: bigint,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<Filled> {
  const folding = new Folding(of, builder);
  if (head < 0n) return { position: -1n, events: 0, poisoned: [] };
  const enough = new AbortController();
  for await (const batch of events.follow(-1n, [of.category], AbortSignal.any([signal, enough.signal]))) {
    await folding.take(batch.events);
    onProgress({ events: folding.events, position: batch.position, head });
    if (batch.position < head) continue;
    await folding.finish();
    enough.abort();
    return { position: batch.position, events: folding.events, poisoned: folding.poisoned };
  }
  throw signal.reason ?? new Error('the log ended while it was being read');
}

class Folding<Doc extends object, K extends string> {
  readonly #of: Projection<Doc, K>;
  readonly #builder: Builder<Doc>;
  /** In the order of their first events, which is nearly that of their ids. */
  readonly #rows = new Map<string, Stored<Doc>>();
  readonly #poisoned = new Map<string, Poisoned>();
  events = 0;

  constructor(of: Projection<Doc, K>, builder: Builder<Doc>) {
    this.#of = of;
    this.#builder = builder;
  }

  get poisoned(): readonly Poisoned[] {
    return [...this.#poisoned.values()];
  }

  async take(events: readonly StoredEvent[]): Promise<void> {
    await this.#recall(events);
    const { category } = this.#of;
    for (const stored of events) {
      const id = idIn(category, stored.stream);
      const row = this.#rows.get(id);
      if (stored.revision !== (row?.revision ?? -1) + 1) continue; // behind a poisoned event of its stream
      try {
        this.#rows.set(id, { id, revision: stored.revision, doc: this.#of.project(row?.doc, stored) });
      } catch (cause) {
        if (!this.#poisoned.has(stored.stream)) this.#poisoned.set(stored.stream, { stored, cause });
      }
    }
    this.events += events.length;
    while (this.#rows.size > DOCUMENTS_IN_MEMORY) await this.#handOver(DOCUMENTS_A_BATCH);
  }

  async finish(): Promise<void> {
    while (this.#rows.size > 0) await this.#handOver(DOCUMENTS_A_BATCH);
  }

  /** Brings back documents that were handed over and are wanted again. */
  async #recall(events: readonly StoredEvent[]): Promise<void> {
    const wanted = new Set<string>();
    const begun = new Set<string>();
    for (const { stream, revision } of events) {
      const id = idIn(this.#of.category, stream);
      if (revision === 0) begun.add(id);
      else if (!this.#rows.has(id) && !begun.has(id) && !this.#poisoned.has(stream)) wanted.add(id);
    }
    if (wanted.size > 0) for (const row of await this.#builder.get([...wanted])) this.#rows.set(row.id, row);
  }

  async #handOver(count: number): Promise<void> {
    const rows: Stored<Doc>[] = [];
    for (const [id, row] of this.#rows) {
      rows.push(row);
      this.#rows.delete(id);
      if (rows.length === count) break;
    }
    await this.#builder.write(rows);
  }
}
