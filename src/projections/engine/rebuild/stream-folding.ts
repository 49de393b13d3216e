// Folds a log from its beginning, one document of each stream in memory, and hands finished documents to a builder.
import { type Link, linkOf } from '../../../journal/chain.ts';
import { beforeFirst } from '../../../journal/envelope.ts';
import { Digest } from '../../../stores/document-digest.ts';
import type { StoredEvent } from '../../../stores/event-store.ts';
import type { Builder, BuiltRow } from '../../../stores/read-models.ts';
import { idOf, streamOf } from '../../../stores/stream-name.ts';
import { isDocOf } from '../../../stores/typed-doc.ts';
import type { StreamProjection } from '../../projection.ts';
import type { Heads } from '../streams/heads.ts';
import type { Filling } from './being-built.ts';

/**
 * Documents in memory; streams live close together in the log, so those that came first are rarely wanted again.
 * With 50,000 the garbage collector took a fifth of a rebuild.
 */
const DOCUMENTS_IN_MEMORY = 10_000;
const DOCUMENTS_A_BATCH = 500;

/** A stream's document as far as it is folded; none before its first event. */
interface Entry<Doc> {
  readonly id: string;
  readonly stream: string;
  /** Its `revision` is the document's. */
  link: Link;
  doc: Doc | undefined;
}

export class StreamFolding<Doc extends object, K extends string> implements Filling {
  readonly #of: StreamProjection<Doc, K>;
  readonly #builder: Pick<Builder, 'get' | 'write'>;
  readonly #heads: Heads;
  readonly #keys: readonly ((doc: Doc) => BuiltRow['keys'][number])[] = [];
  /** In the order of their first events, which is nearly that of their ids. */
  readonly #entries = new Map<string, Entry<Doc>>();
  /** Of all that was handed over: it need not be read again. */
  readonly digest = new Digest();
  /** Streams by id that end before an event that cannot be projected, or before a break. */
  readonly #unprojectable = new Map<string, string>();

  constructor(of: StreamProjection<Doc, K>, builder: Pick<Builder, 'get' | 'write'>, heads: Heads) {
    this.#of = of;
    this.#builder = builder;
    this.#heads = heads;
    const keys = [];
    for (const name in of.keys) keys.push(of.keys[name]);
    this.#keys = keys;
  }

  async take(events: readonly StoredEvent[]): Promise<void> {
    const wanted: Entry<Doc>[] = [];
    const entries = events.map((stored) => this.#entryFor(stored, wanted));
    if (wanted.length > 0) await this.#recall(wanted);
    for (const [place, stored] of events.entries()) {
      const entry = entries[place];
      if (entry === undefined || this.#unprojectable.has(entry.id)) continue;
      try {
        const link = linkOf(entry.link, stored);
        entry.doc = this.#of.project(entry.doc, stored);
        entry.link = link;
      } catch {
        // the reason is found out, and put on record, when the rest is there
        this.#unprojectable.set(entry.id, stored.stream);
      }
    }
    while (this.#entries.size > DOCUMENTS_IN_MEMORY) await this.#handOver();
  }

  /** Hands over all documents. */
  async finish(): Promise<void> {
    while (this.#entries.size > 0) await this.#handOver();
  }

  /** The streams that end before an event that cannot be projected. */
  get unprojectable(): readonly string[] {
    return [...this.#unprojectable.values()];
  }

  /**
   * The entry of an event's stream; a new one is `wanted` when its document was handed over. Undefined: nothing can be
   * added to it.
   */
  #entryFor({ stream, revision }: StoredEvent, wanted: Entry<Doc>[]): Entry<Doc> | undefined {
    const id = idOf(stream);
    const known = this.#entries.get(id);
    if (known !== undefined || this.#unprojectable.has(id)) return known;
    const entry: Entry<Doc> = { id, stream, link: beforeFirst, doc: undefined };
    this.#entries.set(id, entry);
    if (revision > 0) wanted.push(entry);
    return entry;
  }

  /** Brings back documents that were handed over. */
  async #recall(wanted: readonly Entry<Doc>[]): Promise<void> {
    const found = await this.#builder.get(wanted.map(({ id }) => id));
    await this.#heads.learn(new Map(found.map(({ id, revision }) => [streamOf(this.#of.category, id), revision])));
    for (const handedOver of found) {
      const entry = this.#entries.get(handedOver.id);
      const doc: unknown = JSON.parse(handedOver.text);
      if (entry === undefined || !isDocOf(this.#of, doc)) continue;
      this.digest.remove(handedOver);
      entry.doc = doc;
      // A missing event has no link: the next event is a break.
      entry.link = this.#heads.at(entry.stream, handedOver.revision) ?? { revision: handedOver.revision, hash: '' };
    }
  }

  async #handOver(): Promise<void> {
    const rows: BuiltRow[] = [];
    for (const [id, { stream, link, doc }] of this.#entries) {
      this.#entries.delete(id);
      if (doc === undefined) continue;
      this.#heads.keep(stream, link);
      rows.push({ id, revision: link.revision, text: JSON.stringify(doc), keys: this.#keys.map((key) => key(doc)) });
      if (rows.length === DOCUMENTS_A_BATCH) break;
    }
    for (const row of rows) this.digest.add(row);
    await this.#builder.write(rows);
  }
}
