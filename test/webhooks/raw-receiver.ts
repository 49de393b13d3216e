// A receiver over plain sockets that does as it is told with each call, and counts the calls and the connections that
// reached it.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** The reaction to a whole request; `call`: 1 and up. */
export type Treatment = (socket: Socket, call: number) => void;

export interface RawReceiver {
  readonly url: string;
  /** Whole requests: the sequences that they told, in their order. */
  readonly calls: readonly number[];
  /** Connections that are open. */
  readonly open: number;
  /** Sets the treatment of each call from now on. */
  treat(treatment: Treatment): void;
  close(): Promise<void>;
}

export const TAKEN = 'HTTP/1.1 204 No Content\r\n\r\n';

/** The TLS of an https: URL; `none`: none at all, and it treats each connection before anything has arrived. */
export type Tls = TlsOptions | 'none';

/** Without `tls` its URL is http. */
export async function openRawReceiver(treatment: Treatment, tls?: Tls): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  const calls: number[] = [];
  let treat = treatment;
  const take = (socket: Socket): void => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    if (tls === 'none') treat(socket, 0);
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let end = endOfRequest(bytes); end !== undefined; end = endOfRequest(bytes)) {
        calls.push(sequenceIn(bytes.subarray(0, end).toString()));
        bytes = bytes.subarray(end);
        treat(socket, calls.length);
      }
    });
  };
  const isPlain = tls === undefined || tls === 'none';
  const server: Server = isPlain
    ? createServer(take)
    : createTlsServer(tls, take).on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}/`,
    calls,
    get open() {
      return sockets.size;
    },
    treat(next) {
      treat = next;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const HEAD_END = '\r\n\r\n';

/** Bytes of the first whole request; undefined if there is none. */
function endOfRequest(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(HEAD_END);
  if (head < 0) return undefined;
  const [, length = '0'] = /^content-length: (\d+)\r?$/im.exec(bytes.subarray(0, head + 2).toString()) ?? [];
  const end = head + HEAD_END.length + Number(length);
  return bytes.length < end ? undefined : end;
}

const sequenceIn = (request: string): number => JSON.parse(request.slice(request.indexOf(HEAD_END))).sequence;
