// The HTTP server around the application: Node's own answers to bad requests get the one shape of errors, too
// (contract §7).
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressNetwork } from '../commands/limits/address-block.ts';
import { atEndOfTurn } from '../world.ts';
import { plainAddress } from './checks/client-address.ts';
import { among } from './checks/ip-network.ts';
import { errorText, type Refusal, refuse, statusOfError } from './errors.ts';

/** All in milliseconds. */
interface ServerLimits {
  /** From a connection's first byte, or its beginning, to the end of a request's headers. */
  readonly headersMs: number;
  /** The deadline until the end of the body. */
  readonly requestMs: number;
  /** How often those two are looked at. */
  readonly checkEveryMs: number;
  /** An idle connection is kept for so long. */
  readonly keepAliveMs: number;
  /** A client may leave an answer unread for so long. */
  readonly stillMs: number;
}
export const defaultLimits: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkEveryMs: 5_000,
  // longer than a load balancer keeps an idle connection (60 s is common), so that never both ends decide at once
  keepAliveMs: 65_000,
  stillMs: 15_000,
};
/** Sockets that one process holds. Below common limits of open files (65,536), with room for stores. */
export const MAX_CONNECTIONS = 10_000;
/** Requests that one connection may be ahead of its answers; each of them holds a whole answer in memory. */
export const MAX_UNFINISHED_ANSWERS = 16;
/** A connection that is as far ahead as this is destroyed, because refusals need memory as well. */
export const MAX_REQUESTS_AHEAD = 64;

interface ServerOptions {
  /** A supervisor accepts the connections, and hands them to this process. */
  readonly isHanded?: boolean;
  /** Addresses and networks whose connections are those of many callers. */
  readonly trustedProxies?: readonly string[];
}

/**
 * A server that is not listening yet. `requestId` makes the diagnosticsId for bytes that were never a request.
 */
export function createHttpServer(
  listener: RequestListener,
  requestId: () => string,
  limits: ServerLimits = defaultLimits,
  { isHanded = false, trustedProxies = [] }: ServerOptions = {},
): Server {
  const options = {
    keepAliveTimeout: limits.keepAliveMs,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    requireHostHeader: false, // Node's own 400 is empty; ours says why
  };
  const tooMany = (response: ServerResponse): void =>
    answerRefusal(response, refuse('TooManyRequests', AHEAD), requestId());
  const bounded = boundUnfinished(begunTogether(listener), tooMany);
  const server = createServer(options, (request, response) => {
    // HTTP/1.0 knows none
    if (request.httpVersion === '1.1' && request.headers.host === undefined)
      answerRefusal(response, refuse('MalformedJson', 'HTTP/1.1 requires the Host header.'), requestId());
    else bounded(request, response);
  });
  // At Node's own limit a worker hands a connection back to the supervisor. Workers that are all full would hand it
  // round without end, which takes a core of the supervisor.
  if (!isHanded) server.maxConnections = MAX_CONNECTIONS;
  boundConnections(server, { most: MAX_CONNECTIONS, keepAliveMs: limits.keepAliveMs, isAnswering, trustedProxies });
  endStillOutput(server, limits.stillMs);
  server.on('clientError', (fault: Error, socket: Socket) => answerParserError(fault, socket, requestId()));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    answerRefusal(response, refuse('MalformedJson', 'The only supported expectation is 100-continue.'), requestId());
  });
  return server;
}

const AHEAD = `This connection is more than ${MAX_UNFINISHED_ANSWERS} requests ahead of its responses.`;

/**
 * A listener that takes at most MAX_UNFINISHED_ANSWERS requests of a connection at once. `tooMany` answers the next one
 * and closes the connection; Node sends that answer in its turn, after those of the requests that were taken. A
 * connection that is MAX_REQUESTS_AHEAD ahead is destroyed. A request without others before it costs nothing: its
 * answer has the connection already.
 */
export function boundUnfinished(
  listener: RequestListener,
  tooMany: (response: ServerResponse) => void,
): RequestListener {
  const queued = new WeakMap<Socket, number>();
  const add = (socket: Socket, change: number): number => {
    const count = (queued.get(socket) ?? 0) + change;
    queued.set(socket, count);
    return count;
  };
  return (request, response) => {
    if (response.socket !== null) {
      listener(request, response);
      return;
    }
    const { socket } = request;
    response.once('close', () => add(socket, -1));
    const ahead = 1 + add(socket, 1);
    if (ahead <= MAX_UNFINISHED_ANSWERS) listener(request, response);
    else if (ahead <= MAX_REQUESTS_AHEAD) tooMany(response);
    else socket.destroy();
  };
}

/**
 * A listener that begins all requests of one turn of the event loop in one run, after the last of them was read. All of
 * them share the look at other processes' commits (SharedFile.look). A request whose connection is gone by then is not
 * begun.
 */
function begunTogether(listener: RequestListener): RequestListener {
  let arrived: Parameters<RequestListener>[] = [];
  const begin = (): void => {
    const all = arrived;
    arrived = [];
    for (const [request, response] of all) if (!request.socket.destroyed) listener(request, response);
  };
  return (request, response) => {
    if (arrived.push([request, response]) === 1) atEndOfTurn(begin);
  };
}

/** Destroys a connection on which an answer waits to be read and nothing has moved for `stillMs`. */
function endStillOutput(server: Server, stillMs: number): void {
  server.timeout = stillMs;
  server.on('timeout', (socket: Socket) => {
    if (isAnswering(socket) && socket.writableLength === 0)
      socket.setTimeout(stillMs); // its request is still being worked on
    else socket.destroy();
  });
}

/** Node's own mark of the answer that a connection is waiting for. */
const isAnswering = (socket: Socket): boolean => '_httpMessage' in socket && socket._httpMessage !== null;

function answerRefusal(response: ServerResponse, refusal: Refusal, id: string): void {
  const { head, text } = answerOf(refusal, id);
  response.writeHead(statusOfError(refusal.errorId), head).end(text);
}

function answerOf(refusal: Refusal, id: string): { readonly head: Record<string, string>; readonly text: string } {
  const text = errorText(refusal, id, 'Request');
  const length = String(Buffer.byteLength(text));
  const head = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': id,
    'Content-Length': length,
    Connection: 'close',
  };
  return { head, text };
}

/** Bytes that are not HTTP, headers without end, requests that never arrive whole. */
function answerParserError(fault: Error, socket: Socket, id: string): void {
  const code = 'code' in fault ? fault.code : undefined;
  // A browser connects ahead of its requests: an answer to nothing would be taken for that of its first request.
  const isUnused = code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
  // Bytes in the middle of another request's answer would only garble that one.
  if (code === 'ECONNRESET' || !socket.writable || isUnused || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const refusal =
    code === 'HPE_HEADER_OVERFLOW'
      ? refuse('PayloadTooLarge', 'The headers are too large.')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? refuse('MalformedJson', 'The request did not arrive in time.')
        : refuse('MalformedJson', 'This is not HTTP/1.1.');
  const status = statusOfError(refusal.errorId);
  const { head, text } = answerOf(refusal, id);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${status === 413 ? 'Payload Too Large' : 'Bad Request'}\r\n${lines.join('')}\r\n${text}`,
  );
  socket.destroySoon(); // a client that keeps its own half open would hold the connection for good
}

interface ConnectionBounds {
  /** Beyond that, new connections are closed at once. */
  readonly most: number;
  /** An idle connection is kept for so long, ms. */
  readonly keepAliveMs: number;
  /** True if a request of the connection is being worked on. */
  readonly isAnswering: (socket: Socket) => boolean;
  readonly trustedProxies: readonly string[];
}

/** A network (/24, /56) has at most a tenth of the connections; the last tenth is for those who use theirs. */
const SHARE = 10;
/** An idle connection near the bound is kept for so long, ms. */
const SHORT_KEEP_ALIVE_MS = 5_000;
/** The machine's own processes, such as a balancer on it. */
const LOOPBACK = ['127.0.0.0/8', '::1'];

/**
 * Closes connections beyond the bounds at once, and emits `drop` as Node does at its own limit. Near the bound each new
 * connection closes the oldest one without a request begun. Trusted proxies and processes of the machine have no bound
 * of their own, and keep their idle connections.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const { most, keepAliveMs, isAnswering, trustedProxies } = bounds;
  const isApart = among([...LOOPBACK, ...trustedProxies]);
  /** The network of each, the oldest first; undefined: apart. */
  const open = new Map<Socket, string | undefined>();
  const counts = new Map<string, number>();
  const count = (network: string | undefined, change: number): void => {
    if (network === undefined) return;
    const now = (counts.get(network) ?? 0) + change;
    if (now === 0) counts.delete(network);
    else counts.set(network, now);
  };
  const leave = (socket: Socket): void => {
    if (!open.has(socket)) return;
    count(open.get(socket), -1);
    open.delete(socket);
  };
  const makeRoom = (): void => {
    for (const [socket, network] of open)
      if (network !== undefined && !isAnswering(socket)) {
        leave(socket);
        socket.destroy();
        return;
      }
  };
  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    const network = isApart(address) ? undefined : addressNetwork(address);
    const isFull = network !== undefined && (counts.get(network) ?? 0) >= most / SHARE;
    const isNear = open.size >= most - most / SHARE;
    server.keepAliveTimeout = isNear ? Math.min(SHORT_KEEP_ALIVE_MS, keepAliveMs) : keepAliveMs;
    if (isNear && !isFull) makeRoom();
    if (isFull || open.size >= most) {
      socket.destroy();
      server.emit('drop');
      return;
    }
    open.set(socket, network);
    count(network, 1);
    socket.once('close', () => leave(socket));
  });
}
