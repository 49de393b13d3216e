// Counts requests to the server, so that tests know how many appends were sent and which calls stay open.
import type { GrpcCall } from './grpc/grpc-call.ts';
import type { ProposedEvent } from './log/event-record.ts';
import type { EventStoreDbCounters } from './orders.ts';

type Opened = 'reads' | 'subscriptions' | 'batchAppends';

export class Counters {
  received = 0;
  written = 0;
  repeated = 0;
  wrongExpected = 0;
  dropped = 0;
  readonly reads = { stream: 0, all: 0 };
  readonly subscriptions = { stream: 0, all: 0 };
  readonly open = { reads: 0, subscriptions: 0, batchAppends: 0 };
  readonly #byType = new Map<string, number>();
  readonly #byStream = new Map<string, number>();

  append(stream: string, events: readonly ProposedEvent[]): void {
    this.received += 1;
    this.#byStream.set(stream, (this.#byStream.get(stream) ?? 0) + 1);
    let before: string | undefined;
    for (const { type } of events) {
      if (type !== before) this.#byType.set(type, (this.#byType.get(type) ?? 0) + 1);
      before = type;
    }
  }

  /** Counts the call as open until it ends. */
  opened(kind: Opened, call: GrpcCall): void {
    this.open[kind] += 1;
    call.onClose(() => {
      this.open[kind] -= 1;
    });
  }

  /** `prefix`: streams whose names begin so are listed one by one. */
  told(
    prefix: string | undefined,
    now: { readonly connections: number; readonly live: number; readonly events: number; readonly end: number },
  ): EventStoreDbCounters {
    const { received, written, repeated, wrongExpected, dropped } = this;
    const streams = prefix === undefined ? [] : [...this.#byStream].filter(([stream]) => stream.startsWith(prefix));
    return {
      appends: {
        received,
        written,
        repeated,
        wrongExpected,
        byType: Object.fromEntries(this.#byType),
        byStream: Object.fromEntries(streams),
      },
      reads: { ...this.reads },
      subscriptions: { ...this.subscriptions, dropped },
      open: { ...this.open, connections: now.connections, live: now.live },
      log: { events: now.events, end: now.end },
    };
  }
}
