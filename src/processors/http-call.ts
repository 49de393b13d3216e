// One HTTP call of a connector, made once, that knows whether anything was sent: outcomes are graded by it.
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { sharedPause, type World } from '../world.ts';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with a slash; no `detail` holds any of it or of the headers. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
}

/** `detail`: for people, without anything of the request. A redirection is an answer like any other. */
export type HttpAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: HttpAnswerHeaders; readonly body: string }
  /** No byte of it left: no address, no connection, no TLS, or the deadline came before these. */
  | { readonly kind: 'not_sent'; readonly detail: string }
  /** It may have been sent, and no whole answer came. */
  | { readonly kind: 'lost'; readonly detail: string };
/** Names in lower case, as Node gives them. */
type HttpAnswerHeaders = IncomingMessage['headers'];

export interface HttpCallerOptions {
  /** `http://` or `https://`, without a slash at its end. */
  readonly base: string;
  readonly world: Pick<World, 'sleep'>;
  /**
   * Calls that hang hold one connection each until their deadline; calls beyond wait for a free one, not sent. Default
   * 512.
   */
  readonly maxConnections?: number;
  /** How long a new connection may take, TLS included, ms. Default 5,000. */
  readonly connectWithinMs?: number;
  /** Bytes of an answer's body; a longer one is lost. Default 4 MiB. */
  readonly maxAnswerBytes?: number;
  /** True to take the beginning of a longer response and close the connection. */
  readonly cutsAnswer?: boolean;
  /**
   * Finds the addresses of the host's name, which is then connected to; a fault that it gives is `not_sent`. Default:
   * the system's.
   */
  readonly lookup?: LookupFunction;
}

export interface HttpCaller {
  /** Never throws, never repeats, follows no redirection. The signal is the deadline. */
  call(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer>;
  /** Calls under way end as well. */
  close(): void;
}

/** Shorter than most servers keep an idle connection, so that few calls meet a connection that is being closed. */
const IDLE_MS = 30_000;

export function httpCaller(options: HttpCallerOptions): HttpCaller {
  const {
    base,
    world,
    maxConnections = 512,
    connectWithinMs = 5_000,
    maxAnswerBytes = 4 * 1024 * 1024,
    cutsAnswer = false,
    lookup,
  } = options;
  const isTls = base.startsWith('https:');
  const pooled = { keepAlive: true, maxSockets: maxConnections, timeout: IDLE_MS };
  const agent = isTls ? new HttpsAgent(pooled) : new HttpAgent(pooled);
  // of connections that may serve for each other: all do, and Node would put a name together for each call
  agent.getName = () => base;
  const request = isTls ? httpsRequest : httpRequest;
  const connected = isTls ? 'secureConnect' : 'connect';
  // Parsed once: Node parses a URL in text again for each call.
  const url = new URL(base);
  const { protocol, hostname, port } = urlToHttpOptions(url);
  const place = { protocol, hostname, port, ...(lookup !== undefined && { lookup }) };
  const parts = {
    world,
    nextTurn: sharedPause(world, 0),
    connected,
    connectWithinMs,
    maxAnswerBytes,
    cutsAnswer,
  } as const;
  return {
    async call({ method, path, headers, body = '' }, signal) {
      const length = body === '' && method === 'GET' ? [] : ['Content-Length', String(Buffer.byteLength(body))];
      // A list is checked and written once; of an object Node makes a map of its own first, which costs a sixth of the
      // call.
      const list = ['Host', url.host, ...Object.entries(headers).flat(), ...length];
      const made = (fresh: boolean): Promise<CallEnd> => {
        const open = () => request({ ...place, path, agent: fresh ? false : agent, method, headers: list });
        return exchange({ ...parts, open, body, signal });
      };
      const ended = await made(false);
      if (ended.kind !== 'idle_died') return ended;
      // Nothing was written into the connection that had died while it was idle, so the call is still to be made.
      const again = await made(true);
      return again.kind === 'idle_died' ? { kind: 'not_sent', detail: again.detail } : again;
    },
    close: () => agent.destroy(),
  };
}

type CallEnd = HttpAnswer | { readonly kind: 'idle_died'; readonly detail: string };

interface HttpExchange {
  readonly open: () => ClientRequest;
  readonly body: string;
  readonly world: Pick<World, 'sleep'>;
  /** The end of this turn of the event loop: calls come in crowds. */
  readonly nextTurn: () => Promise<void>;
  /** The event after which a new connection takes bytes. */
  readonly connected: 'connect' | 'secureConnect';
  readonly connectWithinMs: number;
  readonly maxAnswerBytes: number;
  readonly cutsAnswer: boolean;
  readonly signal: AbortSignal;
}

/** Nothing is written, headers included, before `request.end`: until then every failure is `not_sent`. */
function exchange({
  open,
  body,
  world,
  nextTurn,
  connected,
  connectWithinMs,
  maxAnswerBytes,
  cutsAnswer,
  signal,
}: HttpExchange): Promise<CallEnd> {
  return new Promise((resolve) => {
    const request = open();
    let isSending = false;
    let isKept = false;
    let isOver = false;
    let connecting: AbortController | undefined;
    const end = (ended: CallEnd): void => {
      isOver = true;
      connecting?.abort(CONNECTED);
      signal.removeEventListener('abort', onAbort);
      resolve(ended);
    };
    const fail = (detail: string): void => end({ kind: isSending ? 'lost' : 'not_sent', detail });
    let isAnswered = false;
    const giveUp = (detail: string): void => {
      if (isOver) return;
      fail(detail);
      request.destroy(); // the other end sees that the response is no longer awaited
    };
    const onAbort = (): void => giveUp('no answer before the deadline');
    const send = (): void => {
      connecting?.abort(CONNECTED);
      if (request.destroyed) return;
      isSending = true;
      request.end(body);
    };
    const sendOn = (socket: Socket): void => {
      if (socket.connecting) {
        connecting = new AbortController();
        socket.once(connected, send);
        void world
          .sleep(connectWithinMs, connecting.signal)
          .then(() => giveUp(`no connection within ${connectWithinMs} ms`), ignored);
        return;
      }
      // `reusedSocket` does not tell: it is false for a call that waited until another one gave its connection back.
      isKept = true;
      // Two turns hold a whole look at the network: then it is known whether the other end has closed it meanwhile.
      const look = (): unknown =>
        isDead(socket) ? request.destroy(new Error('the kept connection had been closed')) : send();
      void nextTurn().then(nextTurn).then(look);
    };
    request.on('socket', sendOn);
    request.on('error', (fault) =>
      isKept && !isSending ? end({ kind: 'idle_died', detail: inWords(fault) }) : fail(inWords(fault)),
    );
    request.on('response', (response) => {
      isAnswered = true;
      whole(response, maxAnswerBytes, cutsAnswer, end, giveUp);
    });
    // Without an error: Node ends the connection of a server that wants to speak another protocol (101).
    request.on('close', () => (isAnswered ? undefined : fail(CLOSED)));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

const ignored = (): void => undefined;

/** Made once: an abort without a reason makes a DOMException with its stack. */
const CONNECTED = new DOMException('The connection is made, or no longer wanted', 'AbortError');

const isDead = (socket: Socket): boolean => socket.destroyed || socket.readableEnded || !socket.writable;

/** Hands the whole answer to `take`, or says why there is none. Only the first word counts. */
function whole(
  response: IncomingMessage,
  maxBytes: number,
  cuts: boolean,
  take: (answer: HttpAnswer) => void,
  fail: (detail: string) => void,
): void {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes && !cuts) return fail(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
    if (bytes <= maxBytes) return;
    take({ kind: 'answered', status, headers, body: textOf(chunks).slice(0, maxBytes) });
    response.destroy();
  });
  response.on('end', () => take({ kind: 'answered', status, headers, body: textOf(chunks) }));
  response.on('error', (fault) => fail(inWords(fault)));
  response.on('close', () => fail(CLOSED)); // after the end it reports nothing more
}

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');

const CLOSED = 'the connection was closed before a whole answer came';

/** Where Node's own words say what its code does: those of its parser, of OpenSSL and of sockets. */
function inWords(fault: unknown): string {
  // Of several addresses that were tried in turn, each has failed in a way of its own.
  if (fault instanceof AggregateError && fault.errors.length > 0) return inWords(fault.errors[0]);
  if (!(fault instanceof Error)) return String(fault);
  const code = 'code' in fault ? String(fault.code) : '';
  if (code === 'HPE_HEADER_OVERFLOW') return 'the headers of the answer are too long';
  if (code.startsWith('HPE_')) return `the answer is no HTTP: ${fault.message.replace(/^Parse Error: /, '')}`;
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return `no TLS: ${'reason' in fault ? String(fault.reason) : 'it was not agreed on'}`;
  return fault.message === 'socket hang up' || fault.message === 'aborted' || fault.message === 'read ECONNRESET'
    ? CLOSED
    : fault.message.replace(/; if the root CA is installed locally, .*$/, ''); // Node 24's advice to who started it
}
