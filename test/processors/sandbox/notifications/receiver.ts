// The other end of the sandbox's notifications: a real HTTP server that records each message and answers as it is told.
import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface Received {
  readonly url: string | undefined;
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The time of the given clock. */
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves when `count` requests have come. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

export type Answer = number | 'hang_up' | 'silence';

/** `answerTo` gets the place of a request, from 0. */
export async function openReceiver(
  answerTo: (place: number) => Answer = () => 202,
  now: () => number = Date.now,
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const at = now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url, method, headers } = request;
    const answer = answerTo(received.length);
    received.push({ url, method, headers, body: Buffer.concat(chunks).toString(), at });
    if (answer === 'hang_up') request.socket.destroy();
    if (typeof answer === 'number') response.writeHead(answer).end('{}');
    for (const look of waiting) look();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver does not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    until: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      return closed;
    },
  };
}
