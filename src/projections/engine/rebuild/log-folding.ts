// Folds a log from its beginning into documents over many streams, and hands those that were not changed lately to a
// builder.
import { Digest } from '../../../stores/document-digest.ts';
import type { StoredEvent } from '../../../stores/event-store.ts';
import type { Builder, BuiltRow, ReadModels } from '../../../stores/read-models.ts';
import { docOf } from '../../../stores/typed-doc.ts';
import { type Change, changed, type LogProjection } from '../../projection.ts';
import { readBatch } from '../log/apply-log.ts';
import type { StreamReaders } from '../log/stream-readers.ts';
import { isDiscarded } from '../parked/discards.ts';
import type { ProjectionFault } from '../parked/projection-fault.ts';
import type { Filling } from './being-built.ts';

/** Documents in memory: those of a few days are changed again and again. */
const DOCUMENTS_IN_MEMORY = 10_000;
const DOCUMENTS_A_BATCH = 500;

interface Entry<Doc> {
  /** The last event that changed it. */
  readonly position: bigint;
  readonly doc: Doc;
}

export class LogFolding<Doc extends object, K extends string> implements Filling {
  readonly #store: ReadModels;
  readonly #of: LogProjection<Doc, K>;
  readonly #readers: StreamReaders<Doc>;
  readonly #builder: Pick<Builder, 'get' | 'write'>;
  readonly #keys: readonly ((doc: Doc) => BuiltRow['keys'][number])[];
  /** The entries, the most recently changed last. */
  readonly #entries = new Map<string, Entry<Doc>>();
  /** Ids that the builder holds: most documents are new, and need not be asked for. */
  readonly #handedOver = new Set<string>();
  /** Of all that was handed over. */
  readonly digest = new Digest();
  /** Of streams that the documents are without, each from that event on. */
  readonly faults: ProjectionFault[] = [];
  /** By stream: the revision from which its events are passed over. */
  readonly #held = new Map<string, number>();

  constructor(
    { store }: { readonly store: ReadModels },
    of: LogProjection<Doc, K>,
    readers: StreamReaders<Doc>,
    builder: Pick<Builder, 'get' | 'write'>,
  ) {
    this.#store = store;
    this.#of = of;
    this.#readers = readers;
    this.#builder = builder;
    const keys = [];
    for (const name in of.keys) keys.push(of.keys[name]);
    this.#keys = keys;
  }

  /** An event that cannot be projected parks its stream: the other ones go on. */
  async take(events: readonly StoredEvent[]): Promise<void> {
    for (let left = this.#wanted(events); left.length > 0; left = this.#wanted(left)) {
      const { read, fault: unread } = await readBatch(this.#store, this.#of.name, this.#readers, left);
      await this.#recall(read);
      let fault = unread;
      let taken = 0;
      for (const [place, changes] of read.entries()) {
        const stored = left[place];
        const refused = stored === undefined ? undefined : await this.#change(stored, changes);
        if (refused !== undefined) {
          fault = refused;
          break;
        }
        taken += 1;
      }
      left = left.slice(taken);
      if (fault !== undefined) this.#hold(fault, left[0]);
      while (this.#entries.size > DOCUMENTS_IN_MEMORY) await this.#handOver();
    }
  }

  async finish(): Promise<void> {
    while (this.#entries.size > 0) await this.#handOver();
  }

  #wanted(events: readonly StoredEvent[]): readonly StoredEvent[] {
    if (this.#held.size === 0) return events;
    return events.filter(({ stream, revision }) => revision < (this.#held.get(stream) ?? Number.POSITIVE_INFINITY));
  }

  #hold(fault: ProjectionFault, at: StoredEvent | undefined): void {
    this.faults.push(fault);
    const { stream, revision } = fault.stored;
    this.#held.set(stream, Math.min(revision, at?.revision ?? revision));
  }

  /** Why the event cannot be projected; undefined if it was, or is passed over by order. */
  async #change(stored: StoredEvent, changes: readonly Change<Doc>[]): Promise<ProjectionFault | undefined> {
    try {
      const made = new Map<string, Doc>();
      for (const change of changes)
        made.set(change.id, changed(this.#of, made.get(change.id) ?? this.#entries.get(change.id)?.doc, change));
      for (const [id, doc] of made) {
        this.#entries.delete(id);
        this.#entries.set(id, { position: stored.position, doc });
      }
    } catch (cause) {
      if (!(await isDiscarded(this.#store, this.#of.name, stored))) return { stored, cause };
    }
    return undefined;
  }

  /** Brings back documents that were handed over. */
  async #recall(read: readonly (readonly Change<Doc>[])[]): Promise<void> {
    const ids = new Set(read.flatMap((changes) => changes.map(({ id }) => id)));
    const wanted = [...ids].filter((id) => this.#handedOver.delete(id));
    if (wanted.length === 0) return;
    for (const row of await this.#builder.get(wanted)) {
      this.digest.remove(row);
      this.#entries.set(row.id, { position: BigInt(row.revision), doc: docOf(this.#of, JSON.parse(row.text)) });
    }
  }

  async #handOver(): Promise<void> {
    const rows: BuiltRow[] = [];
    for (const [id, { position, doc }] of this.#entries) {
      this.#entries.delete(id);
      this.#handedOver.add(id);
      rows.push({ id, revision: Number(position), text: JSON.stringify(doc), keys: this.#keys.map((key) => key(doc)) });
      if (rows.length === DOCUMENTS_A_BATCH) break;
    }
    for (const row of rows) this.digest.add(row);
    await this.#builder.write(rows);
  }
}
