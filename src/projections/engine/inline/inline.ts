// Own writes are projected at once and whole: the fold that a command appended is the document, and its caller waits so
// long at most.
import type { OnFolded } from '../../../journal/streams.ts';
import { NoSuchGeneration, type ReadModelStore, type Stored } from '../../../stores/read-models.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import type { World } from '../../../world.ts';
import type { StreamProjection } from '../../projection.ts';
import type { Catalog } from '../generations/catalog.ts';
import { type Copy, copyOf } from '../generations/copy.ts';
import { goneLive, writeCopies } from '../generations/write-copies.ts';
import { seconds } from '../reach.ts';
import type { EngineTimings } from '../timings.ts';
import type { Notes } from './notes.ts';
import { Owed } from './owed.ts';
import { Resting } from './resting.ts';
import { Waits } from './waits.ts';

export interface InlineParts {
  readonly store: ReadModelStore;
  readonly catalog: Catalog;
  readonly notes: Notes;
  readonly world: World;
  readonly timings: Pick<EngineTimings, 'answerMs' | 'pollMs'>;
}

interface Writer<Doc extends object, K extends string> {
  readonly of: StreamProjection<Doc, K>;
  /** The copy of the live generation, as of the last write. */
  copy: Copy<Doc, K> | undefined;
}

export class InlineProjection {
  readonly #parts: InlineParts;
  readonly #owed: Owed;
  readonly #resting: Resting;
  readonly #waits: Waits;

  constructor(parts: InlineParts) {
    const { answerMs } = parts.timings;
    this.#parts = parts;
    this.#owed = new Owed(parts.world);
    this.#resting = new Resting(parts.world);
    this.#waits = new Waits(
      () => new StoreUnavailable(`The read models did not accept a document within ${answerMs} ms`),
    );
  }

  /**
   * For Streams: writes the fold guarded by its revision, and notes it for the follower. While `run` runs it rejects
   * with StoreUnavailable after `answerMs`: the append is answered from its fold, and the document written later. A
   * fold that goes on (Decider) is noted at once, and its document rests first.
   */
  writer<Doc extends object, K extends string>(of: StreamProjection<Doc, K>): OnFolded<Doc> {
    const writer: Writer<Doc, K> = { of, copy: undefined };
    return (id, revision, doc, goesOn) => {
      const row = { id, revision, doc };
      if (goesOn !== true || !this.#resting.isRunning) return this.#project(writer, row);
      this.#parts.notes.projected(of.name, id, revision);
      this.#resting.rest(nameOf(of, id), revision, () => this.#project(writer, row));
      return RESTS;
    };
  }

  /** Resolves when the writes that are under way now have ended: recent appends need not be projected twice. */
  settled(): Promise<void> {
    return this.#waits.settled();
  }

  /**
   * Resolves when every document that is noted as projected can be read. Wanted before a position is told or kept.
   * Rejects with StoreUnavailable.
   */
  complete(): Promise<void> {
    return this.#resting.end();
  }

  /** The acknowledged writes that cannot be read yet, for people; undefined if there are none. */
  get reason(): string | undefined {
    const { count, waitedMs } = this.#owed;
    if (count === 0) return undefined;
    return `the read models have accepted no writes for ${seconds(waitedMs)}: ${count} ${count === 1 ? 'document waits' : 'documents wait'}`;
  }

  /** Ends waits that take too long, writes what has rested, and again what failed, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, timings } = this.#parts;
    await Promise.all([
      this.#waits.run(world, timings.answerMs, signal),
      this.#owed.run(timings.pollMs, signal),
      // its own: Node warns of more than ten that wait for one
      this.#resting.run(timings.pollMs, AbortSignal.any([signal])),
    ]);
  }

  #project<Doc extends object, K extends string>(writer: Writer<Doc, K>, row: Stored<Doc>): Promise<void> {
    const { of } = writer;
    const wait = this.#waits.begin((fault) => {
      if (fault instanceof StoreUnavailable)
        this.#owed.owe(nameOf(of, row.id), row.revision, () => this.#project(writer, row));
    });
    const written = (): void => {
      this.#resting.written(nameOf(of, row.id), row.revision);
      this.#waits.end(wait);
    };
    const failed = (fault: unknown): void =>
      this.#waits.fail(wait, fault instanceof NoSuchGeneration ? goneLive(of.name, fault) : fault);
    const copy = this.#onlyCopy(writer);
    // The usual case, one generation, goes straight to the store: every promise on the way costs each write of the
    // service.
    if (copy === undefined) this.#writeAll(of, row).then(written, failed);
    else
      this.#parts.store.write(copy, [row]).then(() => {
        this.#written(of, row, copy.generation);
        written();
      }, failed);
    return wait.promise;
  }

  /** Undefined if there is none, or more than one to be written, or it is not known. */
  #onlyCopy<Doc extends object, K extends string>(writer: Writer<Doc, K>): Copy<Doc, K> | undefined {
    const { catalog } = this.#parts;
    const { own, also } = catalog.standing(writer.of.name);
    if (own === undefined || also.length > 0 || !catalog.isRecent) return undefined;
    if (writer.copy?.generation !== own) writer.copy = copyOf(writer.of, own);
    return writer.copy;
  }

  async #writeAll<Doc extends object, K extends string>(of: StreamProjection<Doc, K>, row: Stored<Doc>): Promise<void> {
    const { store, catalog } = this.#parts;
    const { generations } = await writeCopies(store, catalog, of, [row]);
    for (const generation of generations) this.#written(of, row, generation);
  }

  #written<Doc extends object, K extends string>(
    of: StreamProjection<Doc, K>,
    { id, revision }: Stored<Doc>,
    generation: number,
  ): void {
    // The flip may have come during this write: a note must not cover events that the live generation has not got.
    if (this.#parts.catalog.standing(of.name).own !== generation) return;
    this.#parts.notes.projected(of.name, id, revision);
    if (this.#owed.count > 0) this.#owed.paid(nameOf(of, id), revision);
  }
}

/** The answer for a fold whose document rests: its caller does not wait for the write. */
const RESTS = Promise.resolve();

const nameOf = <Doc extends object, K extends string>(of: StreamProjection<Doc, K>, id: string): string =>
  `${of.name}/${id}`;
