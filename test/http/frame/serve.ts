// A frame on a real port, with a few routes of its own and keys that need no store.
import http, { type IncomingHttpHeaders, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { z } from 'zod';
import { createApp } from '../../../src/http/app.ts';
import { LongWork } from '../../../src/http/long-work.ts';
import type { Credentials } from '../../../src/http/middleware/authenticate.ts';
import { found, type HandlerCall, type Route, route } from '../../../src/http/route.ts';
import { publicRoutes } from '../../../src/http/routes/public.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import type { Ready } from '../../../src/projections/engine/health/readiness.ts';
import { calmWorld } from '../../support/calm-world.ts';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: unknown;
}
export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  /** Sends the body in chunks, so that its length is unknown beforehand. */
  readonly chunked?: boolean;
}
export interface Served {
  readonly ask: (asked: Asked) => Promise<Answered>;
  /** Bytes in, everything that comes back until the server closes the connection. */
  readonly raw: (bytes: string) => Promise<string>;
  readonly port: number;
  readonly server: Server;
  readonly calls: HandlerCall[];
  readonly logged: { readonly level: string; readonly entry: object; readonly message: string }[];
  readonly close: () => Promise<void>;
}

export const KEY = { 'x-api-key': 'all' };
export const JSON_TYPE = { 'content-type': 'application/json' };
/** `other` is of another account. */
const KEYS: { readonly [key: string]: readonly string[] } = {
  all: ['client_tokens:write', 'transactions:retrieve'],
  other: ['transactions:retrieve'],
  none: [],
};

const Thing = z.strictObject({ name: z.string().max(5), amount: z.int().min(0).optional() }).meta({ id: 'Thing' });
const Echo = z.looseObject({}).meta({ id: 'Echo' });

function sampleRoutes(calls: HandlerCall[], faults: { readonly thrown?: unknown }): readonly Route[] {
  const handled = (body: object, call: HandlerCall, revision?: number) => {
    if (faults.thrown !== undefined) throw faults.thrown;
    calls.push(call);
    return found({ ...body }, revision);
  };
  const common = { tag: 'Things', summary: 'A thing', answer: Echo };
  return [
    route({
      ...common,
      method: 'PATCH',
      path: '/things/:id',
      scope: 'client_tokens:write',
      request: z.object({ params: z.object({ id: z.string().regex(/^thing_/) }), body: Thing }),
      handle: ({ params, body }, call) => handled({ id: params.id, ...body }, call, 7),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/things',
      scope: 'transactions:retrieve',
      request: z.object({ query: z.strictObject({ limit: z.string().regex(/^\d+$/).optional() }) }),
      handle: ({ query }, call) => handled(query, call),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/things',
      scope: 'client_tokens:write',
      request: z.object({}),
      handle: (_, call) => handled({}, call),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/raw',
      scope: 'client_tokens:write',
      raw: true,
      request: z.object({}),
      handle: (_, call) => handled({ text: call.text }, call),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/checkout/things',
      scope: 'clientToken',
      request: z.object({ body: z.strictObject({ number: z.string().optional(), name: z.string().optional() }) }),
      fingerprint: () => 'without number',
      handle: ({ body }, call) => handled(body, call),
    }),
  ];
}

export interface Options {
  readonly requestsPerSecond?: number;
  readonly readiness?: Ready;
  readonly thrown?: unknown;
  readonly level?: 'debug' | 'info' | 'warn';
  /** Besides the samples. */
  readonly routes?: readonly Route[];
  readonly longWork?: LongWork;
}

export async function serve({
  requestsPerSecond = 0,
  readiness = { ready: true, reasons: [], degraded: [] },
  thrown,
  level = 'warn',
  routes: more = [],
  longWork = new LongWork(),
}: Options = {}): Promise<Served> {
  const calls: HandlerCall[] = [];
  const logged: { level: string; entry: object; message: string }[] = [];
  const authentication: Credentials = {
    apiKey: async (text) => {
      const scopes = Object.hasOwn(KEYS, text) ? KEYS[text] : undefined;
      return scopes === undefined
        ? undefined
        : { keyId: `key_${text}`, accountId: text === 'other' ? 'acc_2' : 'acc_1', scopes: new Set(scopes) };
    },
    webhookToken: () => undefined,
    user: async () => undefined,
    operatesStore: () => Promise.resolve(false),
    clientToken: (text) => (text === 'token' ? { sessionId: 'cs_1', accountId: 'acc_1' } : undefined),
  };
  const log = {
    debug: (entry: object, message: string) => void logged.push({ level: 'debug', entry, message }),
    info: (entry: object, message: string) => void logged.push({ level: 'info', entry, message }),
    error: (entry: object, message: string) => void logged.push({ level: 'error', entry, message }),
    isLevelEnabled: (asked: string) => asked === level,
  };
  const routes = publicRoutes(() => readiness, [...sampleRoutes(calls, { thrown }), ...more]);
  const app = createApp({ authentication, world: calmWorld, routes, requestsPerSecond, log, longWork });
  const server = createHttpServer(app.callback(), () => 'req_parser');
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const port = portOf(server);
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { ask: (asked) => ask(port, asked), raw: (bytes) => raw(port, bytes), port, server, calls, logged, close };
}

const isAddress = (address: ReturnType<Server['address']>): address is AddressInfo =>
  typeof address === 'object' && address !== null;
export function portOf(server: Server): number {
  const address = server.address();
  if (!isAddress(address)) throw new TypeError('the server does not listen on a port');
  return address.port;
}

export function ask(
  port: number,
  { method = 'GET', path = '/', headers = {}, body, chunked = false }: Asked,
): Promise<Answered> {
  return new Promise((answered, failed) => {
    const length = body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = http.request(
      { port, host: '127.0.0.1', method, path, headers: { ...headers, ...length }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isJson = response.headers['content-type']?.startsWith('application/json') === true && text !== '';
          answered({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: isJson ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    request.on('error', failed);
    if (body !== undefined && chunked) request.write(body);
    request.end(chunked ? undefined : body);
  });
}

export function raw(port: number, bytes: string): Promise<string> {
  return new Promise((received, failed) => {
    const chunks: Buffer[] = [];
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => received(Buffer.concat(chunks).toString('utf8')));
    socket.on('error', failed);
  });
}

/** The error of an answer; throws when the answer is not one. */
export function errorOf({ body }: Answered): z.output<typeof ErrorShape>['error'] {
  return ErrorShape.parse(body).error;
}
const ErrorShape = z.strictObject({
  error: z.strictObject({
    errorId: z.string(),
    description: z.string().min(1),
    recoverySuggestion: z.string().optional(),
    diagnosticsId: z.string().min(1),
    validationErrors: z
      .array(
        z.strictObject({
          model: z.string(),
          errors: z.array(z.strictObject({ path: z.string(), description: z.string() })),
        }),
      )
      .optional(),
    paymentId: z.string().optional(),
    paymentStatus: z.string().optional(),
    statusReason: z.looseObject({}).optional(),
  }),
});
