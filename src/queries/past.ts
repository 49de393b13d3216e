// A stream as it was recorded at a past moment.
import type { DomainEvent } from '../domain/category.ts';
import type { Streams } from '../journal/streams.ts';

/**
 * A moment of a stream: by the time at which events were recorded (ms, inclusive), or by the revision of its last
 * event.
 */
export type PastMoment = { readonly at: number } | { readonly revision: number };

interface Then<State> {
  readonly state: State;
  readonly revision: number;
  /** When the last event of the moment was recorded, ms. */
  readonly recordedAt: number;
}

const BEFORE_THE_FIRST = -1;

/**
 * Folds the longest beginning of the stream whose events were recorded by then: `recordedAt` never decreases in a
 * stream. Undefined before its first event, and for a stream that is not `isOwn`. Reads the stream up to the moment,
 * and no read model: a read model may lag, and the result for a moment would change when it catches up. Throws
 * StoreUnavailable and BrokenStream.
 */
export async function stateAt<State extends object, Event extends DomainEvent>(
  streams: Pick<Streams<State, Event>, 'decider' | 'history'>,
  id: string,
  moment: PastMoment,
  isOwn: (state: State) => boolean,
): Promise<Then<State> | undefined> {
  const { decider } = streams;
  let then: Then<State> | undefined;
  for await (const { event, recorded } of streams.history(id, BEFORE_THE_FIRST)) {
    if ('at' in moment ? recorded.at > moment.at : recorded.revision > moment.revision) break;
    const state = decider.evolve(then?.state ?? decider.initial, event, recorded);
    if (!isOwn(state)) return undefined;
    then = { state, revision: recorded.revision, recordedAt: recorded.at };
  }
  return then;
}
