// Puts the server together, and carries out orders.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Appends } from './appends.ts';
import { batchAppend } from './batch-append.ts';
import { Counters } from './counters.ts';
import { EventLog } from './event-log.ts';
import { failures } from './failures.ts';
import { Faults } from './faults.ts';
import type { GrpcCall } from './grpc-call.ts';
import { type GrpcHandlers, type GrpcServer, serveGrpc } from './grpc-server.ts';
import type { EventStoreDbOrder } from './orders.ts';
import { plainAppend } from './plain-append.ts';
import { type ReadRequest, readRequest } from './read-request.ts';
import { read } from './reading.ts';
import { supportedMethods } from './server-features.ts';
import { Subscriptions } from './subscriptions.ts';
import { writeSystemEvents } from './system-events.ts';

export interface Server {
  readonly port: number;
  carryOut(order: unknown): unknown;
  /** As on SIGTERM: drops subscriptions, takes appends for a while, then ends the process. */
  terminate(): void;
}

/** A real server takes this long to end, and takes appends meanwhile. */
const TERMINATION_MS = 5_000;

export async function openServer(port: number, directory: string): Promise<Server> {
  const log = new EventLog(directory);
  writeSystemEvents(log);
  const faults = new Faults();
  const slowStart = readSlowStart(directory);
  if (slowStart > 0) faults.readyAt = Date.now() + slowStart;
  const counters = new Counters();
  const subscriptions = new Subscriptions(log, faults, counters);
  const appends = new Appends(log, faults, counters, () => subscriptions.pushAll());
  const handlers: GrpcHandlers = new Map([
    ['/event_store.client.streams.Streams/BatchAppend', batchAppend(appends, faults, counters)],
    ['/event_store.client.streams.Streams/Append', plainAppend(appends)],
    ['/event_store.client.streams.Streams/Read', readCall(log, faults, counters, subscriptions)],
    ['/event_store.client.server_features.ServerFeatures/GetSupportedMethods', supportedMethods],
  ]);
  const grpc = await serveGrpc(port, handlers);
  const orders = new Orders({ log, faults, counters, subscriptions, grpc, directory });
  return {
    port: grpc.port,
    carryOut: (order) => orders.carryOut(order),
    terminate: () => {
      subscriptions.dropAll('reset', false);
      setTimeout(() => process.exit(0), TERMINATION_MS);
    },
  };
}

function readCall(log: EventLog, faults: Faults, counters: Counters, subscriptions: Subscriptions): (call: GrpcCall) => void {
  return (call) => {
    let request: ReadRequest | undefined;
    call.receive(
      (message) => {
        request = readRequest(message);
      },
      () => {
        if (request === undefined) return call.end(failures.broken('no request'));
        const { count } = request;
        const asked = request;
        const kind = request.stream === undefined ? 'all' : 'stream';
        counters.opened(count === undefined ? 'subscriptions' : 'reads', call);
        counters[count === undefined ? 'subscriptions' : 'reads'][kind] += 1;
        if (!faults.ready) return call.end(failures.notReady());
        if (kind === 'all' && faults.allRefused) return call.end(failures.accessDenied());
        faults.slowly(() => void (count === undefined ? subscriptions.subscribe(call, asked) : read(log, call, { ...asked, count })));
      },
    );
  };
}

const slowStartFile = (directory: string): string => join(directory, 'slow-start-ms');

function readSlowStart(directory: string): number {
  try {
    return Number(readFileSync(slowStartFile(directory), 'utf8'));
  } catch {
    return 0;
  }
}

interface Parts {
  readonly log: EventLog;
  readonly faults: Faults;
  readonly counters: Counters;
  readonly subscriptions: Subscriptions;
  readonly grpc: GrpcServer;
  readonly directory: string;
}

class Orders {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  carryOut(order: unknown): unknown {
    if (!isOrder(order)) throw new Error('not an order');
    const { log, faults, counters, subscriptions, grpc, directory } = this.#parts;
    switch (order.order) {
      case 'cut appends':
      case 'ignore appends':
      case 'delay appends':
      case 'answer appends twice':
        return faults.add(order);
      case 'drop subscriptions':
        subscriptions.dropAll(order.as ?? 'too_slow', true);
        if (order.everyMs !== undefined) subscriptions.dropEvery(order.everyMs, order.as ?? 'too_slow');
        return undefined;
      case 'hold subscriptions':
        faults.held = order.held;
        return subscriptions.pushAll();
      case 'limit live buffer':
        faults.liveBuffer = order.events;
        return undefined;
      case 'slow answers':
        faults.slowMs = order.ms;
        return undefined;
      case 'refuse $all':
        faults.allRefused = order.refused ?? true;
        return undefined;
      case 'shift clock':
        faults.clockMs = order.ms;
        return undefined;
      case 'be not ready':
        faults.readyAt = Date.now() + order.ms;
        return undefined;
      case 'start slowly':
        return writeFileSync(slowStartFile(directory), String(order.ms));
      case 'cut connections':
        return grpc.cutAll();
      case 'behave':
        subscriptions.dropEvery(0, 'too_slow');
        faults.behave();
        return subscriptions.pushAll();
      case 'count':
        return counters.told(order.prefix, {
          connections: grpc.connections(),
          live: subscriptions.live,
          events: log.count,
          end: log.end,
        });
      default:
        return order satisfies never;
    }
  }
}

const isOrder = (order: unknown): order is EventStoreDbOrder => typeof order === 'object' && order !== null && 'order' in order;
