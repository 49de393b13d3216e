// When an event was recorded, for counting and measuring: neither ever stops at an unreadable event.
import { EventMetadata } from '../../../journal/envelope.ts';
import type { StoredEvent } from '../../../stores/event-store.ts';

/** ms; undefined if its metadata is not readable. The projection parks the stream for that. */
export function recordedAtOf({ metadata }: StoredEvent): number | undefined {
  try {
    return EventMetadata.parse(JSON.parse(metadata)).recordedAt;
  } catch {
    return undefined;
  }
}
