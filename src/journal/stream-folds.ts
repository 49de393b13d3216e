// How a stream is and was: the streams of a category as cached folds, brought up to date by the events after them.
import { LRUCache } from 'lru-cache';
import type { Adapters } from '../adapters.ts';
import type { DomainEvent } from '../domain/category.ts';
import type { Decider } from '../domain/decider.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { StoredEvent } from '../stores/event-store.ts';
import { streamOf } from '../stores/stream-name.ts';
import { anchorAt, chained, type Link, linkOf } from './chain.ts';
import type { Context, EventCause } from './context.ts';
import { beforeFirst, type Unsealed, unseal, unsealEvent } from './envelope.ts';
import { type Folded, foldIn, foldOn, snapshotOf } from './fold.ts';
import { FoldBudget, type FoldCache } from './fold-cache.ts';
import { SNAPSHOT_EVERY, type Snapshots } from './fold-snapshots.ts';
import type { PersonalKeys } from './personal-keys.ts';

/** A process's knowledge of broken streams, from all its readers. */
export interface BrokenStreams {
  /** Throws BrokenStream for a stream that is known to be broken. */
  check(stream: string): void;
  /** Puts a break on record that was found a moment ago. */
  found(broken: BrokenStream): void;
  /** The last revision that a read model has of a stream; undefined if none is known to have it. */
  documented(stream: string): Promise<number | undefined>;
}

export interface StreamsParts extends Pick<Adapters, 'events' | 'world' | 'report' | 'observer'> {
  /** Left out if no list is kept: then each reader finds a broken stream again. */
  readonly broken?: BrokenStreams;
  /** Left out: personal members are recorded plain, and can never be erased. */
  readonly keys?: Pick<PersonalKeys, 'newestOf' | 'onForget' | 'timesForgotten'> | undefined;
  /** Of long streams; left out where streams are short. */
  readonly snapshots?: Snapshots;
  /** The budget that its folds share with those of other categories; left out: a budget of its own. */
  readonly folds?: FoldBudget;
  /**
   * Whether folds that this process appended to are kept for a while: for those who soon ask how a stream was a moment
   * ago (`at`).
   */
  readonly keepsPast?: boolean;
}

/**
 * The budget for each stream's folds besides the newest one: about so many characters of JSON, including their weight.
 */
const PAST_CHARACTERS = 4 * 1024 * 1024;
const PAST_COSTS_BESIDES = 2_048;

/**
 * Every fold is of a whole chain: each event is held against the one before it, and reads throw BrokenStream where one
 * does not follow.
 */
export abstract class StreamFolds<State extends object, Event extends DomainEvent> {
  readonly decider: Decider<State, Event>;
  protected readonly adapters: StreamsParts;
  protected readonly cache: FoldCache<Folded<State>>;
  /** By `pastOf`. */
  readonly #past: LRUCache<string, Folded<State>> | undefined;

  constructor(decider: Decider<State, Event>, adapters: StreamsParts) {
    this.decider = decider;
    this.adapters = adapters;
    this.cache = (adapters.folds ?? new FoldBudget()).ofCategory();
    this.#past = adapters.keepsPast === true ? new LRUCache({ maxSize: PAST_CHARACTERS }) : undefined;
    const past = this.#past;
    if (past !== undefined) adapters.keys?.onForget(() => past.clear());
  }

  name(id: string): string {
    return streamOf(this.decider.category.name, id);
  }

  /** The fold before the first event. */
  get empty(): Folded<State> {
    return { state: this.decider.initial, head: beforeFirst, size: { estimate: 0, measured: 0 } };
  }

  /** The cached fold, at once, which may be older than another process's writes; or the stream read now. */
  load(id: string): Folded<State> | Promise<Folded<State>> {
    return this.#cached(id) ?? this.refresh(id, this.empty);
  }

  /** The cached fold, or that before the first event: for those whose append finds out whether it is the newest. */
  guess(id: string): Folded<State> {
    return this.#cached(id) ?? this.empty;
  }

  /**
   * The fold of the whole stream now; `each` sees the stored events after `after`, and all that are newer than `stale`.
   */
  refresh(
    id: string,
    stale: Folded<State>,
    each?: (stored: StoredEvent) => void,
    after = stale.head.revision,
  ): Promise<Folded<State>> {
    return this.reading(id, async () => {
      const leapTo = each === undefined ? Number.POSITIVE_INFINITY : after;
      const read = (): Promise<Folded<State>> =>
        this.grow(id, stale, { from: Math.min(after, stale.head.revision), leapTo, each });
      const folded = await read();
      return this.keep(id, folded.head.revision < 0 ? await this.#neverWas(id, read) : folded);
    });
  }

  /**
   * The fold after an append at its head was a conflict: a newer one, or BrokenStream where the log no longer has the
   * fold's last event.
   */
  async afterConflict(id: string, stale: Folded<State>, each: (stored: StoredEvent) => void): Promise<Folded<State>> {
    const { revision } = stale.head;
    const newer = await this.refresh(id, stale, each);
    if (newer.head.revision > revision || revision < 0) return newer;
    return this.reading(id, async () => {
      for await (const stored of this.adapters.events.read(this.name(id), revision - 1, 1)) {
        anchorAt(revision, stored);
        return newer; // its successor is not visible yet
      }
      throw new BrokenStream(
        { stream: this.name(id), revision, position: '0', type: '' },
        'the log ends before this event, which existed earlier',
      );
    });
  }

  /** The newest fold: the cached one brought up to date. */
  async current(id: string): Promise<Folded<State>> {
    return this.refresh(id, this.guess(id));
  }

  /** Reads from the log alone: it waits for no read model, and a stream whose events were lost is empty. */
  async inLog(id: string): Promise<Folded<State>> {
    const stale = this.guess(id);
    const way = { from: stale.head.revision, leapTo: Number.POSITIVE_INFINITY };
    return this.reading(id, async () => this.keep(id, await this.grow(id, stale, way)));
  }

  /**
   * The newest fold, after the same calls of the stores whether the stream has events or not, so that a caller cannot
   * tell an existing stream from a missing one by the time.
   */
  async currentAlike(id: string): Promise<Folded<State>> {
    const known = await this.adapters.broken?.documented(this.name(id)); // first: the log has what a document shows
    const folded = await this.inLog(id);
    if (folded.head.revision < 0 && known !== undefined) throw this.#heard(id, this.#lost(id, known));
    return folded;
  }

  /** The events after a revision, as the domain knows them. */
  async *history(id: string, after: number): AsyncIterable<Unsealed<Event>> {
    for await (const stored of this.stored(id, after)) yield this.#unsealed(id, stored);
  }

  /** The stored events, each checked against the previous one. */
  async *stored(id: string, after: number): AsyncIterable<StoredEvent> {
    try {
      this.adapters.broken?.check(this.name(id));
      for await (const { stored } of chained(this.adapters.events, this.name(id), after)) yield stored;
    } catch (fault) {
      throw this.#heard(id, fault);
    }
  }

  /** The fold as it was at a revision; before the first event for -1; the newest when the stream is not that long. */
  async at(id: string, revision: number): Promise<Folded<State>> {
    const cached = this.#cached(id);
    if (cached?.head.revision === revision) return cached;
    const past = this.#past?.get(pastOf(id, revision));
    if (past !== undefined) return past;
    if (revision < 0) return this.empty;
    return this.reading(id, async () => {
      const leapt =
        revision < SNAPSHOT_EVERY ? undefined : await this.#leap(id, -1, { until: revision, leapTo: revision });
      return leapt ?? this.grow(id, this.empty, { from: -1, leapTo: -1, until: revision });
    });
  }

  /** The context of work that begins because of the event at a revision. Throws RangeError if there is none. */
  async causeAt(id: string, revision: number): Promise<Required<EventCause>> {
    const { correlationId, causationId } = await this.chainAt(id, revision);
    return { correlationId, causationId };
  }

  /**
   * The context of work that belongs to the event at a revision: its cause and its actor. Throws RangeError if there
   * is none.
   */
  async chainAt(id: string, revision: number): Promise<Required<EventCause> & Pick<Context, 'actor'>> {
    for await (const { recorded, metadata } of this.history(id, revision - 1))
      return { correlationId: metadata.$correlationId, causationId: recorded.id, actor: metadata.actor };
    throw new RangeError(`${this.name(id)} has no event at ${revision}`);
  }

  /**
   * The fold with all events after it, up to `until`; the stream is read after `from`, which may be before the fold. A
   * long way is cut short by a snapshot up to `leapTo`, whose event has to be the stream's own.
   */
  protected async grow(
    id: string,
    start: Folded<State>,
    { from, leapTo, until = Number.POSITIVE_INFINITY, each }: Way,
  ): Promise<Folded<State>> {
    const { head } = start;
    const leapsAt = head.revision + SNAPSHOT_EVERY;
    let growing = start;
    let link: Link | undefined = from === head.revision ? head : undefined;
    for await (const stored of this.adapters.events.read(this.name(id), from, until - from)) {
      link = link === undefined ? anchorAt(from + 1, stored) : linkOf(link, stored);
      if (link.revision === head.revision && link.hash !== head.hash)
        throw new BrokenStream(stored, 'another event had this revision earlier');
      each?.(stored);
      if (link.revision > head.revision) {
        const folding = unsealEvent(this.decider.category, stored);
        growing = foldOn(this.decider, growing, folding, { hash: link.hash, data: stored.data });
      }
      if (link.revision >= until) break;
      const leapt =
        link.revision === leapsAt && leapTo > leapsAt
          ? await this.#leap(id, leapsAt, { until, leapTo, each })
          : undefined;
      if (leapt !== undefined) return leapt;
      if (link.revision > head.revision) this.snapshot(id, growing);
    }
    return growing;
  }

  /** Folds from a snapshot after `after`; undefined if there is none that matches the stream. */
  async #leap(id: string, after: number, { leapTo, ...way }: Omit<Way, 'from'>): Promise<Folded<State> | undefined> {
    const snapshot = await this.adapters.snapshots?.newest(this.name(id), after, leapTo);
    const start = snapshot && foldIn(this.decider.initial, snapshot);
    if (start === undefined) return undefined;
    for await (const stored of this.adapters.events.read(this.name(id), start.head.revision - 1)) {
      anchorAt(start.head.revision, stored);
      return this.grow(id, start, { ...way, from: start.head.revision - 1, leapTo: -1 });
    }
    return undefined; // the stream as this process reads it is shorter
  }

  /**
   * The fold of a stream without events. Throws BrokenStream if a read model has events of it: they were in the log,
   * and are lost.
   */
  async #neverWas(id: string, read: () => Promise<Folded<State>>): Promise<Folded<State>> {
    const known = await this.adapters.broken?.documented(this.name(id));
    if (known === undefined) return this.empty;
    const again = await read(); // the document may be of an append of a moment ago
    if (again.head.revision >= 0) return again;
    throw this.#lost(id, known);
  }

  #lost(id: string, known: number): BrokenStream {
    const missing = { stream: this.name(id), revision: 0, position: '0', type: '' };
    return new BrokenStream(missing, `the log has no events of the stream, but a read model has them up to ${known}`);
  }

  protected snapshot(id: string, folded: Folded<State>): void {
    if ((folded.head.revision + 1) % SNAPSHOT_EVERY === 0)
      this.adapters.snapshots?.keep(this.name(id), snapshotOf(folded));
  }

  #cached(id: string): Folded<State> | undefined {
    const stream = this.name(id);
    this.adapters.broken?.check(stream);
    return this.cache.get(stream);
  }

  protected async reading<T>(id: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (fault) {
      throw this.#heard(id, fault);
    }
  }

  #unsealed(id: string, stored: StoredEvent): Unsealed<Event> {
    try {
      return unseal(this.decider.category, stored);
    } catch (fault) {
      throw this.#heard(id, fault);
    }
  }

  /** Records the broken stream, then returns the fault to the caller. */
  #heard(id: string, fault: unknown): unknown {
    if (fault instanceof BrokenStream) {
      this.cache.delete(this.name(id));
      this.adapters.broken?.found(fault);
    }
    return fault;
  }

  /** Keeps the fold that an append has replaced. */
  protected keepPast(id: string, folded: Folded<State>): void {
    if (folded.head.revision >= 0)
      this.#past?.set(pastOf(id, folded.head.revision), folded, { size: folded.size.estimate + PAST_COSTS_BESIDES });
  }

  protected keep(id: string, folded: Folded<State>): Folded<State> {
    const stream = this.name(id);
    const cached = this.cache.peek(stream);
    if (folded.head.revision >= 0 && (cached === undefined || cached.head.revision < folded.head.revision))
      this.cache.set(stream, folded, folded.size.estimate);
    return folded;
  }
}

const pastOf = (id: string, revision: number): string => `${id}@${revision}`;

interface Way {
  readonly from: number;
  readonly leapTo: number;
  readonly until?: number;
  readonly each?: ((stored: StoredEvent) => void) | undefined;
}
