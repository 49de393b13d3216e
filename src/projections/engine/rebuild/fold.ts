// The one fold of a rebuild: events of streams in, packed rows of every read model that is being built out. It runs in
// the threads of a store, and in this process where a store has none.
import { z } from 'zod';
import { checkFollows } from '../../../journal/chain.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { OpenStreamWork, Parcel, StoredEvent } from '../../../stores/event-store.ts';
import { isOneOf } from '../../../stores/stream-name.ts';
import type { AnyProjection } from '../../projection.ts';
import { type FoldedModel, modelOf, type StreamPlace } from './folded-model.ts';

/** Code does not cross to a thread: it knows projections by their names. `discards`: the ids of discarded events. */
export const FoldOrder = z.object({
  models: z.array(z.object({ name: z.string(), version: z.number() })),
  discards: z.array(z.string()),
});
export type FoldOrder = z.infer<typeof FoldOrder>;

/**
 * Streams whose places are kept in log order; they live close together in the log, so those that came first are rarely
 * wanted again. With 50,000 the garbage collector took a fifth of a rebuild.
 */
const STREAMS_OPEN = 10_000;

/** Makes the `openWork` of a thread's module that knows these projections. */
export const foldWorkOf =
  (projections: readonly AnyProjection[]): OpenStreamWork =>
  async (data) => {
    const { models, discards } = FoldOrder.parse(data);
    const wanted = models.map(({ name, version }) => {
      const found = projections.find((one) => one.name === name && one.version === version);
      if (found === undefined) throw new TypeError(`this thread does not know the read model ${name}@${version}`);
      return found;
    });
    const fold = new LogFold(wanted, new Set(discards), { isWhole: true });
    return {
      take(events, isLast) {
        fold.take(events);
        return fold.parcels(isLast);
      },
    };
  };

interface OpenStream {
  last: StoredEvent | undefined;
  readonly places: readonly StreamPlace[];
}

export class LogFold {
  readonly models: readonly FoldedModel[];
  readonly #isWhole: boolean;
  /** The one that began first comes first. */
  readonly #open = new Map<string, OpenStream>();

  /** `isWhole`: one stream after the other; otherwise events come in the order of the log. */
  constructor(projections: readonly AnyProjection[], discards: ReadonlySet<string>, { isWhole = false } = {}) {
    this.models = projections.map((of) => modelOf(of, discards));
    this.#isWhole = isWhole;
  }

  /** The next events, each after those before it in its stream. */
  take(events: readonly StoredEvent[]): void {
    for (const stored of events) {
      const open = this.#opened(stored);
      for (const { out } of open.places) {
        out.events += 1;
        if (!this.#isWhole || stored.revision === 0) out.upTo = stored.position;
      }
      fold(open, stored, false);
    }
    if (!this.#isWhole) this.#end(STREAMS_OPEN);
  }

  /** The first event of each stream here that went on after its place was given up: `resume` comes before `take`. */
  forgotten(events: readonly StoredEvent[]): readonly StoredEvent[] {
    const firsts = new Map<string, StoredEvent>();
    for (const stored of events) if (!firsts.has(stored.stream)) firsts.set(stored.stream, stored);
    return [...firsts.values()].filter(({ stream, revision }) => revision > 0 && !this.#open.has(stream));
  }

  /** Takes the events of a stream again that it has taken, and takes back the documents that it made of them. */
  resume(events: readonly StoredEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    const open = this.#opened(first);
    for (const stored of events) fold(open, stored, true);
    for (const place of open.places) place.out.withdraw(() => place.rows());
  }

  /** The full ones; `isLast`: whatever there is. */
  parcels(isLast: boolean): readonly Parcel[] {
    if (isLast) this.#end(0);
    return this.models.flatMap((model) => {
      model.settle(isLast);
      return model.out.parcel(isLast) ?? [];
    });
  }

  #opened({ stream }: StoredEvent): OpenStream {
    const known = this.#open.get(stream);
    if (known !== undefined) return known;
    if (this.#isWhole) this.#end(0);
    const models = this.models.filter(({ categories }) => isOneOf(categories, stream));
    const open = { last: undefined, places: models.map((model) => model.placeIn(stream)) };
    this.#open.set(stream, open);
    return open;
  }

  #end(left: number): void {
    for (const [stream, { places }] of this.#open) {
      if (this.#open.size <= left) return;
      this.#open.delete(stream);
      for (const place of places) place.out.add(() => place.rows());
    }
  }
}

/** `isAgain`: what it adds to documents over many streams is there already. */
function fold(open: OpenStream, stored: StoredEvent, isAgain: boolean): void {
  const going = open.places.filter(({ isStopped }) => !isStopped);
  if (going.length === 0) return;
  const broken = breakAt(open.last, stored);
  open.last = going.length > 1 ? { ...stored, known: {} } : stored; // parsed once for all of them
  for (const place of going) {
    if (broken === undefined) place.take(open.last, isAgain);
    else place.pass(open.last, broken);
  }
}

/** Why the event does not follow the one before it; undefined if it does. */
function breakAt(before: StoredEvent | undefined, stored: StoredEvent): BrokenStream | undefined {
  try {
    checkFollows(before, stored);
    return undefined;
  } catch (fault) {
    if (fault instanceof BrokenStream) return fault;
    throw fault;
  }
}
