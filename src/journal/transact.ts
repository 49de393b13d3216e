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

/**
 * Decides and appends, at most five times; a sixth lost race is 409 Conflict.
 * A rejection, or nothing to do, on a cached state stands only after a refresh found nothing newer.
 */
export function transact<State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
  context: Context,
  decide: Decide<State, Event>,
): Promise<Transacted<State, Event>> {
  return observed(streams, id, () =>
    streams.inTurn(id, () => decideFrom(streams.load(id), streams, id, context, decide, noEvent)),
  );
}

/**
 * Runs a transaction for facts from outside, such as a processor's response: no caller can request them again, so they
 * must not be lost to a few races.
 */
export function transactFact<State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
  context: Context,
  decide: Decide<State, Event>,
): Promise<Transacted<State, Event>> {
  return observed(streams, id, () =>
    streams.inTurn(id, () =>
      decideFrom(streams.load(id), streams, id, context, decide, noEvent, { revision: -1 }, MAX_FACT_TRIES),
    ),
  );
}

/** Runs a transaction for an id that was just generated: nothing is read, because nothing can exist. */
export function transactNew<State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
  context: Context,
  decide: Decide<State, Event>,
): Promise<Transacted<State, Event>> {
  return observed(streams, id, () => decideFrom(streams.empty, streams, id, context, decide, noEvent));
}

/**
 * Runs a transaction for streams that are new as a rule: an uncached stream counts as empty, and the append finds out.
 */
export function transactUnread<State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
  context: Context,
  decide: Decide<State, Event>,
): Promise<Transacted<State, Event>> {
  return observed(streams, id, () =>
    streams.inTurn(id, () => decideFrom(streams.guess(id), streams, id, context, decide, noEvent)),
  );
}

/**
 * Runs a transaction under an idempotency key: the stream is searched for the operation after `targetRevision`, in the
 * events of the cached fold and in the delta of every refresh, so that the effect happens once, however often and
 * wherever it is tried.
 */
export function transactOnce<State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
  context: Context,
  targetRevision: number,
  decide: Decide<State, Event>,
): Promise<Transacted<State, Event>> {
  const once = async (): Promise<Transacted<State, Event>> => {
    const found = { revision: -1 };
    const each = (stored: StoredEvent): void => {
      if (stored.revision > targetRevision && metadataOf(stored).operationId === context.operationId)
        found.revision = stored.revision;
    };
    const cached = streams.guess(id);
    // A fold that ends where the claim found the stream hides nothing: the append, or a refusal's refresh, meets newer
    // events.
    const hidesNothing = cached.head.revision === targetRevision;
    const folded = hidesNothing ? cached : await streams.refresh(id, cached, each, targetRevision);
    return decideFrom(folded, streams, id, context, decide, each, found);
  };
  return observed(streams, id, () => streams.inTurn(id, once));
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

const noEvent = (): void => undefined;

async function decideFrom<State extends object, Event extends DomainEvent>(
  start: Folded<State> | Promise<Folded<State>>,
  streams: Streams<State, Event>,
  id: string,
  context: Context,
  decide: Decide<State, Event>,
  each: (stored: StoredEvent) => void,
  found: { readonly revision: number } = { revision: -1 },
  maxTries = MAX_TRIES,
): Promise<Transacted<State, Event>> {
  // nearly always known: an await would cost a turn of the queue
  let folded = start instanceof Promise ? await start : start;
  for (let tries = 1; tries <= maxTries; tries += 1) {
    if (found.revision >= 0) return { kind: 'repeated', folded, revision: found.revision };
    if (tries > 1) streams.observer?.decidesAgain(streams.decider.category.name);
    const decision = decide(folded.state, folded.head.revision);
    if (decision.kind === 'rejected' || decision.events.length === 0) {
      const newer = await streams.refresh(id, folded, each); // a cached state may be older than another process's write
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
  if (found.revision >= 0) return { kind: 'repeated', folded, revision: found.revision };
  streams.observer?.givesUp(streams.decider.category.name);
  return reject('Conflict', `Other requests changed this resource ${maxTries} times while this one was deciding.`, {
    retryAfterSeconds: 1,
  });
}
