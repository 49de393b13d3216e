// One catch-up subscription: sends all events, says that it caught up, then sends new ones, or is dropped as too slow.
import { randomUUID } from 'node:crypto';
import type { Faults } from '../faults.ts';
import { failures } from '../grpc/failures.ts';
import type { GrpcCall } from '../grpc/grpc-call.ts';
import type { DropAs } from '../orders.ts';
import type { EventSource } from './event-source.ts';
import { CAUGHT_UP, confirmation } from './read-messages.ts';
import { joined, WRITE_BYTES } from './reading.ts';

export class Subscription {
  readonly #call: GrpcCall;
  readonly #source: EventSource;
  readonly #faults: Faults;
  /** The number of the next event to send. */
  #next: number;
  /** The number up to which the waiting events are counted. */
  #counted = 0;
  #waiting = 0;
  #live = false;
  #onDropped: () => void = () => undefined;

  /** `from` is the number of the first event to send. It may be beyond the end. */
  constructor(call: GrpcCall, source: EventSource, from: number, faults: Faults) {
    this.#call = call;
    this.#source = source;
    this.#next = from;
    this.#faults = faults;
    call.onDrain(() => {
      if (this.#live) this.push();
    });
  }

  get live(): boolean {
    return this.#live;
  }

  /**
   * `onDropped` runs when the server drops the subscription. With `isMissing` there is no stream, and it never says
   * "caught up".
   */
  async run(isMissing: boolean, onDropped: () => void): Promise<void> {
    this.#onDropped = onDropped;
    this.#call.send(confirmation(randomUUID()));
    while (this.#next < this.#source.count()) {
      await this.#call.drained();
      if (this.#call.closed) return;
      this.#send(WRITE_BYTES);
    }
    if (this.#call.closed) return;
    if (!isMissing) this.#call.send(CAUGHT_UP);
    this.#live = true;
  }

  /** Tells a live subscription that there are new events. */
  push(): void {
    if (this.#call.closed) return;
    if (this.#call.writable && !this.#faults.held) {
      if (this.#next < this.#source.count()) this.#send(Number.POSITIVE_INFINITY);
      return;
    }
    if (this.#lag() > this.#faults.liveBuffer) this.drop('too_slow');
  }

  drop(as: DropAs): void {
    if (this.#call.closed) return;
    this.#live = false;
    this.#onDropped();
    if (as === 'reset') this.#call.reset();
    else this.#call.end(as === 'too_slow' ? failures.tooSlow() : failures.shuttingDown());
  }

  #send(maxBytes: number): void {
    const { frames, next } = this.#source.take(this.#next, this.#source.count(), maxBytes);
    this.#next = next;
    this.#counted = next;
    this.#waiting = 0;
    if (frames.length > 0) this.#call.send(joined(frames));
  }

  /** The number of events that wait to be sent. */
  #lag(): number {
    this.#counted = Math.max(this.#counted, this.#next);
    for (const count = this.#source.count(); this.#counted < count; this.#counted += 1) {
      if (this.#source.includes(this.#counted)) this.#waiting += 1;
    }
    return this.#waiting;
  }
}
