// What is known of the events that this process sealed a moment ago: several readers follow each of them, and need it again.
import type { NewEvent } from '../stores/event-store.ts';

/** Of half the memory: events, and characters of their texts. */
const REMEMBERED = 512;
const CHARACTERS = 1024 * 1024;

interface Known extends NewEvent {
  readonly hash: string;
  /** The event in the text and the time of its record, once a reader has asked. */
  read?: { readonly event: { readonly type: string; readonly data: unknown }; readonly at: number };
}

let newer = new Map<string, Known>();
let older = newer;
let characters = 0;

/** A cache: each answer is what the text itself gives, because an event with another text is not found. */
export const sealedEvents = {
  add(event: NewEvent, hash: string): void {
    const { id, type, data, metadata } = event;
    characters += data.length + metadata.length;
    if (newer.size >= REMEMBERED || characters > CHARACTERS) {
      older = newer; // one half goes at once: to forget the oldest each time costs more than to find it
      newer = new Map();
      characters = data.length + metadata.length;
    }
    newer.set(id, { id, type, data, metadata, hash });
  },

  /** Undefined for an event that this process did not seal a moment ago with exactly this text. */
  find({ id, type, data, metadata }: NewEvent): Known | undefined {
    if (newer.size === 0) return undefined; // a thread that only reads
    const known = newer.get(id) ?? older.get(id);
    return known !== undefined && known.data === data && known.metadata === metadata && known.type === type ? known : undefined;
  },
};
