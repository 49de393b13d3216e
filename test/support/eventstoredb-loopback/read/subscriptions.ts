// All open subscriptions: tells them of new events, and drops them on order.
import type { Counters } from '../counters.ts';
import type { Faults } from '../faults.ts';
import { failures } from '../grpc/failures.ts';
import type { GrpcCall } from '../grpc/grpc-call.ts';
import type { EventLog } from '../log/event-log.ts';
import { firstVisible, isTombstoned } from '../log/stream-metadata.ts';
import type { DropAs } from '../orders.ts';
import { allSource, streamSource } from './event-source.ts';
import type { ReadRequest } from './read-request.ts';
import { indexAt } from './reading.ts';
import { Subscription } from './subscription.ts';

export class Subscriptions {
  readonly #log: EventLog;
  readonly #faults: Faults;
  readonly #counters: Counters;
  readonly #open = new Set<Subscription>();
  #dropping: NodeJS.Timeout | undefined;

  constructor(log: EventLog, faults: Faults, counters: Counters) {
    this.#log = log;
    this.#faults = faults;
    this.#counters = counters;
  }

  /** The number of subscriptions that have caught up. */
  get live(): number {
    return [...this.#open].filter((subscription) => subscription.live).length;
  }

  async subscribe(call: GrpcCall, request: ReadRequest): Promise<void> {
    const stream = request.stream === undefined ? undefined : this.#log.stream(request.stream);
    if (stream !== undefined && isTombstoned(this.#log, stream)) return call.end(failures.deleted(stream.name));
    const from = this.#firstNumber(request);
    if (from === undefined) return call.end(failures.unexpected());
    const source =
      request.stream === undefined ? allSource(this.#log, request.filter) : streamSource(this.#log, request.stream);
    const subscription = new Subscription(call, source, from, this.#faults);
    this.#open.add(subscription);
    call.onClose(() => this.#open.delete(subscription));
    await subscription.run(request.stream !== undefined && stream === undefined, () => {
      this.#counters.dropped += 1;
    });
  }

  pushAll(): void {
    for (const subscription of this.#open) {
      if (subscription.live) subscription.push();
    }
  }

  /** `onlyLive` spares subscriptions that are still catching up. */
  dropAll(as: DropAs, onlyLive: boolean): void {
    for (const subscription of this.#open) {
      if (subscription.live || !onlyLive) subscription.drop(as);
    }
  }

  /** 0 ends the drops. */
  dropEvery(ms: number, as: DropAs): void {
    clearInterval(this.#dropping);
    if (ms > 0) this.#dropping = setInterval(() => this.dropAll(as, true), ms);
  }

  /** The position of a subscription is exclusive: it begins at the next event. Undefined inside a record. */
  #firstNumber({ stream: name, from }: ReadRequest): number | undefined {
    if (name === undefined) {
      if (from === 'start') return 0;
      if (from === 'end') return this.#log.count;
      const index = indexAt(this.#log, from);
      return index !== undefined && this.#log.position(index) === from && index < this.#log.count ? index + 1 : index;
    }
    const stream = this.#log.stream(name);
    if (from === 'end') return stream?.events.length ?? 0;
    const visible = stream === undefined ? 0 : firstVisible(this.#log, stream);
    return Math.max(visible, from === 'start' ? 0 : from + 1);
  }
}
