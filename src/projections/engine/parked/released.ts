// Streams that an operator released: the log says so, in a stream of its own for each, so no rebuild and no loss of
// read models forgets it.
import { act, actCategory, type Released, releasedIn, releaseOf } from '../../../domain/act.ts';
import { UnknownEvent, unsealEvent } from '../../../journal/envelope.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import { streamOf } from '../../../stores/stream-name.ts';

/**
 * The revisions at which a stream is released, oldest release first; none where it is not, and where the record of that
 * is damaged: then it stays parked. Rejects with StoreUnavailable.
 */
export async function releasedOf(events: Pick<EventStore, 'read'>, stream: string): Promise<readonly Released[]> {
  let state = act.initial;
  try {
    for await (const stored of events.read(streamOf(actCategory.name, releaseOf(stream)), -1)) {
      const { event, recorded } = unsealEvent(actCategory, stored);
      state = act.evolve(state, event, recorded);
    }
  } catch (fault) {
    if (fault instanceof BrokenStream || fault instanceof UnknownEvent) return [];
    throw fault;
  }
  return releasedIn(state);
}
