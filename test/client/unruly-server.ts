// A server in front of the service that misbehaves as it is told, one request after the other, and then lets everything
// through.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { z } from 'zod';

/**
 * - `reset before`: the connection breaks, and the service hears nothing.
 * - `reset after`: the service does what is asked, and its answer is lost.
 * - `cut off`: the same, in the middle of the answer's body.
 * - `hang`: no answer, ever; `hang after`: the same, after the effect.
 * - a status with a body and headers: that answer, and the service hears nothing.
 */
export type Misbehaviour =
  | 'reset before'
  | 'reset after'
  | 'cut off'
  | 'hang'
  | 'hang after'
  | { readonly status: number; readonly body: string; readonly headers?: { readonly [name: string]: string } };

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly headers: IncomingMessage['headers'];
}

export interface UnrulyServer {
  readonly url: string;
  /** The requests since the last `misbehave`. */
  readonly seen: readonly Seen[];
  /** The next requests are treated so, in turn; the later ones are let through. */
  misbehave(...misbehaviours: readonly Misbehaviour[]): void;
  close(): Promise<void>;
}

const Port = z.object({ port: z.number() });

/** `port`: of the service, on this machine. */
export async function unrulyServer(port: number): Promise<UnrulyServer> {
  let next: Misbehaviour[] = [];
  let seen: Seen[] = [];
  const server = createServer((asked, answer) => {
    const { method = '', url = '', headers } = asked;
    seen.push({ method, url, key: headers['x-idempotency-key']?.toString(), headers });
    void handle(next.shift(), asked, answer, port);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${Port.parse(server.address()).port}`,
    get seen() {
      return seen;
    },
    misbehave(...misbehaviours) {
      next = [...misbehaviours];
      seen = [];
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function handle(
  misbehaviour: Misbehaviour | undefined,
  asked: IncomingMessage,
  answer: ServerResponse,
  port: number,
): Promise<void> {
  const body = await whole(asked);
  if (typeof misbehaviour === 'object') {
    answer
      .writeHead(misbehaviour.status, { 'Content-Type': 'application/json', ...misbehaviour.headers })
      .end(misbehaviour.body);
    return;
  }
  if (misbehaviour === 'hang') return;
  if (misbehaviour === 'reset before') return void asked.socket.destroy();
  const { status, headers, text } = await forwarded(asked, body, port);
  switch (misbehaviour) {
    case 'hang after':
      return;
    case 'reset after':
      return void asked.socket.destroy();
    case 'cut off':
      answer.writeHead(status, { ...headers, 'content-length': String(text.length) });
      answer.write(text.subarray(0, text.length / 2), () => asked.socket.destroy());
      return;
    case undefined:
      answer.writeHead(status, headers).end(text);
      return;
    default:
      misbehaviour satisfies never;
  }
}

interface Forwarded {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: Buffer;
}

async function forwarded({ method, url, headers }: IncomingMessage, body: Buffer, port: number): Promise<Forwarded> {
  const sent = request({
    host: '127.0.0.1',
    port,
    method,
    path: url,
    headers: { ...headers, host: `127.0.0.1:${port}` },
  });
  sent.end(body);
  const answer: IncomingMessage = await new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await whole(answer) };
}

async function whole(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
