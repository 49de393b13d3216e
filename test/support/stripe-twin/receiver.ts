// A merchant's endpoint for webhooks on a real port: keeps what arrives.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { bodyOf } from './server.ts';

export interface Received {
  readonly body: string;
  /** The header `Stripe-Signature`. */
  readonly signature: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** `meanwhile`: what the merchant does before it responds. */
export async function openReceiver(meanwhile?: (received: Received) => Promise<unknown>): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const one = { body, signature: String(request.headers['stripe-signature']) };
      received.push(one);
      await meanwhile?.(one);
      response.writeHead(200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver does not listen');
  return {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    received,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
