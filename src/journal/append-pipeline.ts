// The appends of a copy that are under way together: as many as hide the round trips, in the order of their calls.
import { MAX_APPEND_BYTES } from '../stores/check-append.ts';
import type { StoredEvent } from '../stores/event-store.ts';

/** A round trip to a server is much longer than the server's work for one append. */
const MAX_UNDER_WAY = 64;
/** Less than any store holds back: what waits in a store is overtaken. */
const MAX_BYTES_UNDER_WAY = 2 * MAX_APPEND_BYTES;

/** The events of one append: events of one stream that follow each other. */
export interface Group {
  readonly events: readonly StoredEvent[];
  readonly bytes: number;
}

/** Appends under way, in their order; after the first that fails none is sent. */
export class AppendPipeline {
  readonly #append: (events: readonly StoredEvent[]) => Promise<void>;
  #underWay: { readonly group: Group; readonly appended: Promise<void> }[] = [];
  #bytes = 0;
  #hasFailed = false;

  constructor(append: (events: readonly StoredEvent[]) => Promise<void>) {
    this.#append = append;
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0;
  }

  hasRoomFor({ bytes }: Group): boolean {
    if (this.isEmpty) return true;
    return !this.#hasFailed && this.#underWay.length < MAX_UNDER_WAY && this.#bytes + bytes <= MAX_BYTES_UNDER_WAY;
  }

  send(group: Group): void {
    const appended = this.#append(group.events);
    this.#underWay.push({ group, appended });
    this.#bytes += group.bytes;
    appended.catch(() => {
      this.#hasFailed = true;
    });
  }

  /** Resolves when it is there; rejects with why it is not. */
  async oldest(): Promise<Group> {
    const [sent] = this.#underWay;
    if (sent === undefined) throw new Error('nothing is under way');
    await sent.appended;
    this.#underWay.shift();
    this.#bytes -= sent.group.bytes;
    return sent.group;
  }

  /** Resolves when no append is in progress, written or not. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#underWay.map(({ appended }) => appended));
  }
}
