// Own writes are projected at once and whole: the fold that a command appended is the document, and its caller waits so
// long at most.
import { boundedCache } from '../../journal/bounded-cache.ts';
import type { OnFolded } from '../../journal/streams.ts';
import { NoSuchGeneration, type ReadModelStore, type Stored } from '../../stores/read-models.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { Alarm, type World } from '../../world.ts';
import type { StreamProjection } from '../projection.ts';
import type { Catalog } from './generations/catalog.ts';
import { copyOf } from './generations/copy.ts';
import { goneLive, writeCopies } from './generations/write-copies.ts';
import { seconds } from './reach.ts';
import type { EngineTimings } from './timings.ts';

interface InlineParts {
  readonly store: ReadModelStore;
  readonly catalog: Catalog;
  readonly world: World;
  readonly timings: Pick<EngineTimings, 'answerMs' | 'pollMs'>;
}

/**
 * A document that this process has folded and that cannot be read yet. It leaves the list once its revision, or a newer
 * one, is in the live generation.
 */
interface Unwritten {
  readonly revision: number;
  readonly write: () => Promise<void>;
  /** When it has rested long enough; World.monotonic. */
  due: number;
  /** True if the follower passes over it already: it must be written before a position is reported or kept. */
  readonly isNoted: boolean;
  /** Since when the store has refused it; undefined if it has not. World.monotonic. */
  readonly refusedAt: number | undefined;
}

/** A caller's wait for a write; the write itself goes on when the wait is over. */
class Wait {
  /** The tick in which it began: time during which this process was paused does not count. */
  readonly since: number;
  readonly promise: Promise<void>;
  end = nothing;
  fail: (fault: unknown) => void = nothing;

  constructor(since: number) {
    this.since = since;
    this.promise = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
  }
}

const nothing = (): void => undefined;

/** How long a document rests at most, ms. A call to a processor that takes longer can be seen under way. */
const REST_MS = 100;
/** Ticks of the clock in the time that a wait may take: that is how exactly it is kept. */
const TICKS = 4;
/** Refused documents that are remembered; more are left to the follower alone. */
const MOST_REFUSED = 1_000;
/** Documents that are written at once. */
const AT_ONCE = 50;
/** Streams remembered for each projection; a forgotten stream costs the follower a look at its document. */
const NOTED = 20_000;
/** The answer for a fold whose document rests: its caller does not wait for the write. */
const RESTS = Promise.resolve();

export class InlineProjection {
  readonly #parts: InlineParts;
  /** By projection, the newest revision of each stream that needs no look of the follower. */
  readonly #noted = new Map<string, ReturnType<typeof boundedCache<number>>>();
  readonly #unwritten = new Map<string, Unwritten>();
  /** With what lists the document. One clock ends them all: a timer for each would cost more than its bookkeeping. */
  readonly #waits = new Map<Wait, () => void>();
  #tick = 0;
  /** Since when the store has refused a document that it has not taken since; World.monotonic. */
  #refusedSince: number | undefined;
  /** Rung for a document that has rested long enough before `#looksAt`. */
  readonly #rested = new Alarm();
  /** When `#writeRested` looks at the list again; World.monotonic. */
  #looksAt = Number.POSITIVE_INFINITY;
  /** Of `run`: only while it runs may a document rest, because nobody else would write it. */
  #running: AbortSignal | undefined;

  constructor(parts: InlineParts) {
    this.#parts = parts;
  }

  /**
   * For Streams: writes the fold guarded by its revision, and notes it for the follower. While `run` runs it rejects
   * with StoreUnavailable after `answerMs`: the append is answered from its fold, and the document written later. A
   * fold that goes on (Decider) is noted at once, and its document rests first.
   */
  writer<Doc extends object, K extends string>(of: StreamProjection<Doc, K>): OnFolded<Doc> {
    return (id, revision, doc, goesOn) => {
      const row = { id, revision, doc };
      if (goesOn !== true || this.#running?.aborted !== false) return this.#project(of, row);
      this.#note(of.name, id, revision);
      this.#list(of, row, { isNoted: true });
      return RESTS;
    };
  }

  /** True if the document of `id` holds this revision already, or does before a position is told. */
  covers(projection: string, id: string, revision: number): boolean {
    return (this.#noted.get(projection)?.peek(id) ?? -1) >= revision;
  }

  /** Another generation is live: what was noted of the old one says nothing about it. */
  forget(projection: string): void {
    this.#noted.delete(projection);
  }

  /** Resolves when the writes that are under way now have ended: recent appends need not be projected twice. */
  async settled(): Promise<void> {
    if (this.#waits.size > 0) await Promise.allSettled([...this.#waits.keys()].map(({ promise }) => promise));
  }

  /**
   * Resolves when every document that is noted as projected can be read. Wanted before a position is told or kept.
   * Rejects with StoreUnavailable.
   */
  async complete(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const noted = [...this.#unwritten.values()].filter(({ isNoted }) => isNoted);
    const failed = (await Promise.allSettled(noted.map(({ write }) => write()))).find(isRejected);
    if (failed !== undefined) throw failed.reason;
  }

  /** The acknowledged writes that cannot be read yet, for people; undefined if there are none. */
  get reason(): string | undefined {
    if (this.#unwritten.size === 0) return undefined;
    const first = this.#oldestRefusal();
    if (first === undefined) return undefined;
    const { length } = this.#refused();
    const waiting = `${length} ${length === 1 ? 'document waits' : 'documents wait'}`;
    return `the read models have accepted no writes for ${seconds(this.#parts.world.monotonic() - first)}: ${waiting}`;
  }

  /**
   * True if the store has refused a document for as long as a caller waits for one: another append would add to what
   * cannot be read. Only while `run` runs.
   */
  get isRefused(): boolean {
    const { world, timings } = this.#parts;
    return this.#refusedSince !== undefined && world.monotonic() - this.#refusedSince >= timings.answerMs;
  }

  /** Ends waits that take too long, and writes what is due, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#running = signal;
    // its own signal: Node warns of more than ten that wait for one
    const own = AbortSignal.any([signal]);
    await Promise.all([this.#endWaits(signal), this.#writeRefused(signal), this.#writeRested(own)]);
  }

  #project<Doc extends object, K extends string>(of: StreamProjection<Doc, K>, row: Stored<Doc>): Promise<void> {
    const { store, catalog, world } = this.#parts;
    const wait = new Wait(this.#tick);
    this.#waits.set(wait, () => this.#list(of, row, { refusedAt: world.monotonic() }));
    const written = (generations: readonly number[]): void => {
      this.#written(of.name, row, generations);
      if (this.#waits.delete(wait)) wait.end();
    };
    const failed = (fault: unknown): void =>
      this.#fail(wait, fault instanceof NoSuchGeneration ? goneLive(of.name, fault) : fault);
    const { own, also } = catalog.standing(of.name);
    // The usual case, one generation, goes straight to the store: every promise on the way costs each write.
    if (own !== undefined && also.length === 0 && catalog.isRecent)
      store.write(copyOf(of, own), [row]).then(() => written([own]), failed);
    else writeCopies(store, catalog, of, [row]).then(({ generations }) => written(generations), failed);
    return wait.promise;
  }

  #fail(wait: Wait, fault: unknown): void {
    const list = this.#waits.get(wait);
    if (!this.#waits.delete(wait)) return;
    if (fault instanceof StoreUnavailable) list?.();
    wait.fail(fault);
  }

  /** The document is in these generations, up to this revision. */
  #written(name: string, { id, revision }: Stored<object>, generations: readonly number[]): void {
    const { own } = this.#parts.catalog.standing(name);
    // The flip may have come during this write: a note must not cover events that the live generation has not got.
    if (own !== undefined && !generations.includes(own)) return;
    if (own !== undefined) this.#note(name, id, revision);
    if (this.#unwritten.size === 0) return;
    const document = documentOf(name, id);
    const listed = this.#unwritten.get(document);
    if (listed !== undefined && listed.revision <= revision) this.#unwritten.delete(document);
  }

  #note(name: string, id: string, revision: number): void {
    const noted = this.#noted.get(name) ?? boundedCache<number>(NOTED);
    this.#noted.set(name, noted);
    if ((noted.peek(id) ?? -1) < revision) noted.set(id, revision);
  }

  /** Lists a document that rests, or that the store refused. A newer revision keeps what the older one promised. */
  #list<Doc extends object, K extends string>(
    of: StreamProjection<Doc, K>,
    row: Stored<Doc>,
    { isNoted = false, refusedAt }: Partial<Pick<Unwritten, 'isNoted' | 'refusedAt'>>,
  ): void {
    const { world } = this.#parts;
    const document = documentOf(of.name, row.id);
    const listed = this.#unwritten.get(document);
    const isFull = this.#unwritten.size >= MOST_REFUSED && this.#refused().length >= MOST_REFUSED;
    if (listed === undefined && !isNoted && isFull) return;
    const promised = {
      isNoted: isNoted || listed?.isNoted === true,
      refusedAt: listed?.refusedAt ?? refusedAt,
    };
    if (listed !== undefined && listed.revision >= row.revision) {
      this.#unwritten.set(document, { ...listed, ...promised });
      return;
    }
    const due = world.monotonic() + REST_MS;
    this.#unwritten.set(document, { revision: row.revision, write: () => this.#project(of, row), due, ...promised });
    if (!isNoted || due >= this.#looksAt) return;
    this.#looksAt = due;
    this.#rested.ring();
  }

  async #endWaits(signal: AbortSignal): Promise<void> {
    const { world, timings } = this.#parts;
    while (!signal.aborted) {
      await world.sleep(timings.answerMs / TICKS, signal).catch(() => undefined);
      this.#tick += 1;
      for (const wait of this.#waits.keys()) {
        if (this.#tick - wait.since <= TICKS) break; // later ones began later
        const late = `The read models did not accept a document within ${timings.answerMs} ms`;
        this.#fail(wait, new StoreUnavailable(late));
      }
    }
  }

  /** Writes what has rested long enough. What the store refuses of it is tried again by `#writeRefused`. */
  async #writeRested(signal: AbortSignal): Promise<void> {
    const { world, timings } = this.#parts;
    while (!signal.aborted) {
      const { rung } = this.#rested;
      const now = world.monotonic();
      const resting = [...this.#unwritten.values()].filter(({ refusedAt }) => refusedAt === undefined);
      const due = resting.filter((one) => one.due <= now);
      for (const one of due) one.due = now + timings.pollMs; // the next try, if this one ends otherwise
      await Promise.allSettled(due.map(({ write }) => write()));
      this.#looksAt = resting.reduce((first, one) => Math.min(first, one.due), world.monotonic() + timings.pollMs);
      await this.#rested.sleep(world, Math.max(0, this.#looksAt - world.monotonic()), signal, rung);
    }
  }

  /** Apart from what rests, which must not wait for a store that refuses other documents. */
  async #writeRefused(signal: AbortSignal): Promise<void> {
    const { world, timings } = this.#parts;
    while (!signal.aborted) {
      await world.sleep(timings.pollMs, signal).catch(() => undefined);
      const refused = this.#refused();
      for (let from = 0; from < refused.length; from += AT_ONCE) {
        const tried = await Promise.allSettled(refused.slice(from, from + AT_ONCE).map(({ write }) => write()));
        if (tried.every(isRejected)) break;
      }
      this.#refusedSince = this.#oldestRefusal();
    }
  }

  #oldestRefusal(): number | undefined {
    const times = this.#refused().flatMap(({ refusedAt = [] }) => refusedAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #refused(): readonly Unwritten[] {
    return [...this.#unwritten.values()].filter(({ refusedAt }) => refusedAt !== undefined);
  }
}

const isRejected = (settled: PromiseSettledResult<unknown>): settled is PromiseRejectedResult =>
  settled.status === 'rejected';

const documentOf = (name: string, id: string): string => `${name}/${id}`;
