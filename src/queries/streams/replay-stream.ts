// A stream's story: its events one by one, the change that each makes to the state, and the state at the end.
import { readUntilBreak } from '../../journal/chain.ts';
import type { BrokenStream } from '../../stores/broken-stream.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import { changesBetween, type DocumentChange } from './changes.ts';
import { type EventView, eventView } from './event-view.ts';
import type { Replay } from './folds.ts';

export interface Step {
  readonly stored: StoredEvent;
  readonly event: EventView;
  readonly changes: readonly DocumentChange[];
}

export interface Story {
  /** After the last step. */
  readonly state: object;
  readonly steps: readonly Step[];
  /** Where the stream stops before the story is over. */
  readonly broken: BrokenStream | undefined;
}

/** Folds the events that `isPart`, which are the first ones; `start`: the state before the first (see replayOf). */
export async function replayStream(
  events: Pick<EventStore, 'read'>,
  stream: string,
  start: Replay,
  isPart: (event: EventView) => boolean,
): Promise<Story> {
  let folded = start;
  const steps: Step[] = [];
  const take = (stored: StoredEvent): boolean => {
    const event = eventView(stored);
    if (!isPart(event)) return false;
    const next = folded.next(stored);
    steps.push({ stored, event, changes: changesBetween(folded.state, next.state) });
    folded = next;
    return true;
  };
  const broken = await readUntilBreak(events, stream, take);
  return { state: folded.state, steps, broken };
}
