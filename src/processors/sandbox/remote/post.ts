// One POST over a kept connection that knows whether anything was sent: what an outcome is graded by.
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** `detail`: for people, without anything of the body. */
export type Posted =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** No connection was there before it ended: surely nothing was sent. */
  | { readonly kind: 'not_sent'; readonly detail: string }
  /** It may have been sent, and no whole answer came. */
  | { readonly kind: 'lost'; readonly detail: string };

/** Calls that hang hold one connection each until their deadline; calls beyond wait for a free one, not sent. */
const MAX_CONNECTIONS = 512;
/** Shorter than the other end keeps an idle connection (65 s), so that no call goes into one that is being closed. */
const IDLE_MS = 30_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export interface Poster {
  /** Never throws. The signal ends the wait. */
  post(path: string, headers: { readonly [name: string]: string }, body: string, signal: AbortSignal): Promise<Posted>;
  /** What is under way ends as well. */
  close(): void;
}

/** `base`: an http:// or https:// URL without a slash at its end. */
export function poster(base: string, maxConnections = MAX_CONNECTIONS): Poster {
  const isTls = base.startsWith('https:');
  const options = { keepAlive: true, maxSockets: maxConnections, timeout: IDLE_MS };
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options);
  const request = isTls ? httpsRequest : httpRequest;
  return {
    post(path, headers, body, signal) {
      const length = { 'Content-Length': String(Buffer.byteLength(body)) };
      return exchange(
        () => request(`${base}${path}`, { agent, method: 'POST', headers: { ...headers, ...length } }),
        body,
        isTls ? 'secureConnect' : 'connect',
        signal,
      );
    },
    close: () => agent.destroy(),
  };
}

function exchange(open: () => ClientRequest, body: string, connectedBy: string, signal: AbortSignal): Promise<Posted> {
  return new Promise((resolve) => {
    const request = open();
    let sending = false;
    const end = (posted: Posted): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(posted);
    };
    const fail = (detail: string): void => end(sending ? { kind: 'lost', detail } : { kind: 'not_sent', detail });
    const onAbort = (): void => {
      fail('no answer before the deadline');
      request.destroy(); // the other end sees that nobody waits any more
    };
    request.on('socket', (socket) => {
      // A new connection takes no byte before this event; one that is there takes them at once. `reusedSocket` does not tell them
      // apart: it is false for a call that waited until another one gave its connection back.
      if (socket.connecting) socket.once(connectedBy, () => (sending = true));
      else sending = true;
    });
    request.on('error', (fault) => fail(inWords(fault)));
    request.on('response', (response) => {
      void answerOf(response).then(end, (fault: unknown) => {
        fail(inWords(fault));
        request.destroy();
      });
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) return onAbort();
    request.end(body);
  });
}

async function answerOf(response: IncomingMessage): Promise<Posted> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('a response without an encoding is bytes');
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new RangeError('the answer is too large');
    chunks.push(chunk);
  }
  return { kind: 'answered', status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
}

function inWords(fault: unknown): string {
  // Of several addresses that were tried in turn, each has failed in a way of its own.
  if (fault instanceof AggregateError && fault.errors.length > 0) return inWords(fault.errors[0]);
  return fault instanceof Error ? fault.message : String(fault);
}
