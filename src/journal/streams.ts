// The appends to the streams of a category: sealed, held against a fold's head, own writes projected.
import type { Adapters } from '../adapters.ts';
import type { DomainEvent } from '../domain/category.ts';
import type { Decider } from '../domain/decider.ts';
import type { Append, Appended, NewEvent } from '../stores/event-store.ts';
import type { Context } from './context.ts';
import { isPersonal, type PersonalKey, seal } from './envelope.ts';
import { type Folded, foldOn } from './fold.ts';
import { StreamFolds, type StreamsParts } from './stream-folds.ts';

/** Called with every fold that this process appended, before its caller goes on. `goesOn`: see Decider. */
export type OnFolded<State> = (id: string, revision: number, state: State, goesOn?: boolean) => Promise<void>;

/** The streams of a category, and the appends to them. */
export class Streams<State extends object, Event extends DomainEvent> extends StreamFolds<State, Event> {
  readonly #onFolded: OnFolded<State>;
  /** The waiting calls of each stream that a call works on. */
  readonly #turns = new Map<string, (() => void)[]>();

  constructor(decider: Decider<State, Event>, adapters: StreamsParts, onFolded: OnFolded<State>) {
    super(decider, adapters);
    this.#onFolded = onFolded;
  }

  /** The observer of the commands' work here. */
  get observer(): Adapters['observer'] {
    return this.adapters.observer;
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
    const appended = await this.reading(id, () => this.adapters.events.append(stream, after, stored));
    return appended === 'conflict' ? appended : prepared.written();
  }

  /** True if the store appends to several streams at once. */
  get appendsToSeveral(): boolean {
    return this.adapters.events.appendAll !== undefined;
  }

  /** Appends what several streams have prepared, or nothing of it; `written` of each is the caller's to call. */
  async appendAll(prepared: readonly Prepared<object>[]): Promise<Appended> {
    return (await this.adapters.events.appendAll?.(prepared.map(({ append }) => append))) ?? 'conflict';
  }

  /** The append of these events at the fold's head, sealed now; at once unless a key has to be read first. */
  prepare(
    id: string,
    folded: Folded<State>,
    events: readonly Event[],
    context: Context,
  ): Prepared<State> | Promise<Prepared<State>> {
    const timesForgotten = this.adapters.keys?.timesForgotten;
    const keys = this.#keysFor(id, folded, events);
    return keys instanceof Promise
      ? keys.then((known) => this.#sealed(id, folded, events, context, known, timesForgotten))
      : this.#sealed(id, folded, events, context, keys, timesForgotten);
  }

  /** The keys of the events with personal members, by event. */
  #keysFor(id: string, { state }: Folded<State>, events: readonly Event[]): EventKeys | Promise<EventKeys> {
    const { category, subjectOf } = this.decider;
    const { keys } = this.adapters;
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
    const sealed = seal(category, events, context, folded.head, this.adapters.world, cause, keys);
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
      if (keys.size > 0 && this.adapters.keys?.timesForgotten !== timesForgotten)
        return { folded: await this.#readAgain(id, next), eventIds };
      for (const step of steps) this.snapshot(id, step);
      this.keepPast(id, folded);
      this.keep(id, next);
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
    this.cache.delete(this.name(id));
    try {
      const folded = await this.grow(id, this.empty, { from: -1, leapTo: -1, until });
      this.keep(id, folded);
      await this.#project(id, folded, false);
      return folded;
    } catch (fault) {
      this.adapters.report(fault); // the append is durable, and the follower projects it
      return appended;
    }
  }

  /** Writes a document that rested for an outcome, which could not be recorded. */
  async show(id: string, folded: Folded<State>): Promise<void> {
    await this.#project(id, folded, false);
  }

  async #project(id: string, { head, state }: Folded<State>, goesOn: boolean): Promise<void> {
    try {
      await this.#onFolded(id, head.revision, state, goesOn);
    } catch (fault) {
      // a durable write is never answered with an error: the follower repairs the read models
      this.adapters.report(fault);
    }
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
