// The work of a thread in a rebuild: folds whole streams to documents, and packs them as rows for the builders.
import { z } from 'zod';
import { checkFollows } from '../../../journal/chain.ts';
import { Digest, hashOfBytes } from '../../../stores/document-digest.ts';
import type { OpenStreamWork, Parcel, StoredEvent } from '../../../stores/event-store.ts';
import { RowPacker } from '../../../stores/packed-rows.ts';
import type { BuiltRow } from '../../../stores/read-models.ts';
import { idOf, isOneOf } from '../../../stores/stream-name.ts';
import type { AnyProjection, StreamProjection } from '../../projection.ts';

/** The projections that a thread folds, by their names: code does not cross to a thread. */
export const FoldOrder = z.array(z.object({ name: z.string(), version: z.number() }));
export type FoldOrder = z.infer<typeof FoldOrder>;

/** The facts on packed rows that the engine needs. */
export const FoldNote = z.object({
  name: z.string(),
  events: z.number(),
  digest: z.object({ lanes: z.array(z.number()), documents: z.number() }),
  /** Streams whose documents end before an event that cannot be projected, or before a break. */
  unprojectable: z.array(z.string()),
  /** This projection is folded no further; the others are. */
  fault: z.string().optional(),
});
export type FoldNote = z.infer<typeof FoldNote>;

/** A parcel is closed at so many bytes of text, or documents. */
const PARCEL_BYTES = 512 * 1024;
const PARCEL_DOCUMENTS = 500;

/** Makes the `openWork` of a thread's module that knows these projections. */
export const foldWorkOf =
  (projections: readonly AnyProjection[]): OpenStreamWork =>
  async (data) => {
    const works = FoldOrder.parse(data).map(({ name, version }) => {
      const found = projections.find((one) => one.name === name && one.version === version);
      if (found === undefined) throw new TypeError(`this thread does not know the read model ${name}@${version}`);
      return found.open((of): OneWork => {
        if (of.kind === 'log')
          throw new TypeError(`${name} is made of many streams: a thread with some of them cannot fold it`);
        return { categories: of.categories, take: takeBy(of) };
      });
    });
    return {
      take: (events, isLast) =>
        works.flatMap(({ categories, take }) => {
          const its = works.length === 1 ? events : events.filter(({ stream }) => isOneOf(categories, stream));
          return take(its, isLast) ?? [];
        }),
    };
  };

interface OneWork {
  readonly categories: readonly string[];
  readonly take: (events: readonly StoredEvent[], isLast: boolean) => Parcel | undefined;
}

/** A projection whose code throws where no event is to blame ends alone. */
function takeBy<Doc extends object, K extends string>(of: StreamProjection<Doc, K>): OneWork['take'] {
  let work: FoldWork<Doc, K> | undefined = new FoldWork(of);
  return (events, isLast) => {
    try {
      return work?.take(events, isLast);
    } catch (fault) {
      work = undefined;
      const none = { events: 0, digest: { lanes: [], documents: 0 }, unprojectable: [] };
      return { bytes: new ArrayBuffer(0), note: { name: of.name, ...none, fault: String(fault) } };
    }
  };
}

class FoldWork<Doc extends object, K extends string> {
  readonly #name: string;
  readonly #grow: StreamProjection<Doc, K>['project'];
  readonly #keys: readonly ((doc: Doc) => BuiltRow['keys'][number])[];
  readonly #packer = new RowPacker();
  #digest = new Digest();
  #events = 0;
  #unprojectable: string[] = [];
  /** The last event that `#doc` holds. */
  #last: StoredEvent | undefined;
  #doc: Doc | undefined;
  #stream = '';
  #isStopped = false;

  constructor(of: StreamProjection<Doc, K>) {
    this.#name = of.name;
    this.#grow = of.grow ?? of.project;
    const keys = [];
    for (const name in of.keys) keys.push(of.keys[name]);
    this.#keys = keys;
  }

  /** See StreamWork. */
  take(events: readonly StoredEvent[], isLast: boolean): Parcel | undefined {
    for (const stored of events) {
      if (stored.stream !== this.#stream) this.#begin(stored.stream);
      if (!this.#isStopped) this.#fold(stored);
    }
    this.#events += events.length;
    if (isLast) this.#begin('');
    const isFull = this.#packer.rows >= PARCEL_DOCUMENTS || this.#packer.bytes >= PARCEL_BYTES;
    return isFull || (isLast && (this.#events > 0 || this.#packer.rows > 0)) ? this.#parcel() : undefined;
  }

  #fold(stored: StoredEvent): void {
    try {
      checkFollows(this.#last, stored);
      const doc = this.#doc;
      this.#doc = undefined; // worth nothing after a throw: catching up begins at the stream's first event then
      this.#doc = this.#grow(doc, stored);
      this.#last = stored;
    } catch {
      this.#isStopped = true; // catching up meets the fault again, and puts it on record
      this.#unprojectable.push(stored.stream);
    }
  }

  /** Packs the document of the stream that ends, where there is one. */
  #begin(stream: string): void {
    const [doc, last] = [this.#doc, this.#last];
    this.#stream = stream;
    this.#doc = undefined;
    this.#last = undefined;
    this.#isStopped = false;
    if (doc === undefined || last === undefined) return;
    const keys = this.#keys.map((key) => key(doc));
    const packed = this.#packer.add({
      id: idOf(last.stream),
      revision: last.revision,
      text: JSON.stringify(doc),
      keys,
    });
    this.#digest.addHash(hashOfBytes(packed));
  }

  #parcel(): Parcel {
    const { lanes, documents } = this.#digest;
    const note: FoldNote = {
      name: this.#name,
      events: this.#events,
      digest: { lanes, documents },
      unprojectable: this.#unprojectable,
    };
    this.#events = 0;
    this.#digest = new Digest();
    this.#unprojectable = [];
    return { bytes: this.#packer.pack(), note };
  }
}
