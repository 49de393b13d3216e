// What is known of the events that this process sealed a moment ago: several readers follow each of them, and need it again.
import type { NewEvent } from '../stores/event-store.ts';

/** Events that are remembered, and characters of their texts. */
const REMEMBERED = 1_024;
const CHARACTERS = 2 * 1024 * 1024;

interface Known extends NewEvent {
  readonly hash: string;
  /** The event in the text and the time of its record, once a reader has asked. */
  read?: { readonly event: { readonly type: string; readonly data: unknown }; readonly at: number };
}

const byId = new Map<string, Known>();
let characters = 0;

/** Only a memory: whoever asks gets what the text itself would give, because an event whose text is another one is not known. */
export const sealedEvents = {
  add(event: NewEvent, hash: string): void {
    const { id, type, data, metadata } = event;
    byId.set(id, { id, type, data, metadata, hash });
    characters += data.length + metadata.length;
    for (const [oldest, { data: its, metadata: also }] of byId) {
      if (byId.size <= REMEMBERED && characters <= CHARACTERS) return;
      byId.delete(oldest);
      characters -= its.length + also.length;
    }
  },

  /** Undefined for an event that this process did not seal a moment ago with exactly this text. */
  find({ id, type, data, metadata }: NewEvent): Known | undefined {
    const known = byId.get(id);
    return known !== undefined && known.data === data && known.metadata === metadata && known.type === type ? known : undefined;
  },
};
