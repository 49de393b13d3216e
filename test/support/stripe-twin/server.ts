// One request from its arrival to its response: faults before and after it, and its webhooks.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { execute, type Reply, type Serving } from './execution.ts';
import type { Faults, SeenRequest, Struck } from './faults.ts';
import { decodeForm } from './form.ts';
import type { Webhooks } from './webhooks.ts';

/** `nothing`: the socket is reset. `silence`: it stays open without a response. */
type Outcome = Reply | 'nothing' | 'silence';

export interface Answering extends Serving {
  readonly faults: Faults;
  readonly webhooks: Webhooks;
}

/** Browsers of any page may call the twin, as they may call Stripe. */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, Stripe-Version',
  'Access-Control-Expose-Headers': 'Request-Id',
};
const JSON_TYPE = { 'Content-Type': 'application/json' };
const BAD_GATEWAY: Reply = {
  status: 502,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
};

/** Responds to a request of the API. */
export async function serveApi(
  answering: Answering,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { engine, faults, webhooks } = answering;
  const { method = 'GET', headers } = request;
  if (method === 'OPTIONS') {
    response.writeHead(204, CORS).end();
    return;
  }
  const body = await bodyOf(request);
  const url = new URL(request.url ?? '/', 'http://twin');
  const { 'idempotency-key': key, 'stripe-version': version } = headers;
  const seen: SeenRequest = {
    method,
    path: url.pathname,
    form: decodeForm(method === 'GET' ? url.search : body),
    key: method === 'POST' && typeof key === 'string' ? key : undefined,
  };
  const requestId = engine.newId('req');
  const struck = faults.take(seen);
  await struck?.hold('arrival', seen);
  const known = struck === undefined ? undefined : instead(struck);
  const reply =
    known ??
    (await execute(answering, {
      seen,
      requestId,
      authorization: headers.authorization ?? '',
      version: typeof version === 'string' ? version : undefined,
      struck,
    }));
  const outcome = struck === undefined || reply === 'nothing' || reply === 'silence' ? reply : distorted(struck, reply);
  await webhooks.flush('before');
  // Webhooks do not wait for a response that a fault delays or loses.
  if (struck !== undefined) void webhooks.flush('after');
  await struck?.hold('response', seen);
  if (outcome === 'nothing') request.socket.resetAndDestroy();
  else if (outcome !== 'silence' && !response.destroyed) {
    const ended = Promise.race([once(response, 'finish'), once(response, 'close')]);
    response.writeHead(outcome.status, { ...CORS, 'Request-Id': requestId, ...JSON_TYPE, ...outcome.headers });
    response.end(outcome.body);
    await ended;
  }
  struck?.over(seen);
  void webhooks.flush('after');
}

/** What is answered without any effect. */
function instead(struck: Struck): Outcome | undefined {
  const { fault } = struck;
  if (fault.kind === 'rate_limit') {
    const error = { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' };
    return { status: 429, headers: { 'Stripe-Rate-Limited-Reason': 'global-rate' }, body: JSON.stringify({ error }) };
  }
  return struck.isLost('none') ? lost(struck) : undefined;
}

/** The outcome of a request whose effect is done. */
function distorted(struck: Struck, reply: Reply): Outcome {
  const { fault } = struck;
  if (fault.kind === 'truncated') return { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) };
  if (fault.kind === 'altered')
    return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), ...fault.members }) };
  return struck.isLost('done') ? (lost(struck) ?? reply) : reply;
}

function lost({ fault }: Struck): Outcome | undefined {
  if (fault.kind === 'bad_gateway') return BAD_GATEWAY;
  if (fault.kind === 'reset') return 'nothing';
  if (fault.kind === 'hang') return 'silence';
  return undefined;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
