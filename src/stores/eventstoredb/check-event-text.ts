// Refuses event text that EventStoreDB would not give back as it was sent.
import type { NewEvent } from '../event-store.ts';
import { WrittenEvent } from '../written-event.ts';

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Throws TypeError for text that JSON.stringify would write otherwise (every client and the server's own pages parse
 * the text, and would see another text than the hashed one), and for ids that the server writes otherwise or refuses.
 */
export function checkEventText(events: readonly NewEvent[]): void {
  for (const event of events) {
    const { id, data, metadata } = event;
    if (id === NIL_UUID || id !== id.toLowerCase())
      throw new TypeError(`the event id ${id} is nil or not in lower case`);
    if (WrittenEvent.is(event)) continue;
    if (!isCanonical(data) || !isCanonical(metadata))
      throw new TypeError(`the text of event ${id} differs from the output of JSON.stringify`);
  }
}

function isCanonical(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}
