// A webhook endpoint that a command serves itself, on this machine, for as long as it runs: it reads each message, and
// answers what the command says. A command that was killed leaves nothing for good: the service disables a short-lived
// endpoint at the first message that no receiver takes.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { z } from 'zod';
import type { ExistingEndpoint } from '../../domain/webhook-endpoint.ts';
import { webhookEndpoints } from '../../projections/models/webhook-endpoints.ts';
import { liveWorld } from '../../world.ts';
import { unlessRefused, untilEffective } from '../effect.ts';
import { WrongUsage } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { closeGracefully, listen } from '../serve/http-listener.ts';

export interface ShortLivedEndpoint {
  readonly id: string;
  /** `whsec_…` */
  readonly secret: string;
  readonly url: string;
  /** The reason why nothing more arrives; undefined while it is enabled. Throws StoreUnavailable. */
  ended(): Promise<ExistingEndpoint['disabled']>;
  /** Disables it; its server, where it has one, then lets calls under way end. Throws StoreUnavailable. */
  end(): Promise<void>;
}

interface WantedEndpoint {
  readonly accountId: string;
  /** Message types; undefined: all. */
  readonly events?: readonly string[] | undefined;
}

/** At a URL that the caller serves. Throws Refused for one that may be none, Unavailable, StoreUnavailable. */
export async function addShortLivedEndpoint(
  { service }: Pick<Opened, 'service'>,
  { accountId, events, url }: WantedEndpoint & { readonly url: string },
): Promise<ShortLivedEndpoint> {
  const wanted = { accountId, url, shortLived: true, ...(events !== undefined && { events }) };
  const added = unlessRefused(await service.webhooks.addWebhookEndpoint(wanted));
  await untilEffective(service, webhookEndpoints, added);
  const { id, secret } = added;
  return {
    id,
    secret,
    url,
    async ended() {
      const [row] = await service.readModels.get(webhookEndpoints, [id]);
      return row?.doc.status === 'disabled' ? row.doc.disabled : undefined;
    },
    async end() {
      const disabled = unlessRefused(await service.webhooks.disableWebhookEndpoint(id));
      await untilEffective(service, webhookEndpoints, disabled);
    },
  };
}

/** How long calls that run at the end may take. */
const GRACE_MS = 3_000;

/**
 * With a server of its own. `address`: of this machine, where the service calls it. Throws WrongUsage in live mode and
 * for an address that is none.
 */
export async function openShortLivedEndpoint(
  { service }: Pick<Opened, 'service'>,
  { address, ...wanted }: WantedEndpoint & { readonly address: string },
  take: TakeDelivery,
): Promise<ShortLivedEndpoint> {
  mustBeTestMode(service);
  // Another program may have the port later: without the path it learns nothing, and takes nothing.
  const path = `/${Buffer.from(liveWorld.randomBytes(12)).toString('hex')}`;
  const server = endpointServer(path, take);
  const origin = await listen(server, { host: address, port: 0 }).catch(() => {
    throw new WrongUsage(`--address is ${JSON.stringify(address)}: allowed is an address of this machine.`);
  });
  const stop = (): Promise<unknown> => closeGracefully(server, GRACE_MS, liveWorld);
  try {
    const endpoint = await addShortLivedEndpoint({ service }, { ...wanted, url: `${origin}${path}` });
    return { ...endpoint, end: () => endpoint.end().finally(stop) };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** Throws WrongUsage. */
export function mustBeTestMode({ mode }: { readonly mode: 'test' | 'live' }): void {
  if (mode === 'live') throw new WrongUsage(LIVE);
}

const LIVE =
  'In live mode messages go to public https:// addresses, never to this machine. Add your receiver with `counterfoil webhooks endpoints add`, or develop against a service in test mode.';

const Subject = z.looseObject({ id: z.string(), status: z.string() });
/** The fields of a message that are read here. */
const MessageHead = z.looseObject({
  eventId: z.string(),
  eventType: z.string(),
  sequence: z.number(),
  previousSequence: z.number().optional(),
  /** Both are absent from a message about a checkpoint. */
  payment: Subject.optional(),
  agreement: Subject.optional(),
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
const endpointServer = (path: string, take: TakeDelivery): Server =>
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
