// An HTTP proxy between a connector and the server that it talks to, which goes wrong as it is told.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The fault of every request from then on. `before`: the server never hears of it; `after`: the server has had the
 * effect. late: the answer comes when its caller has gone. twice: the server gets the request two times.
 */
export const MISBEHAVIOURS = [
  'refused',
  'reset_before',
  'reset_after',
  'hung',
  'status_409',
  'status_429',
  'status_500_after',
  'truncated',
  'late',
  'twice',
  'other_currency',
] as const;
export type Misbehaviour = (typeof MISBEHAVIOURS)[number];

export interface MisbehavingProxy {
  readonly url: string;
  /** Requests that reached it. */
  readonly requests: number;
  /** Undefined: as the server does. */
  misbehave(how: Misbehaviour | undefined): Promise<void>;
  close(): Promise<void>;
}

interface Whole {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export async function misbehavingProxy(target: string): Promise<MisbehavingProxy> {
  let how: Misbehaviour | undefined;
  let requests = 0;
  const sockets = new Set<Socket>();
  const forward = async ({ method = 'GET', url = '/', headers }: IncomingMessage, body: string): Promise<Whole> => {
    const { host: _host, connection: _connection, 'content-length': _length, ...others } = headers;
    const sent = new Headers(
      Object.entries(others).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    );
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: sent,
      ...(body !== '' && { body }),
      redirect: 'manual',
    });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString();
    if (how === 'reset_before') return void request.socket.resetAndDestroy();
    if (how === 'status_409' || how === 'status_429')
      return void response.writeHead(how === 'status_409' ? 409 : 429).end('{}');
    const answer = await forward(request, body);
    if (how === 'twice') await forward(request, body);
    answerAs(how, request.socket, response, answer);
  };
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  server.on('connection', (socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  };
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    async misbehave(next) {
      how = next;
      if (next === 'refused') await stop();
      else if (!server.listening) await listen(port);
    },
    close: stop,
  };
}

function answerAs(
  how: Misbehaviour | undefined,
  socket: Socket,
  response: ServerResponse,
  { status, headers, body }: Whole,
): void {
  const type = { 'Content-Type': headers.get('content-type') ?? 'application/json' };
  switch (how) {
    case 'reset_after':
      socket.resetAndDestroy();
      return;
    case 'hung':
      return;
    case 'late':
      socket.once('end', () => response.writeHead(status, type).end(body));
      return;
    case 'status_500_after':
      response.writeHead(500).end('{}');
      return;
    case 'truncated':
      response.writeHead(status, { ...type, 'Content-Length': Buffer.byteLength(body) });
      response.write(body.slice(0, body.length / 2), () => socket.destroy());
      return;
    case 'other_currency':
      response.writeHead(status, type).end(inAnotherCurrency(body));
      return;
    default:
      response.writeHead(status, type).end(body);
  }
}

/** Whatever a processor calls the member, and in whichever case it writes currencies. */
const inAnotherCurrency = (body: string): string =>
  body.replaceAll(/("currency\w*"\s*:\s*")([A-Za-z]{3})"/gi, (_whole, name: string, code: string) => {
    const other = code.toUpperCase() === 'USD' ? 'EUR' : 'USD';
    return `${name}${code === code.toUpperCase() ? other : other.toLowerCase()}"`;
  });
