// gRPC over plain HTTP/2 without a library, so that several messages go out in one write and connections can be cut.
import { once } from 'node:events';
import { createServer, type Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { GrpcCall } from './grpc-call.ts';

/** By path, e.g. `/event_store.client.streams.Streams/Read`. */
export type GrpcHandlers = ReadonlyMap<string, (call: GrpcCall) => void>;

export interface GrpcServer {
  readonly port: number;
  /** The number of connected clients. */
  connections(): number;
  /** Cuts every connection. */
  cutAll(): void;
}

const WINDOW_BYTES = 8 * 1024 * 1024;
/** Concurrent calls on one connection, as on the real server. Further ones wait in the client. */
const MAX_CALLS = 100;

/** Listens on 127.0.0.1. `port` 0 takes any free port. */
export async function serveGrpc(port: number, handlers: GrpcHandlers): Promise<GrpcServer> {
  const sockets = new Map<Http2Session, Socket>();
  // A large window, so that a client with 64 appends at once need not wait for updates.
  const server = createServer({
    settings: { initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: MAX_CALLS },
    maxSessionMemory: 1_000,
  });
  // Without setNoDelay small answers wait some 40 ms for the client to acknowledge earlier ones.
  let connected: Socket;
  server.prependListener('connection', (socket: Socket) => {
    socket.setNoDelay(true);
    // A session does not show its socket, but it is created from the socket that connected last.
    connected = socket;
  });
  server.on('session', (session) => {
    sockets.set(session, connected);
    session.setLocalWindowSize(WINDOW_BYTES);
    session.on('close', () => sockets.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    const { session } = stream;
    const call = new GrpcCall(stream, headers, () => session !== undefined && sockets.get(session)?.resetAndDestroy());
    const handle = handlers.get(headers[':path'] ?? '');
    if (handle === undefined) return call.end({ code: 12, message: 'Service is unimplemented.' });
    handle(call);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    connections: () => sockets.size,
    cutAll: () => {
      for (const socket of sockets.values()) socket.resetAndDestroy();
    },
  };
}
