// The events of a stream as far as they hang together: what comes after a break is no history.
import { BrokenStream } from '../../journal/broken-stream.ts';
import { chained } from '../../journal/chain.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';

/** Hands each event to `take`, oldest first, until that answers false. Resolves to the break where the stream has one before. */
export async function readUntilBreak(
  events: EventStore,
  stream: string,
  take: (stored: StoredEvent) => boolean | Promise<boolean>,
): Promise<BrokenStream | undefined> {
  try {
    for await (const { stored } of chained(events, stream, -1)) if (!(await take(stored))) break;
    return undefined;
  } catch (fault) {
    if (fault instanceof BrokenStream) return fault;
    throw fault;
  }
}

/** As --json has it. */
export const breakJson = ({ revision, message }: BrokenStream): object => ({ revision, fault: message });
