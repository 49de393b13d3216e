// The streams of one category: cached fold, delta reads, sealed appends, own writes projected.
import { LRUCache } from 'lru-cache';
import type { Adapters } from '../adapters.ts';
import type { DomainEvent } from '../domain/category.ts';
import type { Decider } from '../domain/decider.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { Append, Appended, NewEvent, StoredEvent } from '../stores/event-store.ts';
import { streamOf } from '../stores/stream-name.ts';
import { anchorAt, chained, type Link, linkOf } from './chain.ts';
import type { Context, EventCause } from './context.ts';
import { beforeFirst, isPersonal, type PersonalKey, seal, type Unsealed, unseal, unsealEvent } from './envelope.ts';
import { type Folded, foldIn, foldOn, snapshotOf } from './fold.ts';
import { FoldBudget, type FoldCache } from './fold-cache.ts';
import { SNAPSHOT_EVERY, type Snapshots } from './fold-snapshots.ts';
import type { PersonalKeys } from './personal-keys.ts';

/** Called with every fold that this process appended, before its caller goes on. `goesOn`: see Decider. */
export type OnFolded<State> = (id: string, revision: number, state: State, goesOn?: boolean) => Promise<void>;

/** A process's knowledge of broken streams, from all its readers. */
export interface BrokenStreams {
  /** Throws BrokenStream for a stream that is known to be broken. */
  check(stream: string): void;
  /** Puts a break on record that was found a moment ago. */
  found(broken: BrokenStream): void;
  /** The last revision that a read model has of a stream; undefined if none is known to have it. */
  documented(stream: string): Promise<number | undefined>;
}

interface StreamsParts extends Pick<Adapters, 'events' | 'world' | 'report' | 'observer'> {
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
export class Streams<State extends object, Event extends DomainEvent> {
  readonly decider: Decider<State, Event>;
  readonly #adapters: StreamsParts;
  readonly #onFolded: OnFolded<State>;
  readonly #cache: FoldCache<Folded<State>>;
  /** By `pastOf`. */
  readonly #past: LRUCache<string, Folded<State>> | undefined;
  /** The waiting calls of each stream that a call works on. */
  readonly #turns = new Map<string, (() => void)[]>();

  constructor(decider: Decider<State, Event>, adapters: StreamsParts, onFolded: OnFolded<State>) {
    this.decider = decider;
    this.#adapters = adapters;
    this.#onFolded = onFolded;
    this.#cache = (adapters.folds ?? new FoldBudget()).ofCategory();
    this.#past = adapters.keepsPast === true ? new LRUCache({ maxSize: PAST_CHARACTERS }) : undefined;
    const past = this.#past;
    if (past !== undefined) adapters.keys?.onForget(() => past.clear());
  }

  /** The observer of the commands' work here. */
  get observer(): Adapters['observer'] {
    return this.#adapters.observer;
  }

  /** One command at a time a stream in this process: only other nodes are left to conflict with. */
  async inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.#turns.get(id);
    if (waiting === undefined) this.#turns.set(id, []);
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = this.#turns.get(id)?.shift();
      if (next === undefined) this.#turns.delete(id);
      else next();
    }
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
    return this.#reading(id, async () => {
      const leapTo = each === undefined ? Number.POSITIVE_INFINITY : after;
      const read = (): Promise<Folded<State>> =>
        this.#grow(id, stale, { from: Math.min(after, stale.head.revision), leapTo, each });
      const folded = await read();
      return this.#keep(id, folded.head.revision < 0 ? await this.#neverWas(id, read) : folded);
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
    return this.#reading(id, async () => {
      for await (const stored of this.#adapters.events.read(this.name(id), revision - 1, 1)) {
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
    return this.#reading(id, async () => this.#keep(id, await this.#grow(id, stale, way)));
  }

  /**
   * The newest fold, after the same calls of the stores whether the stream has events or not, so that a caller cannot
   * tell an existing stream from a missing one by the time.
   */
  async currentAlike(id: string): Promise<Folded<State>> {
    const known = await this.#adapters.broken?.documented(this.name(id)); // first: the log has what a document shows
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
      this.#adapters.broken?.check(this.name(id));
      for await (const { stored } of chained(this.#adapters.events, this.name(id), after)) yield stored;
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
    return this.#reading(id, async () => {
      const leapt =
        revision < SNAPSHOT_EVERY ? undefined : await this.#leap(id, -1, { until: revision, leapTo: revision });
      return leapt ?? this.#grow(id, this.empty, { from: -1, leapTo: -1, until: revision });
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

  /** Appends at the fold's head; the new fold is projected before this resolves, unless it goes on (Decider). */
  async append(
    id: string,
    folded: Folded<State>,
    events: readonly Event[],
    context: Context,
  ): Promise<Written<State> | 'conflict'> {
    const preparing = this.prepare(id, folded, events, context);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    const { stream, after, events: stored } = prepared.append;
    const appended = await this.#reading(id, () => this.#adapters.events.append(stream, after, stored));
    return appended === 'conflict' ? appended : prepared.written();
  }

  /** True if the store appends to several streams at once. */
  get appendsToSeveral(): boolean {
    return this.#adapters.events.appendAll !== undefined;
  }

  /** Appends what several streams have prepared, or nothing of it; `written` of each is the caller's to call. */
  async appendAll(prepared: readonly Prepared<object>[]): Promise<Appended> {
    return (await this.#adapters.events.appendAll?.(prepared.map(({ append }) => append))) ?? 'conflict';
  }

  /** The append of these events at the fold's head, sealed now; at once unless a key has to be read first. */
  prepare(
    id: string,
    folded: Folded<State>,
    events: readonly Event[],
    context: Context,
  ): Prepared<State> | Promise<Prepared<State>> {
    const timesForgotten = this.#adapters.keys?.timesForgotten;
    const keys = this.#keysFor(id, folded, events);
    return keys instanceof Promise
      ? keys.then((known) => this.#sealed(id, folded, events, context, known, timesForgotten))
      : this.#sealed(id, folded, events, context, keys, timesForgotten);
  }

  /** The keys of the events with personal members, by event. */
  #keysFor(id: string, { state }: Folded<State>, events: readonly Event[]): EventKeys | Promise<EventKeys> {
    const { category, subjectOf } = this.decider;
    const { keys } = this.#adapters;
    if (category.personal.size === 0 || keys === undefined) return NO_KEYS;
    const known = new Map<object, PersonalKey>();
    const awaited: Promise<unknown>[] = [];
    for (const event of events) {
      if (!isPersonal(category, event)) continue;
      if (subjectOf === undefined) throw new TypeError(`${category.name} does not say whose personal data it records`);
      const key = keys.newestOf(subjectOf(state, event, id));
      if (key instanceof Promise) awaited.push(key.then((found) => known.set(event, found)));
      else known.set(event, key);
    }
    return awaited.length === 0 ? known : Promise.all(awaited).then(() => known);
  }

  #sealed(
    id: string,
    folded: Folded<State>,
    events: readonly Event[],
    context: Context,
    keys: EventKeys,
    timesForgotten: number | undefined,
  ): Prepared<State> {
    const { category, causeOf } = this.decider;
    const cause = causeOf && ((event: Event) => causeOf(folded.state, event));
    const sealed = seal(category, events, context, folded.head, this.#adapters.world, cause, keys);
    const steps: Folded<State>[] = [];
    const appended: NewEvent[] = [];
    const eventIds: string[] = [];
    let next = folded;
    for (const { event, recorded, stored, hash } of sealed) {
      next = foldOn(this.decider, next, { event, recorded }, { hash, data: stored.data });
      steps.push(next);
      appended.push(stored);
      eventIds.push(stored.id);
    }
    const written = async (): Promise<Written<State>> => {
      if (keys.size > 0 && this.#adapters.keys?.timesForgotten !== timesForgotten)
        return { folded: await this.#readAgain(id, next), eventIds };
      for (const step of steps) this.#snapshot(id, step);
      if (folded.head.revision >= 0)
        this.#past?.set(pastOf(id, folded.head.revision), folded, { size: folded.size.estimate + PAST_COSTS_BESIDES });
      this.#keep(id, next);
      await this.#project(id, next, this.decider.goesOn?.(events) === true);
      return { folded: next, eventIds };
    };
    return { append: { stream: this.name(id), after: folded.head.revision, events: appended }, written };
  }

  /**
   * The fold as the log has it after an append: keys were destroyed while the store took it, perhaps that of an event.
   */
  async #readAgain(id: string, appended: Folded<State>): Promise<Folded<State>> {
    const until = appended.head.revision;
    this.#cache.delete(this.name(id));
    try {
      const folded = await this.#grow(id, this.empty, { from: -1, leapTo: -1, until });
      this.#keep(id, folded);
      await this.#project(id, folded, false);
      return folded;
    } catch (fault) {
      this.#adapters.report(fault); // the append is durable, and the follower projects it
      return appended;
    }
  }

  /** Projects a fold that was to go on, and does not. */
  async show(id: string, folded: Folded<State>): Promise<void> {
    await this.#project(id, folded, false);
  }

  name(id: string): string {
    return streamOf(this.decider.category.name, id);
  }

  /**
   * The fold with all events after it, up to `until`; the stream is read after `from`, which may be before the fold. A
   * long way is cut short by a snapshot up to `leapTo`, whose event has to be the stream's own.
   */
  async #grow(
    id: string,
    start: Folded<State>,
    { from, leapTo, until = Number.POSITIVE_INFINITY, each }: Way,
  ): Promise<Folded<State>> {
    const { head } = start;
    const leapsAt = head.revision + SNAPSHOT_EVERY;
    let growing = start;
    let link: Link | undefined = from === head.revision ? head : undefined;
    for await (const stored of this.#adapters.events.read(this.name(id), from, until - from)) {
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
      if (link.revision > head.revision) this.#snapshot(id, growing);
    }
    return growing;
  }

  /** Folds from a snapshot after `after`; undefined if there is none that matches the stream. */
  async #leap(id: string, after: number, { leapTo, ...way }: Omit<Way, 'from'>): Promise<Folded<State> | undefined> {
    const snapshot = await this.#adapters.snapshots?.newest(this.name(id), after, leapTo);
    const start = snapshot && foldIn(this.decider.initial, snapshot);
    if (start === undefined) return undefined;
    for await (const stored of this.#adapters.events.read(this.name(id), start.head.revision - 1)) {
      anchorAt(start.head.revision, stored);
      return this.#grow(id, start, { ...way, from: start.head.revision - 1, leapTo: -1 });
    }
    return undefined; // the stream as this process reads it is shorter
  }

  /**
   * The fold of a stream without events. Throws BrokenStream if a read model has events of it: they were in the log,
   * and are lost.
   */
  async #neverWas(id: string, read: () => Promise<Folded<State>>): Promise<Folded<State>> {
    const known = await this.#adapters.broken?.documented(this.name(id));
    if (known === undefined) return this.empty;
    const again = await read(); // the document may be of an append of a moment ago
    if (again.head.revision >= 0) return again;
    throw this.#lost(id, known);
  }

  #lost(id: string, known: number): BrokenStream {
    const missing = { stream: this.name(id), revision: 0, position: '0', type: '' };
    return new BrokenStream(missing, `the log has no events of the stream, but a read model has them up to ${known}`);
  }

  async #project(id: string, { head, state }: Folded<State>, goesOn: boolean): Promise<void> {
    try {
      await this.#onFolded(id, head.revision, state, goesOn);
    } catch (fault) {
      // a durable write is never answered with an error: the follower repairs the read models
      this.#adapters.report(fault);
    }
  }

  #snapshot(id: string, folded: Folded<State>): void {
    if ((folded.head.revision + 1) % SNAPSHOT_EVERY === 0)
      this.#adapters.snapshots?.keep(this.name(id), snapshotOf(folded));
  }

  #cached(id: string): Folded<State> | undefined {
    const stream = this.name(id);
    this.#adapters.broken?.check(stream);
    return this.#cache.get(stream);
  }

  async #reading<T>(id: string, read: () => Promise<T>): Promise<T> {
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
      this.#cache.delete(this.name(id));
      this.#adapters.broken?.found(fault);
    }
    return fault;
  }

  #keep(id: string, folded: Folded<State>): Folded<State> {
    const stream = this.name(id);
    const cached = this.#cache.peek(stream);
    if (folded.head.revision >= 0 && (cached === undefined || cached.head.revision < folded.head.revision))
      this.#cache.set(stream, folded, folded.size.estimate);
    return folded;
  }
}

interface Written<State> {
  readonly folded: Folded<State>;
  /** In the order of the events. */
  readonly eventIds: readonly string[];
}

interface Prepared<State> {
  readonly append: Append;
  /** Keeps and projects the new fold, once the append is made. */
  readonly written: () => Promise<Written<State>>;
}

/** By event as it was decided. */
type EventKeys = ReadonlyMap<object, PersonalKey>;
const NO_KEYS: EventKeys = new Map();

const pastOf = (id: string, revision: number): string => `${id}@${revision}`;

interface Way {
  readonly from: number;
  readonly leapTo: number;
  readonly until?: number;
  readonly each?: ((stored: StoredEvent) => void) | undefined;
}
