// A stored event as auditors see it: what is in the log, not upcast.
import { EventMetadata } from '../../journal/envelope.ts';
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

export function eventView({ stream, revision, position, id, type, data, metadata }: StoredEvent): EventView {
  const parsed: unknown = JSON.parse(metadata);
  const recordedAt = formatTime(EventMetadata.parse(parsed).recordedAt);
  return { stream, revision, position: String(position), id, type, recordedAt, data: JSON.parse(data), metadata: parsed };
}

/** Who caused it: `apiKey key_…`. */
export function actorOf({ metadata }: StoredEvent): string {
  const { actor } = EventMetadata.parse(JSON.parse(metadata));
  return `${actor.kind} ${actor.id}`;
}
