// Assembles the server: the log, the calls that write and read it, and the control.
import { Appends } from './append/appends.ts';
import { batchAppend } from './append/batch-append.ts';
import { softDelete, tombstone } from './append/delete-stream.ts';
import { Control, readSlowStart } from './control.ts';
import { Counters } from './counters.ts';
import { Faults } from './faults.ts';
import { failures } from './grpc/failures.ts';
import type { GrpcCall } from './grpc/grpc-call.ts';
import { type GrpcHandlers, serveGrpc } from './grpc/grpc-server.ts';
import { supportedMethods } from './grpc/server-features.ts';
import { EventLog } from './log/event-log.ts';
import { writeSystemEvents } from './log/system-events.ts';
import { type ReadRequest, readRequest } from './read/read-request.ts';
import { read } from './read/reading.ts';
import { Subscriptions } from './read/subscriptions.ts';

export interface Server {
  readonly port: number;
  carryOut(order: unknown): unknown;
  /** On SIGTERM: serves requests for a while, then drops every call and ends the process. */
  terminate(): void;
}

/** The time for the ends of calls to reach the clients, ms. */
const FLUSH_MS = 20;

export async function openServer(port: number, directory: string): Promise<Server> {
  const log = new EventLog(directory);
  writeSystemEvents(log);
  const faults = new Faults();
  const slowStart = readSlowStart(directory);
  if (slowStart > 0) faults.readyAt = Date.now() + slowStart;
  const counters = new Counters();
  const subscriptions = new Subscriptions(log, faults, counters);
  const push = (): void => subscriptions.pushAll();
  const appends = new Appends(log, faults, counters, push);
  const handlers: GrpcHandlers = new Map([
    ['/event_store.client.streams.Streams/BatchAppend', batchAppend(appends, faults, counters)],
    ['/event_store.client.streams.Streams/Delete', softDelete(log, push)],
    ['/event_store.client.streams.Streams/Tombstone', tombstone(log, push)],
    ['/event_store.client.streams.Streams/Read', readCall(log, faults, counters, subscriptions)],
    ['/event_store.client.server_features.ServerFeatures/GetSupportedMethods', supportedMethods],
  ]);
  const grpc = await serveGrpc(port, handlers);
  const control = new Control({ log, faults, counters, appends, subscriptions, grpc, directory });
  return {
    port: grpc.port,
    carryOut: (order) => control.carryOut(order),
    terminate: () => {
      setTimeout(() => {
        subscriptions.dropAll('reset', false);
        setTimeout(() => process.exit(0), FLUSH_MS);
      }, faults.terminationMs);
    },
  };
}

function readCall(
  log: EventLog,
  faults: Faults,
  counters: Counters,
  subscriptions: Subscriptions,
): (call: GrpcCall) => void {
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
        faults.slowly(
          () =>
            void (count === undefined ? subscriptions.subscribe(call, asked) : read(log, call, { ...asked, count })),
        );
      },
    );
  };
}
