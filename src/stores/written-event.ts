// An event whose texts this process has just written: no store needs to parse them to know that they are as
// JSON.stringify writes them.
import type { NewEvent } from './event-store.ts';

/**
 * The text of plain data that was parsed is the same text again: members keep their order, and numbers their shortest
 * form.
 */
export class WrittenEvent implements NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  /** Only the constructor makes it: neither a copy nor an event that was read has it. */
  readonly #isWritten = true;

  /** `data` and `metadata`: plain JSON data. */
  constructor(id: string, type: string, data: object, metadata: object) {
    this.id = id;
    this.type = type;
    this.data = JSON.stringify(data);
    this.metadata = JSON.stringify(metadata);
  }

  static is(event: NewEvent): boolean {
    return #isWritten in event;
  }
}
