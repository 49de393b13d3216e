// The one loop: decide on a fold, append at its revision, on a conflict read the delta and decide again.
import type { DomainEvent } from '../domain/category.ts';
import { type Decision, type Rejection, reject } from '../domain/decider.ts';
import type { StoredEvent } from '../stores/event-store.ts';
import type { Context } from './context.ts';
import { metadataOf } from './envelope.ts';
import type { Folded } from './fold.ts';
import type { Streams } from './streams.ts';

/** Decisions that a call may take, each on a newer state than the last. */
const MAX_TRIES = 5;
/** The most tries for facts. */
const MAX_FACT_TRIES = 100;

export type Transacted<State, Event> =
  /** This call, and no other on any node, appended the events. */
  | {
      readonly kind: 'written';
      readonly folded: Folded<State>;
      readonly before: Folded<State>;
      readonly events: readonly Event[];
      /** The ids of the events, in order: work that follows from one of them names it (`causedBy`). */
      readonly eventIds: readonly string[];
    }
  /** There was nothing to append. */
  | { readonly kind: 'unchanged'; readonly folded: Folded<State> }
  /**
   * Events of this operation are in the stream already: another node, or an earlier try, wrote them up to `revision`.
   */
  | { readonly kind: 'repeated'; readonly folded: Folded<State>; readonly revision: number }
  | Rejection;

/**
 * The context of work that follows from the append: it names the event (`place` as of Array.at). Where another process
 * appended it, the context as it was.
 */
export const contextAfter = (context: Context, done: Transacted<object, object>, place = -1): Context => {
  const causationId = done.kind === 'written' ? done.eventIds.at(place) : undefined;
  return causationId === undefined ? context : { ...context, causationId };
};

export type Decide<State, Event> = (state: State, revision: number) => Decision<Event>;

/** How a transaction differs from the rule: a fold from the cache or the log, five tries, as often as it is called. */
export interface How {
  /**
   * `empty`: the id was just generated, so nothing is read, because nothing can exist. `guess`: the stream is new as a
   * rule, so an uncached stream counts as empty, and the append finds out.
   */
  readonly start?: 'empty' | 'guess';
  /**
   * The events are facts from outside, such as a processor's response: no caller can request them again, so they must
   * not be lost to a few races.
   */
  readonly isFact?: boolean;
  /**
   * The target's revision before an operation that takes effect once, however often and wherever it is tried: the
   * stream is searched for the operation after this revision, in the events of the cached fold and in the delta of
   * every refresh.
   */
  readonly onceAfter?: number;
}

/**
 * Decides and appends, at most five times; a sixth lost race is 409 Conflict.
 * A decision without events on a cached state counts only after a refresh found nothing newer.
 */
export function transact<State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
  context: Context,
  decide: Decide<State, Event>,
  { start, isFact = false, onceAfter }: How = {},
): Promise<Transacted<State, Event>> {
  const decideAndAppend = async (): Promise<Transacted<State, Event>> => {
    let foundAt = -1;
    const each = (stored: StoredEvent): void => {
      if (onceAfter === undefined || stored.revision <= onceAfter) return;
      if (metadataOf(stored).operationId === context.operationId) foundAt = stored.revision;
    };
    const isGuess = start === 'guess' || onceAfter !== undefined;
    const known = start === 'empty' ? streams.empty : isGuess ? streams.guess(id) : streams.load(id);
    // nearly always known: an await would cost a turn of the queue
    let folded = known instanceof Promise ? await known : known;
    // A fold that ends where the claim found the stream hides nothing: the append, or a refusal's refresh, meets newer
    // events.
    const mayHide = onceAfter !== undefined && folded.head.revision !== onceAfter;
    if (mayHide) folded = await streams.refresh(id, folded, each, onceAfter);
    const maxTries = isFact ? MAX_FACT_TRIES : MAX_TRIES;
    for (let tries = 1; tries <= maxTries; tries += 1) {
      if (foundAt >= 0) return { kind: 'repeated', folded, revision: foundAt };
      if (tries > 1) streams.observer?.decidesAgain(streams.decider.category.name);
      const decision = decide(folded.state, folded.head.revision);
      if (decision.kind === 'rejected' || decision.events.length === 0) {
        // a cached state may be older than another process's write
        const newer = await streams.refresh(id, folded, each);
        if (newer.head.revision > folded.head.revision) {
          folded = newer;
          continue;
        }
        return decision.kind === 'rejected' ? decision : { kind: 'unchanged', folded };
      }
      const before = folded;
      const written = await streams.append(id, folded, decision.events, context);
      if (written !== 'conflict') return { kind: 'written', ...written, before, events: decision.events };
      folded = await streams.afterConflict(id, folded, each);
    }
    // the last race was lost to its own event
    if (foundAt >= 0) return { kind: 'repeated', folded, revision: foundAt };
    streams.observer?.givesUp(streams.decider.category.name);
    return reject('Conflict', `Other requests changed this resource ${maxTries} times while this one was deciding.`, {
      retryAfterSeconds: 1,
    });
  };
  return observed(streams, id, () => streams.inTurn(id, decideAndAppend));
}

/** Decisions on a stream and their append, as the observer of the commands' work sees them. */
export function observed<State extends object, Event extends DomainEvent, T extends { readonly kind: string }>(
  streams: Streams<State, Event>,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const { observer } = streams;
  return observer === undefined ? work() : observer.transact(streams.name(id), work);
}
