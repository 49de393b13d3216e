// Sends requests over a real socket and checks every answer against /openapi.json and the rules for all answers
// (contract §§1, 7).
import { Agent, type IncomingHttpHeaders, request as send } from 'node:http';
import { z } from 'zod';
import { STATUS } from '../../src/http/errors.ts';
import type { Route } from '../../src/http/route.ts';
import { type Conformity, conformityTo, type Document } from '../http/described.ts';

export interface Ask {
  /** X-Api-Key */
  readonly key?: string;
  /** X-Client-Token */
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, without a content type unless the headers have one. */
  readonly text?: string | Buffer;
  readonly headers?: { readonly [name: string]: string | string[] };
}

const ErrorBody = z.strictObject({
  errorId: z.string(),
  description: z.string().min(1),
  recoverySuggestion: z.string().optional(),
  diagnosticsId: z.string().min(1),
  validationErrors: z
    .array(
      z.strictObject({
        model: z.string(),
        errors: z.array(z.strictObject({ path: z.string(), description: z.string() })).min(1),
      }),
    )
    .min(1)
    .optional(),
  paymentId: z.string().optional(),
  paymentStatus: z.string().optional(),
  amount: z.int().optional(),
  currencyCode: z.string().optional(),
  statusReason: z.looseObject({ type: z.string() }).optional(),
  agreementStatus: z.string().optional(),
  action: z.string().optional(),
  notBefore: z.string().optional(),
  because: z.string().optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined if the answer is not JSON. */
  readonly body: unknown;
  /** The error of a refused request. */
  readonly error: ErrorBody | undefined;
  readonly requestId: string;
}

/** Sends a request. Rejects if the response breaks a rule for all responses. */
export type Request = (method: string, path: string, ask?: Ask) => Promise<Answer>;

export interface Client {
  readonly request: Request;
  readonly close: () => void;
}

/** `document`: the answer of /openapi.json. */
export function httpClient(port: number, routes: readonly Route[], document: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const description = describedBy(document);
  return {
    async request(method, path, ask = {}) {
      const answer = await exchange(agent, port, method, path, ask);
      const faults = faultsOf(answer, method, routeOf(routes, method, path), description);
      if (faults.length > 0)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}\n${faults.join('\n')}`);
      return answer;
    },
    close: () => agent.destroy(),
  };
}

function exchange(agent: Agent, port: number, method: string, path: string, ask: Ask): Promise<Answer> {
  const { body, text = body === undefined ? undefined : JSON.stringify(body) } = ask;
  const headers: Record<string, string | string[]> = {
    ...(ask.key !== undefined && { 'x-api-key': ask.key }),
    ...(ask.token !== undefined && { 'x-client-token': ask.token }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(text !== undefined && { 'content-length': String(Buffer.byteLength(text)) }),
    ...ask.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = send({ agent, port, host: '127.0.0.1', method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        try {
          resolve(answered(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks).toString('utf8')));
        } catch (fault) {
          reject(new Error(`${method} ${path}: the answer cannot be read`, { cause: fault }));
        }
      });
    });
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

function answered(status: number, headers: IncomingHttpHeaders, text: string): Answer {
  const isJson = headers['content-type']?.startsWith('application/json') === true && text !== '';
  const body: unknown = isJson ? JSON.parse(text) : undefined;
  const error = status >= 400 && isJson ? z.strictObject({ error: ErrorBody }).parse(body).error : undefined;
  return { status, headers, text, body, error, requestId: String(headers['x-request-id']) };
}

interface Described {
  readonly conforms: Conformity;
  /** The error ids that the description names for one status of an operation. */
  readonly named: (method: string, path: string, status: number) => readonly string[];
}

const Names = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({ responses: z.record(z.string(), z.looseObject({ description: z.string() })) }),
    ),
  ),
});

/** Compiled once in each process: all services have the same description. */
const descriptions = new Map<string, Described>();

function describedBy(document: string): Described {
  const known = descriptions.get(document);
  if (known !== undefined) return known;
  const parsed: Document = JSON.parse(document);
  const { paths } = Names.parse(parsed);
  const named = (method: string, path: string, status: number): readonly string[] =>
    paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses[status]?.description.split(' · ') ??
    [];
  const described = { conforms: conformityTo(parsed), named };
  descriptions.set(document, described);
  return described;
}

/** The route of a request, found by the paths in the list of routes. */
export function routeOf(routes: readonly Route[], method: string, path: string): Route | undefined {
  const [pathname = ''] = path.split('?');
  const asked = method === 'HEAD' ? 'GET' : method;
  return routes.find((route) => route.method === asked && shapeOf(route).test(pathname));
}

const shapes = new WeakMap<Route, RegExp>();
function shapeOf(route: Route): RegExp {
  const shape = shapes.get(route) ?? new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`);
  shapes.set(route, shape);
  return shape;
}

function faultsOf(
  answer: Answer,
  method: string,
  route: Route | undefined,
  { conforms, named }: Described,
): readonly string[] {
  const { status, headers, body, error } = answer;
  if (status === 304 && route?.isByRevision === true && answer.text === '') return [];
  if (method === 'HEAD' || status === 204)
    return headers['x-request-id'] === undefined ? ['there is no X-Request-Id'] : [];
  const faults: string[] = [];
  const must = (holds: boolean, fault: string): void => void (holds || faults.push(fault));
  must(headers['x-request-id'] !== undefined, 'there is no X-Request-Id');
  must(headers['x-content-type-options'] === 'nosniff', 'there is no X-Content-Type-Options: nosniff');
  if (route?.description.answer !== undefined || status >= 400) {
    must(
      headers['content-type'] === 'application/json; charset=utf-8',
      `its content type is ${headers['content-type']}`,
    );
    must(headers['cache-control'] === 'no-store', 'there is no Cache-Control: no-store');
    faults.push(...[...emptyIn(body, '$')].map((path) => `${path} is empty`));
  }
  if (route === undefined) must(status === 404 || status === 405, `${status} without a route`);
  // a signpost is not an operation
  else if (route.description.leadsTo === undefined) faults.push(...conforms(method, route.path, status, body));
  if (error !== undefined)
    faults.push(
      ...errorFaults(answer, error, route === undefined ? [error.errorId] : named(method, route.path, status)),
    );
  return faults;
}

const HAS_RETRY_AFTER: ReadonlySet<string> = new Set([
  'TooManyRequests',
  'ServiceUnavailable',
  'Conflict',
  'PaymentOperationInProgress',
  'IdempotencyKeyInProgress',
]);

function errorFaults(
  { status, headers, requestId }: Answer,
  error: ErrorBody,
  named: readonly string[],
): readonly string[] {
  const faults: string[] = [];
  const expected = Object.entries(STATUS).find(([errorId]) => errorId === error.errorId)?.[1];
  if (expected !== status) faults.push(`${error.errorId} is ${expected}`);
  if (!named.includes(error.errorId))
    faults.push(`${error.errorId} is not among the errors that the description names: ${named.join(', ')}`);
  const isReplay = headers['idempotent-replayed'] !== undefined;
  if ((error.diagnosticsId === requestId) === isReplay)
    faults.push('diagnosticsId is not the X-Request-Id of the request that was refused');
  const retryAfter = headers['retry-after'];
  if (HAS_RETRY_AFTER.has(error.errorId) !== (retryAfter !== undefined)) faults.push(`Retry-After is ${retryAfter}`);
  for (const { description } of (error.validationErrors ?? []).flatMap(({ errors }) => errors)) {
    if (!/^[A-Z].*\.$/s.test(description) || /^Invalid|^Too |, received /.test(description))
      faults.push(`the description is not for merchants: ${description}`);
  }
  if (retryAfter !== undefined && !/^[1-9]\d*$/.test(retryAfter)) faults.push(`Retry-After is ${retryAfter}`);
  return faults;
}

/**
 * The places where an answer holds a member that is null, {} or []. Only metadata may, and `data` of an empty list
 * (contract §1). Items of a list are not members: a caller's own list keeps its items.
 */
function* emptyIn(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* emptyIn(item, `${path}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'metadata') continue;
      const at = `${path}.${name}`;
      if (at !== '$.data' && isEmpty(member)) yield at;
      yield* emptyIn(member, at);
    }
  }
}

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);
