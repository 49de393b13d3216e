// The hashes and parsed forms of the events that this process sealed a moment ago: several followers read each of them
// again.
import type { KnownOfEvent, NewEvent, StoredEvent } from '../stores/event-store.ts';

/** The bounds of each half of the cache: events, and characters of their texts. */
const REMEMBERED = 512;
const CHARACTERS = 1024 * 1024;

interface Known extends NewEvent, KnownOfEvent {}

let newer = new Map<string, Known>();
let older = newer;
let characters = 0;

/** A cache. Its answers are what the text itself gives, because it does not find an event with another text. */
export const sealedEvents = {
  /** `read`: of an event with encrypted members, which its readers then need not decrypt. */
  add(event: NewEvent, hash: string, read?: KnownOfEvent['read']): void {
    const { id, type, data, metadata } = event;
    characters += data.length + metadata.length;
    if (newer.size >= REMEMBERED || characters > CHARACTERS) {
      older = newer; // one half goes at once: to forget the oldest each time costs more than to find it
      newer = new Map();
      characters = data.length + metadata.length;
    }
    newer.set(id, { id, type, data, metadata, hash, ...(read && { read }) });
  },

  /** Forgets the parsed events: keys of their personal members were destroyed. */
  forget(): void {
    newer = new Map();
    older = newer;
    characters = 0;
  },

  /**
   * Undefined for an event that has no place for it, and that this process did not seal a moment ago with exactly this
   * text.
   */
  find({ id, type, data, metadata, known: its }: NewEvent & Pick<StoredEvent, 'known'>): KnownOfEvent | undefined {
    if (its !== undefined) return its;
    if (newer.size === 0) return undefined; // a thread that only reads
    const known = newer.get(id) ?? older.get(id);
    return known !== undefined && known.data === data && known.metadata === metadata && known.type === type
      ? known
      : undefined;
  },
};
