// A stored event as auditors see it: the stored form, not upcast.
import { EventMetadata } from '../../journal/envelope.ts';
import { BrokenStream } from '../../stores/broken-stream.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import { formatTime } from '../../world.ts';

export interface EventView {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly id: string;
  readonly type: string;
  readonly recordedAt: string;
  readonly data: unknown;
  readonly metadata: unknown;
}

/** Throws BrokenStream for an event that is no longer readable. */
export function eventView(stored: StoredEvent): EventView {
  const { stream, revision, position, id, type } = stored;
  const { recordedAt } = metadataIn(stored);
  const common = { stream, revision, position: String(position), id, type, recordedAt: formatTime(recordedAt) };
  return { ...common, data: parsedIn(stored, stored.data), metadata: parsedIn(stored, stored.metadata) };
}

/** The place where a stream stops, and the reason. */
export const breakView = ({ revision, message }: BrokenStream): object => ({ revision, fault: message });

/**
 * The actor of an event: `apiKey key_…`; `shown`: how ids are written. Throws BrokenStream for an event that is no
 * longer readable.
 */
export function actorOf(stored: StoredEvent, shown: (id: string) => string = (id) => id): string {
  const { actor } = metadataIn(stored);
  return `${actor.kind} ${shown(actor.id)}`;
}

function metadataIn(stored: StoredEvent): EventMetadata {
  const read = EventMetadata.safeParse(parsedIn(stored, stored.metadata));
  if (!read.success) throw new BrokenStream(stored, 'its metadata is not readable');
  return read.data;
}

function parsedIn(stored: StoredEvent, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BrokenStream(stored, 'it is not JSON');
  }
}
