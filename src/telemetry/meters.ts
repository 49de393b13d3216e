// The counts and times of the service, in words of the domain; prometheus.ts keeps them. Times are ms.

import type { Server } from 'node:http';
import type { Operation } from '../domain/operation.ts';
import type { StoreMeters } from '../stores/store-meters.ts';

export type StoreName = 'events' | 'read_models';
/** unavailable: provably not written; unknown: perhaps; failed: refused before it was sent. */
export type AppendResult = 'written' | 'conflict' | 'unavailable' | 'unknown' | 'failed';
export type ProcessorOperation =
  | Operation
  | 'tokenization'
  | 'preparation'
  | 'resumption'
  | 'dispute'
  | 'look_up'
  | 'fence';

/** limit: there are as many connections as one process holds; slow: its head or body did not arrive in time. */
export type RefusedBecause = 'limit' | 'slow' | 'malformed';

export interface Meters {
  requestStarted(): void;
  requestEnded(route: string, method: string, status: number, ms: number): void;
  /** A connection or its bytes never became a request. */
  connectionRefused(reason: RefusedBecause): void;
  appended(category: string, result: AppendResult, ms: number): void;
  decidedAgain(category: string): void;
  gaveUp(category: string): void;
  projected(projection: string, events: number, ms: number): void;
  /** `outcome`: its kind, as the processor port grades it. */
  processorCalled(processor: string, operation: ProcessorOperation, outcome: string, ms: number): void;
  circuit(processor: string, isOpen: boolean): void;
  /** A limit against card testing refused a request. */
  limited(limit: string): void;
  /** So many documents or entries of a kind left the read models after their days. */
  left(kind: string, count: number): void;
  /** For the store's adapter. */
  store(name: StoreName): StoreMeters;
}

/** The present state, from memory: each scrape asks for it, and must be quick also when the stores are unavailable. */
export interface State {
  readonly ready: boolean;
  /** True if a store answered when it was last asked; absent before. */
  readonly answering: ReadonlyMap<StoreName, boolean>;
  /** Parked streams of each projection; under `log` the broken streams. */
  readonly parked: ReadonlyMap<string, number>;
  /** Events that wait, by what does not move, in words: `webhooks`. */
  readonly notMoving: ReadonlyMap<string, number>;
  /** By projection; absent if nothing is known. */
  readonly lagSeconds: ReadonlyMap<string, number>;
  /** Payments with an unknown outcome, up to the counting limit; undefined before they were counted. */
  readonly paymentsUnknown: number | undefined;
  /** Notifications that wait for a payment or an operator, counted alike. */
  readonly notificationsParked: number | undefined;
  /** Payments with more captured than authorized, or refunded than captured, counted alike. */
  readonly paymentsNotConserved: number | undefined;
}

/** Lines that are missing from the log, since the start: what stderr did not take, and what repeated others. */
export interface LostLines {
  readonly dropped: number;
  readonly repeated: number;
}

/** Undefined: the client hung up, which is not a refusal. */
function reasonOf(code: string): RefusedBecause | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'slow';
  // The parser names bytes that are not HTTP; an end in the middle of a request is none of them.
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? 'malformed' : undefined;
}

/**
 * Counts connections that Node refuses before there is a request: sockets over the limit, slow senders, and bytes that
 * are not HTTP.
 */
export function meterConnections(server: Server, meters: Pick<Meters, 'connectionRefused'>): void {
  server.on('drop', () => meters.connectionRefused('limit'));
  server.on('clientError', (fault: NodeJS.ErrnoException) => {
    const reason = reasonOf(fault.code ?? '');
    if (reason !== undefined) meters.connectionRefused(reason);
  });
}
