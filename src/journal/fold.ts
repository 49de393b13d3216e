// The fold of a stream up to one of its events: its state, the link for the next event, and about how large it is.
import type { DomainEvent } from '../domain/category.ts';
import type { Decider } from '../domain/decider.ts';
import type { Folding, Head } from './envelope.ts';
import type { Snapshot } from './fold-snapshots.ts';

export interface Folded<State> {
  readonly state: State;
  readonly head: Head;
  /** About how many characters of JSON the state is, for the cache's bound. */
  readonly size: Size;
}
interface Size {
  readonly estimate: number;
  /** Its size at the last measurement. */
  readonly measured: number;
}

/** A fold that may be larger is measured, each time its estimate has doubled. */
const SMALL_CHARACTERS = 8_192;

/** The fold with one more event; `hash` and `data` are of its stored text. */
export function foldOn<State extends object, Event extends DomainEvent>(
  { evolve }: Decider<State, Event>,
  { state: before, size }: Folded<State>,
  { event, recorded }: Folding<Event>,
  { hash, data }: { readonly hash: string; readonly data: string },
): Folded<State> {
  const state = evolve(before, event, recorded);
  return {
    state,
    head: { revision: recorded.revision, hash, recordedAt: recorded.at },
    size: grown(size, data, state),
  };
}

/** A fold is hardly larger than its events. A fold that grew on paper is measured, because events also replace. */
function grown({ estimate, measured }: Size, data: string, state: object): Size {
  const upTo = estimate + data.length;
  if (upTo <= SMALL_CHARACTERS || upTo <= 2 * measured) return { estimate: upTo, measured };
  const now = JSON.stringify(state).length;
  return { estimate: now, measured: now };
}

/** The snapshot of a fold. */
export const snapshotOf = <State extends object>({ head, state }: Folded<State>): Snapshot => ({
  head,
  text: JSON.stringify(state),
});

/** The fold from which a snapshot was taken; undefined if its text is not a state. */
export function foldIn<State extends object>(initial: State, { head, text }: Snapshot): Folded<State> | undefined {
  const state: unknown = JSON.parse(text);
  return isStateLike(initial, state)
    ? { state, head, size: { estimate: text.length, measured: text.length } }
    : undefined;
}

// Its MAC says that this service wrote it, of a fold of the same stream and version.
const isStateLike = <State extends object>(_initial: State, value: unknown): value is State =>
  typeof value === 'object' && value !== null;
