// OpenAPI 3.1 out of the routes: zod's own JSON Schema (draft 2020-12) is its dialect, so that no second description
// exists.
import { z } from 'zod';
import { MANAGEMENT } from '../domain/scopes.ts';
import { ErrorAnswer } from './answers/error.ts';
import { API_VERSION } from './checks/headers.ts';
import { type ErrorId, statusOfError } from './errors.ts';
import { webhooks } from './openapi-parts.ts';
import { type Audience, Schemas } from './openapi-schemas.ts';
import { MANAGEMENT_TAGS, PARAMETERS as PARAMETER_WORDS, TAGS } from './openapi-words.ts';
import { isForUsers, OWN, type Route } from './route.ts';

type Json = { readonly [name: string]: unknown };

const JSON_TYPE = 'application/json';
const ALWAYS: readonly ErrorId[] = ['UnsupportedApiVersion', 'InternalError', 'ServiceUnavailable'];
const GUARDED: readonly ErrorId[] = ['Unauthorized', 'TooManyRequests'];
const WITH_BODY: readonly ErrorId[] = [
  'MalformedJson',
  'ConflictingIdempotencyKeys',
  'PayloadTooLarge',
  'UnsupportedMediaType',
];

/** The errors that an operation can answer: the common ones, and those that the route names. */
export function errorsOf({ scope, bodyKind, readsQuery, description: { errors, request } }: Route): readonly ErrorId[] {
  const guarded = scope === 'public' ? [] : GUARDED;
  const forbidden: readonly ErrorId[] = isOpen(scope) || scope === 'clientToken' ? [] : ['InsufficientScope'];
  const conflicting: readonly ErrorId[] = scope === 'clientToken' ? ['ConflictingCredentials'] : [];
  const missing: readonly ErrorId[] = 'params' in request.shape ? ['NotFound'] : [];
  const users = usersErrors(scope, bodyKind);
  const written: readonly ErrorId[] = bodyKind === 'none' ? [] : WITH_BODY;
  const safe: readonly ErrorId[] = bodyKind === 'json' ? ['CardNumberNotAllowed'] : [];
  const validated: readonly ErrorId[] = bodyKind === 'json' || readsQuery ? ['RequestValidationError'] : [];
  return [
    ...new Set([
      ...ALWAYS,
      ...guarded,
      ...forbidden,
      ...users,
      ...conflicting,
      ...missing,
      ...written,
      ...safe,
      ...validated,
      ...errors,
    ]),
  ];
}

/** No credentials are asked. */
const isOpen = (scope: Route['scope']): boolean => scope === 'public' || scope === 'visitor';

function usersErrors(scope: Route['scope'], bodyKind: Route['bodyKind']): readonly ErrorId[] {
  if (scope === 'visitor') return ['CrossSiteRequest'];
  if (!isForUsers(scope)) return [];
  const changing: readonly ErrorId[] = bodyKind === 'none' ? [] : ['CrossSiteRequest'];
  const enrolled: readonly ErrorId[] = scope.enrolling === true ? changing : [...changing, 'TwoFactorNeeded'];
  return scope.confirmed ? [...enrolled, 'PasswordNeeded'] : enrolled;
}

/** Markdown: it is the first page of the API reference. */
const DESCRIPTION = `Event-sourced payments: sessions, payments, payment instruments.

[The first payment](/docs/first-payment) makes one with these calls, [the checkout](/docs/checkout) puts the card form on your page, and [testing](/docs/testing) has the test cards. [The Node client](/docs/node-client) and [the Python client](/docs/python-client) make these calls with types and safe retries; [/openapi.json](/openapi.json) is this description as a file.

- **Credentials.** A merchant's backend sends \`X-Api-Key\`; each operation names the scope that the key needs. A customer's browser sends the \`X-Client-Token\` of its session, and no key.
- **Amounts** are integers in minor units: 5490 of EUR is 54.90.
- **Repeated safely.** A POST, PATCH or DELETE that is repeated with its \`X-Idempotency-Key\` finds the effect of the first one.
- **A declined payment is an answer**, 200 with \`status: "DECLINED"\`. An outcome that is not known is a 202, never a failure.
- **Errors** are \`{"error": {"errorId", "description", "diagnosticsId"}}\`; the diagnostics id is the request's in the log.
- **Closed bodies.** An unknown member is refused. In the body of a POST a null member counts as absent, except inside metadata.
- **Large bodies.** A body has at most 256 KiB, and 512 KiB where it holds the fields of a session. All fields of a session together have at most 512 KiB of JSON: 500 line items of about 1,000 bytes each.`;

const MANAGEMENT_DESCRIPTION = `Counterfoil, managed by programs: API keys, webhook endpoints, users and the name of an account.

[The guide](/docs/management) shows each call. [The API of payments](/docs/api) has a description of its own.

- **Credentials.** A management key in \`X-Api-Key\`, created with \`counterfoil keys create --management\`, or in the dashboard by an owner. It opens no other route, and no other key opens these.
- **Limits.** It gives keys and users at most the scopes that it may grant. It can neither create nor change owners, management keys and the sandbox's key.
- **Repeated safely.** A POST, PATCH or DELETE that is repeated with its \`X-Idempotency-Key\` finds the effect of the first one, and shows the same secret again. Keys belong to the management key.
- **Secrets** are in the response that creates them, and in no other.
- **Every change is an event**, with the management key as its actor.`;

/** The whole document, as JSON text. */
export function openapi(routes: readonly Route[], audience: Audience = 'merchants'): string {
  const schemas = new Schemas(audience);
  schemas.add(ErrorAnswer, 'output');
  // A shape that a POST and another request share has its own name in the POST.
  for (const { method, description } of routes) {
    const { body } = description.request.shape;
    if (method === 'POST' && isSchema(body)) schemas.add(body, 'post');
  }
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes.filter(({ description }) => description.leadsTo === undefined)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: audience === 'management' ? 'Counterfoil management' : 'Counterfoil',
      version: API_VERSION,
      description: audience === 'management' ? MANAGEMENT_DESCRIPTION : DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      contact: { name: 'The maintainers of Counterfoil' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ description }) => description.tag))]
      .toSorted()
      .map((name) => ({ name, description: (audience === 'management' ? MANAGEMENT_TAGS : TAGS)[name] })),
    paths,
    ...(audience !== 'management' && { webhooks: webhooks(schemas) }),
    components: {
      schemas: schemas.all(),
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: audience === 'management' ? MANAGEMENT_SECURITY : SECURITY,
    },
  });
}

function operation(route: Route, schemas: Schemas): Json {
  const { description, scope, keyInPath } = route;
  const { query, params } = description.request.shape;
  return {
    operationId: description.id,
    summary: description.summary,
    description: keyInPath ? `The token in the path acts as an API key with the scope \`${scope}\`.` : access(scope),
    tags: [description.tag],
    security: keyInPath ? [] : securityOf(scope),
    ...markOf(scope),
    parameters: [
      ...parameters('path', params, schemas),
      ...parameters('query', query, schemas),
      ...headerParameters(route),
    ],
    ...(route.bodyKind !== 'none' && { requestBody: requestBody(route, schemas) }),
    responses: { ...successes(route, schemas), ...failures(route) },
  };
}

function access(scope: Route['scope']): string {
  if (isOpen(scope)) return 'Needs no API key.';
  if (isForUsers(scope)) return `Needs a session of a user with the role ${scope.roles.join(' or ')}.`;
  if (scope === MANAGEMENT) return 'Needs a management key.';
  return scope === 'clientToken'
    ? 'Needs the client token of the session.'
    : `Needs an API key with the scope \`${scope}\`.`;
}

function securityOf(scope: Route['scope']): readonly Json[] {
  if (isOpen(scope)) return [];
  if (isForUsers(scope)) return [{ session: [] }];
  return scope === 'clientToken' ? [{ clientToken: [] }] : [{ apiKey: [] }];
}

/** The needed scope or roles, for programs that read the description. */
function markOf(scope: Route['scope']): Json {
  if (isOpen(scope) || scope === 'clientToken' || scope === MANAGEMENT) return {};
  return isForUsers(scope) ? { 'x-roles': scope.roles } : { 'x-scope': scope };
}

interface Part {
  readonly properties?: { readonly [name: string]: Json };
  readonly required?: readonly string[];
}

function parameters(place: 'path' | 'query', schema: unknown, schemas: Schemas): readonly Json[] {
  if (!isSchema(schema)) return [];
  const { properties = {}, required = [] }: Part = schemas.inline(schema);
  return Object.entries(properties).map(([name, of]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    description: ownWords(schema, name) ?? PARAMETER_WORDS[name] ?? of['description'],
    schema: of,
    // Lists may be comma-separated or repeated; this is the form that generated clients send.
    ...(place === 'query' && of['type'] === 'array' && { style: 'form', explode: false }),
  }));
}

const ownWords = (schema: z.ZodType, name: string): string | undefined => {
  const member: unknown = schema instanceof z.ZodObject ? schema.shape[name] : undefined;
  return member instanceof z.ZodType ? member.meta()?.description : undefined;
};

const isSchema = (value: unknown): value is z.ZodType => typeof value === 'object' && value !== null && '_zod' in value;

const reference = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** A PUT does the same however often it comes, and remembers no key (contract §6). */
const isReplayed = ({ bodyKind, method }: Pick<Route, 'bodyKind' | 'method'>): boolean =>
  bodyKind !== 'none' && method !== 'PUT';

function headerParameters(route: Route): readonly Json[] {
  const {
    scope,
    bodyKind,
    method,
    path,
    isByRevision,
    description: { errors = [] },
  } = route;
  if (scope === 'public') return [];
  const names = ['RequestId', 'ApiVersion'];
  if (isReplayed({ bodyKind, method })) names.push('IdempotencyKey');
  if (errors.includes('PreconditionFailed')) names.push('IfMatch');
  if (isByRevision) names.push('IfNoneMatch');
  if (path.startsWith('/webhooks/')) names.push('SandboxSignature');
  return names.map((name) => reference('parameters', name));
}

function requestBody(route: Route, schemas: Schemas): Json {
  const { bodyKind, description } = route;
  const { body } = description.request.shape;
  const example = description.example?.body;
  const schema =
    bodyKind === 'raw' || !isSchema(body)
      ? { type: 'object' }
      : schemas.add(body, route.method === 'POST' ? 'post' : 'input');
  // An absent body is `{}`, so it is required only where `{}` would be refused.
  const required = isSchema(body) && !body.safeParse({}).success;
  return {
    required,
    content: { [JSON_TYPE]: { schema, ...(example !== undefined && { example: shownBody(example) }) } },
  };
}

/** The formats of tokens, by the members that hold them. */
const TOKENS: { readonly [member: string]: string } = {
  clientToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjc18xIn0.c2lnbmF0dXJl',
  paymentMethodToken: 'pm_3nQX7bM2tGzKc9RwVfYhJe',
  paymentId: 'pay_7Hq2LmXc4VbN9sKdTfWzRy',
  textDigest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  resumeToken: 'res_9f2c41d0a7b35e6840c1d2e3f4a5b6c7d8e9f00112233445566778899aabbccd',
};
const shownBody = (body: object): Json =>
  Object.fromEntries(Object.entries(body).map(([member, value]) => [member, value === OWN ? TOKENS[member] : value]));

function successes(
  { scope, bodyKind, method, isByRevision, description: { answer, accepts, contentType } }: Route,
  schemas: Schemas,
): Json {
  if (contentType !== undefined)
    return { 200: { description: 'OK', content: { [contentType]: { schema: { type: 'string' } } } } };
  if (answer === undefined) return { 200: { description: 'OK', content: { [JSON_TYPE]: {} } } };
  const content = { [JSON_TYPE]: { schema: schemas.add(answer, 'output') } };
  const names = [
    'X-Request-Id',
    ...(scope === 'public' ? [] : ['ETag', ...RATE]),
    ...(isReplayed({ bodyKind, method }) ? ['Idempotent-Replayed'] : []),
  ];
  const headers = Object.fromEntries(names.map((name) => [name, reference('headers', name)]));
  return {
    200: { description: 'OK', headers, content },
    ...(isByRevision && { 304: { description: 'The caller has this version.' } }),
    ...(accepts && { 202: { description: 'Accepted: the outcome is not known yet.', headers, content } }),
  };
}

const RETRYABLE: ReadonlySet<number> = new Set([409, 429, 503]);

/** Every response to a caller who is counted shows the remaining requests. */
const RATE: readonly string[] = ['RateLimit', 'RateLimit-Policy'];

function failures(route: Route): Json {
  const byStatus = new Map<number, ErrorId[]>();
  for (const errorId of errorsOf(route))
    byStatus.set(statusOfError(errorId), [...(byStatus.get(statusOfError(errorId)) ?? []), errorId]);
  return Object.fromEntries(
    [...byStatus].map(([status, ids]) => [
      status,
      {
        description: ids.join(' · '),
        headers: {
          'X-Request-Id': reference('headers', 'X-Request-Id'),
          ...(RETRYABLE.has(status) && { 'Retry-After': reference('headers', 'Retry-After') }),
          ...(status === 429 && Object.fromEntries(RATE.map((name) => [name, reference('headers', name)]))),
        },
        content: { [JSON_TYPE]: { schema: reference('schemas', 'Error') } },
      },
    ]),
  );
}

const text = (minLength: number, maxLength: number): Json => ({ type: 'string', minLength, maxLength });

const PARAMETERS: Json = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    schema: { ...text(1, 128), pattern: '^[A-Za-z0-9._-]+$' },
    description: 'Generated if absent.',
  },
  ApiVersion: { name: 'X-Api-Version', in: 'header', schema: { const: API_VERSION }, description: 'Absent means 1.0.' },
  IdempotencyKey: {
    name: 'X-Idempotency-Key',
    in: 'header',
    schema: text(1, 255),
    description:
      'Repeating a request with the same key returns the first response. `Idempotency-Key` is the same header.',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    schema: { type: 'string' },
    description: 'An ETag: the resource changes only if it still has this version.',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    schema: { type: 'string' },
    description: 'An ETag: the response is 304 without a body if the resource still has this version.',
  },
  SandboxSignature: {
    name: 'X-Sandbox-Signature',
    in: 'header',
    schema: { type: 'string', pattern: '^t=[0-9]+,v1=[0-9a-f]{64}$' },
    description:
      'For the sandbox: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`. Other processors have their own signatures.',
  },
};

const header = (description: string, type = 'string'): Json => ({ description, schema: { type } });
const HEADERS: Json = {
  'X-Request-Id': header('The id of the request, and the diagnosticsId of an error.'),
  ETag: header('The revision of the resource, in quotes.'),
  'Idempotent-Replayed': header('`true` if the response is from an earlier call with the same idempotency key.'),
  'Retry-After': header('Seconds.', 'integer'),
  RateLimit: header(
    'The caller’s remaining requests on this node: `"default";r=<left>;t=<seconds until it is full again>`.',
  ),
  'RateLimit-Policy': header(
    'The allowed number of requests in a number of seconds: `"default";q=<requests>;w=<seconds>`.',
  ),
};
const MANAGEMENT_SECURITY: Json = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'A management key of the account.' },
};
const SECURITY: Json = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'A key of the account, with the scope that the operation names.',
  },
  clientToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Client-Token',
    description: 'The client token of a session; for browsers.',
  },
};
