// A real HTTP server over plain sockets that misbehaves as it is told, and knows which requests reached it.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A request as it came: its head's first line, its headers in lower case, its body. */
export interface SeenRequest {
  readonly line: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

export interface MisbehavingServer {
  readonly url: string;
  /** Whole requests, in the order in which they came. */
  readonly requests: readonly SeenRequest[];
  /** The number of connections taken. */
  readonly connections: number;
  /** The treatment of every request from now on. */
  meet(behaviour: (socket: Socket, request: SeenRequest) => void): void;
  /** Ends every connection that is open, as a server does with idle ones. */
  hangUp(): Promise<unknown>;
  close(): Promise<void>;
}

export const answer = (status: number, body: string, headers: readonly string[] = []): string =>
  [`HTTP/1.1 ${status} Said`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n');

const HEAD_END = '\r\n\r\n';

export async function misbehavingServer(): Promise<MisbehavingServer> {
  const sockets = new Set<Socket>();
  const requests: SeenRequest[] = [];
  let behaviour: (socket: Socket, request: SeenRequest) => void = (socket) => socket.write(answer(200, '{}'));
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
      for (let read = requestIn(text); read !== undefined; read = requestIn(text)) {
        text = text.slice(read.length);
        requests.push(read.request);
        behaviour(socket, read.request);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    get connections() {
      return connections;
    },
    meet(next) {
      behaviour = next;
    },
    hangUp: () => Promise.all([...sockets].map((socket) => new Promise<void>((ended) => socket.end(ended)))),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function requestIn(text: string): { readonly request: SeenRequest; readonly length: number } | undefined {
  const end = text.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [line = '', ...fields] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  const bytes = Buffer.from(text.slice(end + HEAD_END.length));
  const length = Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  const body = bytes.subarray(0, length).toString();
  return { request: { line, headers, body }, length: end + HEAD_END.length + body.length };
}
