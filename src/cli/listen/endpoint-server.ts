// The server of a short-lived endpoint, on this machine: it reads each message, and answers what the command says.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { z } from 'zod';

/** The fields of a message that are read here. */
const MessageHead = z.looseObject({
  eventId: z.string(),
  eventType: z.string(),
  sequence: z.number(),
  previousSequence: z.number().optional(),
  /** Absent from a message about a checkpoint. */
  payment: z.looseObject({ id: z.string(), status: z.string() }).optional(),
});
type MessageHead = z.infer<typeof MessageHead>;

/** One call of the service. */
export interface ArrivedMessage {
  /** Names in lower case; without those of the connection. */
  readonly headers: { readonly [name: string]: string };
  /** The body, character by character. */
  readonly text: string;
  readonly told: MessageHead;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly body?: string;
}

/** Never rejects. The signal aborts when the service no longer waits. */
export type TakeDelivery = (delivery: ArrivedMessage, signal: AbortSignal) => Promise<ReceiverAnswer>;

/** Bytes; a message has some thousand. */
const LONGEST_BODY = 4 * 1024 * 1024;
/** How long a message may take to arrive whole, ms. */
const ARRIVES_WITHIN_MS = 30_000;

/** Messages at the path go to `take`. */
export const endpointServer = (path: string, take: TakeDelivery): Server =>
  createServer({ requestTimeout: ARRIVES_WITHIN_MS }, serving(path, take));

const serving =
  (path: string, take: TakeDelivery): RequestListener =>
  (request, response) => {
    const over = new AbortController();
    response.once('close', () => over.abort());
    const answer = async (): Promise<ReceiverAnswer> => {
      if (request.url !== path) return { status: 410 }; // an earlier listener had this port: its endpoint is over
      const text = await bodyOf(request);
      const told = text === undefined ? undefined : toldIn(text);
      return text === undefined || told === undefined
        ? { status: 400 }
        : take({ headers: ownHeaders(request), text, told }, over.signal);
    };
    answer().then(
      ({ status, body = '' }) => response.writeHead(status, { 'Content-Length': Buffer.byteLength(body) }).end(body),
      () => response.destroy(),
    );
  };

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > LONGEST_BODY) return undefined;
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toldIn(text: string): MessageHead | undefined {
  try {
    return MessageHead.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The headers that belong to one connection and not to the message. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
]);

const ownHeaders = ({ headers }: IncomingMessage): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (OF_THE_CONNECTION.has(name) ? [] : [[name, String(value)]])),
  );
