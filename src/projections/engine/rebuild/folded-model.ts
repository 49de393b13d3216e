// What a fold makes of one read model: its place in each stream, and the packed rows that come of it.
import { z } from 'zod';
import type { BrokenStream } from '../../../stores/broken-stream.ts';
import { Digest, hashOfBytes } from '../../../stores/document-digest.ts';
import type { Parcel, StoredEvent } from '../../../stores/event-store.ts';
import { RowPacker } from '../../../stores/packed-rows.ts';
import { type BuiltRow, keysOf } from '../../../stores/read-models.ts';
import { idOf } from '../../../stores/stream-name.ts';
import {
  type AnyProjection,
  type Change,
  changed,
  type LogProjection,
  type StreamProjection,
} from '../../projection.ts';
import { discardId } from '../parked/discards.ts';
import { faultAt, ProjectionFault } from '../parked/projection-fault.ts';

/** What comes with packed rows of a read model. */
export const FoldNote = z.object({
  name: z.string(),
  /** Events that were read for them. */
  events: z.number(),
  /** Of whole documents; parts of documents over many streams have none. */
  digest: z.object({ lanes: z.array(z.number()), documents: z.number() }),
  /** No later part is of an earlier event. */
  upTo: z.bigint(),
  /** Where streams end: before an event that cannot be projected, or before a break. */
  faults: z.array(ProjectionFault),
  /** Why this read model is folded no further; the others are. */
  failed: z.string().optional(),
});
export type FoldNote = z.infer<typeof FoldNote>;

/** A parcel is closed at so many bytes of text, or rows. */
const PARCEL_BYTES = 512 * 1024;
const PARCEL_ROWS = 500;

/** A read model that is folded. */
export interface FoldedModel {
  readonly categories: readonly string[];
  readonly out: Output;
  placeIn(stream: string): StreamPlace;
  /** Packs what it has added up. */
  settle(isLast: boolean): void;
}

/** A read model's place in a stream. */
export interface StreamPlace {
  readonly out: Output;
  /** Its further events are passed over. */
  readonly isStopped: boolean;
  take(stored: StoredEvent, isAgain: boolean): void;
  /** Stops at an event that does not follow, unless an operator ordered that this read model go on after it. */
  pass(stored: StoredEvent, broken: BrokenStream): void;
  /** The documents that are of this stream alone. */
  rows(): readonly BuiltRow[];
}

export const modelOf = ({ open }: AnyProjection, discards: ReadonlySet<string>): FoldedModel =>
  open((of): FoldedModel => (of.kind === 'stream' ? new StreamModel(of, discards) : new LogModel(of, discards)));

/** What was folded of a read model. */
class Output {
  readonly name: string;
  readonly #discards: ReadonlySet<string>;
  readonly #packer = new RowPacker();
  #digest = new Digest();
  #faults: ProjectionFault[] = [];
  #failed: string | undefined;
  /** Since the last parcel. */
  events = 0;
  upTo = -1n;

  constructor(name: string, discards: ReadonlySet<string>) {
    this.name = name;
    this.#discards = discards;
  }

  isDiscarded({ stream, revision }: StoredEvent): boolean {
    return this.#discards.size > 0 && this.#discards.has(discardId(this.name, stream, revision));
  }

  add(rows: () => readonly BuiltRow[]): void {
    for (const row of this.#made(rows)) this.#digest.addHash(hashOfBytes(this.#packer.add(row)));
  }

  /** Takes documents back. */
  withdraw(rows: () => readonly BuiltRow[]): void {
    for (const row of this.#made(rows)) this.#digest.remove(row);
  }

  /** A projection whose code throws where no event is to blame ends alone. */
  #made(rows: () => readonly BuiltRow[]): readonly BuiltRow[] {
    if (this.#failed !== undefined) return [];
    try {
      return rows();
    } catch (fault) {
      this.#failed = String(fault);
      return [];
    }
  }

  /** A part of a document over many streams. */
  part(row: BuiltRow): void {
    this.#packer.add(row);
  }

  fault(fault: ProjectionFault): void {
    this.#faults.push(fault);
  }

  parcel(isLast: boolean): Parcel | undefined {
    const isFull = this.#packer.rows >= PARCEL_ROWS || this.#packer.bytes >= PARCEL_BYTES;
    if (!isFull && !(isLast && (this.events > 0 || this.#packer.rows > 0))) return undefined;
    const { lanes, documents } = this.#digest;
    const note: FoldNote = {
      name: this.name,
      events: this.events,
      digest: { lanes, documents },
      upTo: this.upTo,
      faults: this.#faults,
      ...(this.#failed !== undefined && { failed: this.#failed }),
    };
    this.events = 0;
    this.#digest = new Digest();
    this.#faults = [];
    return { bytes: this.#packer.pack(), note };
  }
}

class StreamModel<Doc extends object, K extends string> implements FoldedModel {
  readonly #of: StreamProjection<Doc, K>;
  readonly out: Output;

  constructor(of: StreamProjection<Doc, K>, discards: ReadonlySet<string>) {
    this.#of = of;
    this.out = new Output(of.name, discards);
  }

  get categories(): readonly string[] {
    return this.#of.categories;
  }

  placeIn(stream: string): StreamPlace {
    return new DocumentPlace(this.#of, this.out, idOf(stream));
  }

  settle(): void {}
}

class DocumentPlace<Doc extends object, K extends string> implements StreamPlace {
  readonly #of: StreamProjection<Doc, K>;
  readonly out: Output;
  readonly #id: string;
  #doc: Doc | undefined;
  #revision = -1;
  isStopped = false;

  constructor(of: StreamProjection<Doc, K>, out: Output, id: string) {
    this.#of = of;
    this.out = out;
    this.#id = id;
  }

  take(stored: StoredEvent): void {
    try {
      this.#doc = this.#of.project(this.#doc, stored);
    } catch (cause) {
      if (!this.out.isDiscarded(stored)) {
        this.#stop(faultAt(stored, cause));
        return;
      }
    }
    this.#revision = stored.revision;
  }

  /** A missing event cannot be passed over: the document is the stream's. */
  pass(stored: StoredEvent, broken: BrokenStream): void {
    this.#stop(faultAt(stored, broken));
  }

  #stop(fault: ProjectionFault): void {
    this.isStopped = true;
    this.out.fault(fault);
  }

  rows(): readonly BuiltRow[] {
    const doc = this.#doc;
    return doc === undefined ? [] : [rowOf(this.#of, this.#id, this.#revision, doc)];
  }
}

class LogModel<Doc extends object, K extends string> implements FoldedModel {
  readonly #of: LogProjection<Doc, K>;
  readonly out: Output;
  /** Sums that are added up in any order. */
  readonly #sums = new Map<string, { readonly position: number; readonly doc: Doc }>();

  constructor(of: LogProjection<Doc, K>, discards: ReadonlySet<string>) {
    this.#of = of;
    this.out = new Output(of.name, discards);
  }

  get categories(): readonly string[] {
    return this.#of.categories;
  }

  placeIn(): StreamPlace {
    return new ChangesPlace(this.#of, this.out, (stored, changes) => this.#add(stored, changes));
  }

  settle(isLast: boolean): void {
    if (!isLast && this.#sums.size < PARCEL_ROWS) return;
    for (const [id, { position, doc }] of this.#sums)
      this.out.part({ id, revision: position, text: JSON.stringify(doc), keys: [] });
    this.#sums.clear();
  }

  #add(stored: StoredEvent, changes: readonly Change<Doc>[]): void {
    const position = Number(stored.position); // below 2^53 in every log that we know
    if (this.#of.isInLogOrder === true) {
      const keys = [stored.stream, stored.revision, stored.type];
      for (const { id, doc } of changes) this.out.part({ id, revision: position, text: JSON.stringify(doc), keys });
      return;
    }
    const made = new Map<string, Doc>();
    for (const change of changes)
      made.set(change.id, changed(this.#of, made.get(change.id) ?? this.#sums.get(change.id)?.doc, change));
    for (const [id, doc] of made)
      this.#sums.set(id, { position: Math.max(position, this.#sums.get(id)?.position ?? position), doc });
  }
}

class ChangesPlace<Doc extends object, K extends string> implements StreamPlace {
  readonly #of: LogProjection<Doc, K>;
  readonly out: Output;
  readonly #add: (stored: StoredEvent, changes: readonly Change<Doc>[]) => void;
  #reader: LogProjection<Doc, K>['reader'];
  /** The documents that are of this stream alone. */
  readonly #docs = new Map<string, { readonly position: number; readonly doc: Doc }>();
  isStopped = false;

  constructor(of: LogProjection<Doc, K>, out: Output, add: (stored: StoredEvent, its: readonly Change<Doc>[]) => void) {
    this.#of = of;
    this.out = out;
    this.#add = add;
    this.#reader = of.reader;
  }

  take(stored: StoredEvent, isAgain: boolean): void {
    try {
      const { changes, next } = this.#reader(stored);
      this.#reader = next;
      if (this.#of.add === undefined)
        for (const { id, doc } of changes) this.#docs.set(id, { position: Number(stored.position), doc });
      else if (changes.length > 0 && !isAgain) this.#add(stored, changes);
    } catch (cause) {
      if (!this.out.isDiscarded(stored)) this.#stop(faultAt(stored, cause));
    }
  }

  pass(stored: StoredEvent, broken: BrokenStream): void {
    if (!this.out.isDiscarded(stored)) {
      this.#stop(faultAt(stored, broken));
      return;
    }
    try {
      this.#reader = this.#reader(stored).next; // the event counts for nothing, but its content is known
    } catch {
      // nor is its content
    }
  }

  #stop(fault: ProjectionFault): void {
    this.isStopped = true;
    this.out.fault(fault);
  }

  rows(): readonly BuiltRow[] {
    return [...this.#docs].map(([id, { position, doc }]) => rowOf(this.#of, id, position, doc));
  }
}

const rowOf = <Doc extends object, K extends string>(
  of: StreamProjection<Doc, K> | LogProjection<Doc, K>,
  id: string,
  revision: number,
  doc: Doc,
): BuiltRow => ({ id, revision, text: JSON.stringify(doc), keys: keysOf(of, doc) });
