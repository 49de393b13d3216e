// A merchant's receiver on a real port: it keeps what came, and answers what the test says.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { listen } from '../../src/cli/serve/http-listener.ts';

export interface ReceivedMessage {
  readonly headers: { readonly [name: string]: string };
  /** Character by character. */
  readonly text: string;
  readonly body: z.infer<typeof MessageBody>;
}

const MessageBody = z.looseObject({
  eventId: z.string(),
  eventType: z.string(),
  date: z.string(),
  version: z.string(),
  sequence: z.number(),
  previousSequence: z.number().optional(),
  payment: z.looseObject({ id: z.string(), status: z.string(), version: z.number() }),
});

/** 204 unless it answers itself. */
export type Answering = (message: ReceivedMessage, response: ServerResponse) => void | Promise<void>;

export interface Receiver {
  readonly url: string;
  readonly received: readonly ReceivedMessage[];
  answering: Answering | undefined;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const received: ReceivedMessage[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString('utf8');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const message = { headers, text, body: MessageBody.parse(JSON.parse(text)) };
    received.push(message);
    await receiver.answering?.(message, response);
    if (receiver.answering === undefined) response.statusCode = 204;
    if (!response.writableEnded && !response.destroyed && receiver.answering === undefined) response.end();
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  const origin = await listen(server, { host: '127.0.0.1', port: 0 });
  const receiver: Receiver = {
    url: `${origin}/webhooks`,
    received,
    answering: undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
