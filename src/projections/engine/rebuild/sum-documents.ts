// Documents over many streams while they are built: adds up what the fold hands over, and hands those that were not
// changed lately to a builder.
import { Digest, hashOfBytes } from '../../../stores/document-digest.ts';
import { RowPacker, unpacked } from '../../../stores/packed-rows.ts';
import { type Builder, type BuiltRow, keysOf } from '../../../stores/read-models.ts';
import { docOf } from '../../../stores/typed-doc.ts';
import { changed, type LogProjection } from '../../projection.ts';
import { discardId } from '../parked/discards.ts';
import { faultAt, type ProjectionFault } from '../parked/projection-fault.ts';

/** Documents in memory: those of a few days are changed again and again. */
const DOCUMENTS_IN_MEMORY = 10_000;
const DOCUMENTS_A_BATCH = 500;

interface Entry<Doc> {
  /** The last event that changed it. */
  readonly position: number;
  readonly doc: Doc;
}

export class SumDocuments<Doc extends object, K extends string> {
  readonly #of: LogProjection<Doc, K>;
  readonly #builder: Pick<Builder, 'get' | 'write'>;
  readonly #discards: ReadonlySet<string>;
  /** The most recently changed last. */
  readonly #entries = new Map<string, Entry<Doc>>();
  /** Ids that the builder holds: most documents are new, and need not be asked for. */
  readonly #handedOver = new Set<string>();
  /** Parts whose turn has not come: streams come one after the other, so at worst all of a log are here. */
  #waiting: BuiltRow[] = [];
  /** By stream: the revision from which its parts are passed over. */
  readonly #held = new Map<string, number>();
  /** Of all that was handed over. */
  readonly digest = new Digest();
  readonly faults: ProjectionFault[] = [];

  constructor(of: LogProjection<Doc, K>, builder: Pick<Builder, 'get' | 'write'>, discards: ReadonlySet<string>) {
    this.#of = of;
    this.#builder = builder;
    this.#discards = discards;
  }

  /** `upTo`: no later call brings a part of an earlier event. */
  async take(parts: ArrayBuffer, upTo: bigint): Promise<void> {
    const rows = unpacked(parts);
    if (this.#of.isInLogOrder !== true) return this.#addAll(rows.map((row) => [row]));
    this.#waiting = [...this.#waiting, ...rows].sort((one, other) => one.revision - other.revision);
    const later = this.#waiting.findIndex(({ revision }) => revision > Number(upTo));
    const due = this.#waiting.splice(0, later === -1 ? this.#waiting.length : later);
    await this.#addAll(ofOneEvent(due));
  }

  /** Hands over all documents. */
  async finish(): Promise<void> {
    await this.#addAll(ofOneEvent(this.#waiting));
    while (this.#entries.size > 0) await this.#handOver();
  }

  async #addAll(groups: readonly (readonly BuiltRow[])[]): Promise<void> {
    await this.#recall(groups.flatMap((group) => group.map(({ id }) => id)));
    for (const group of groups) this.#add(group);
    while (this.#entries.size > DOCUMENTS_IN_MEMORY) await this.#handOver();
  }

  /** All parts of an event, or none where one cannot be added: then its stream is passed over from there on. */
  #add(parts: readonly BuiltRow[]): void {
    const [stream = '', revision = 0, type = ''] = parts[0]?.keys ?? [];
    if (Number(revision) >= (this.#held.get(String(stream)) ?? Number.POSITIVE_INFINITY)) return;
    const made = new Map<string, Entry<Doc>>();
    try {
      for (const { id, revision: position, text } of parts) {
        const before = made.get(id) ?? this.#entries.get(id);
        const doc = changed(this.#of, before?.doc, { id, doc: docOf(this.#of, JSON.parse(text)) });
        made.set(id, { position: Math.max(position, before?.position ?? position), doc });
      }
    } catch (cause) {
      if (stream === '') throw cause; // a sum of several streams
      const at = { stream: String(stream), revision: Number(revision), type: String(type) };
      if (this.#discards.has(discardId(this.#of.name, at.stream, at.revision))) return;
      this.#held.set(at.stream, at.revision);
      this.faults.push(faultAt({ ...at, position: BigInt(parts[0]?.revision ?? 0) }, cause));
      return;
    }
    for (const [id, entry] of made) {
      this.#entries.delete(id);
      this.#entries.set(id, entry);
    }
  }

  /** Brings back documents that were handed over. */
  async #recall(ids: readonly string[]): Promise<void> {
    const wanted = ids.filter((id) => this.#handedOver.delete(id));
    if (wanted.length === 0) return;
    for (const row of await this.#builder.get(wanted)) {
      this.digest.remove(row);
      this.#entries.set(row.id, { position: row.revision, doc: docOf(this.#of, JSON.parse(row.text)) });
    }
  }

  async #handOver(): Promise<void> {
    const packer = new RowPacker();
    for (const [id, { position, doc }] of this.#entries) {
      this.#entries.delete(id);
      this.#handedOver.add(id);
      const row = { id, revision: position, text: JSON.stringify(doc), keys: keysOf(this.#of, doc) };
      this.digest.addHash(hashOfBytes(packer.add(row)));
      if (packer.rows === DOCUMENTS_A_BATCH) break;
    }
    await this.#builder.write(packer.pack());
  }
}

/** The parts, event by event. */
function ofOneEvent(parts: readonly BuiltRow[]): readonly (readonly BuiltRow[])[] {
  const groups: BuiltRow[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last?.[0]?.revision === part.revision) last.push(part);
    else groups.push([part]);
  }
  return groups;
}
