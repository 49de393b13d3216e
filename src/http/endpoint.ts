// Everything between the router and a command, in the order of contract §1, as one function a route.
import type { z } from 'zod';
import type { KeyHolder, SessionHolder } from '../commands/authenticate.ts';
import type { Caller } from '../commands/caller.ts';
import type { FrameService } from './api-service.ts';
import type { Refusal } from './errors.ts';
import { type Exchange, send, sendJson, sendRefusal } from './exchange.ts';
import { checkApiVersion } from './middleware/api-version.ts';
import { type Body, checkBodyHeaders, NO_BODY, parseJson, readText } from './middleware/body.ts';
import { bodyFaults } from './middleware/body-safety.ts';
import { checkConflict, keyHolder, sessionHolder } from './middleware/credentials.ts';
import { idempotencyKey, idempotencyKeyFault } from './middleware/idempotency-key.ts';
import { entityTag, ifMatch } from './middleware/if-match.ts';
import type { RateLimit } from './middleware/rate-limit.ts';
import { checkScope } from './middleware/scope.ts';
import { parseQuery } from './query.ts';
import type { Call, Handled, Route } from './route.ts';

export interface Frame {
  readonly service: FrameService;
  /** Undefined: off. */
  readonly rateLimit: RateLimit | undefined;
}

type Holder = KeyHolder | SessionHolder;

/** Public routes have no caller; this one stands in where the type wants one, and no operation ever sees it. */
const NOBODY: Caller = { accountId: '', actor: { kind: 'operator', id: '' }, at: 0, requestId: '', scopes: new Set(), address: '' };

/** The handler that the router mounts for a route. */
export function endpoint(route: Route, frame: Frame): (ctx: Exchange) => Promise<void> {
  const answer = route.scope === 'public' ? publicAnswer : guardedAnswer;
  return async function handleRoute(ctx) {
    ctx.state.route = route;
    respond(ctx, route, await answer(ctx, route, frame));
  };
}

function respond(ctx: Exchange, route: Route, handled: Handled): void {
  if (handled.kind === 'rejected') sendRefusal(ctx, handled, route.model);
  else if (handled.kind === 'content') send(ctx, 200, handled.content, handled.headers);
  else {
    const headers: string[] = [];
    if (handled.revision !== undefined) headers.push('ETag', entityTag(handled.revision));
    if (handled.replayed === true) headers.push('Idempotent-Replayed', 'true');
    sendJson(ctx, handled.status, JSON.stringify(handled.body), headers);
  }
}

/** Nothing is asked of who calls, and a body is not read. */
async function publicAnswer(ctx: Exchange, route: Route): Promise<Handled> {
  const { headers } = ctx.req;
  return (
    checkApiVersion(headers['x-api-version']) ?? route.run({ params: paramsOf(ctx), query: {}, body: {} }, [], callOf(ctx, NOBODY, ''))
  );
}

async function guardedAnswer(ctx: Exchange, route: Route, { service, rateLimit }: Frame): Promise<Handled> {
  const { headers } = ctx.req;
  const refused = checkApiVersion(headers['x-api-version']) ?? (route.scope === 'clientToken' ? checkConflict(headers) : undefined);
  if (refused !== undefined) return refused;
  const key = route.bodyKind === 'none' ? undefined : idempotencyKey(ctx.req);
  if (typeof key === 'object') return key;

  const at = service.world.now();
  const pending = identify(route, service, headers, at);
  const holder = pending instanceof Promise ? await pending : pending;
  if ('kind' in holder) return holder;
  const forbidden =
    'keyId' in holder && route.scope !== 'clientToken' && route.scope !== 'public' ? checkScope(holder, route.scope) : undefined;
  if (forbidden !== undefined) return forbidden;
  if (rateLimit !== undefined) {
    const counted = await rateLimit.count('keyId' in holder ? holder.keyId : holder.sessionId);
    ctx.state.headers = [...ctx.state.headers, ...counted.headers];
    if (counted.refusal !== undefined) return counted.refusal;
  }

  const body = route.bodyKind === 'none' ? NO_BODY : await readBody(ctx, route);
  if ('kind' in body) return body;
  const faults = route.bodyKind === 'json' ? bodyFaults(body, route.cardAt) : [];
  const fault = key === undefined ? undefined : idempotencyKeyFault(key);
  const caller = callerOf(ctx, route, holder, at, key, body);
  const query = route.readsQuery ? parseQuery(ctx.querystring) : {};
  const raw = { params: paramsOf(ctx), query, body: body.value };
  return route.run(raw, fault === undefined ? faults : [...faults, keyIssue(fault)], callOf(ctx, caller, body.text));
}

const identify = (route: Route, { authentication }: FrameService, headers: Exchange['req']['headers'], at: number) =>
  route.scope === 'clientToken'
    ? sessionHolder(authentication, headers['x-client-token'], at)
    : keyHolder(authentication, headers['x-api-key'], at);

async function readBody(ctx: Exchange, route: Route): Promise<Body | Refusal> {
  const refused = checkBodyHeaders(ctx);
  if (refused !== undefined) return refused;
  const text = await readText(ctx);
  if (typeof text !== 'string') return text;
  return route.bodyKind === 'raw' ? { text, value: undefined } : parseJson(text);
}

const keyIssue = (message: string): z.core.$ZodIssue => ({
  code: 'custom',
  input: undefined,
  path: ['headers', 'X-Idempotency-Key'],
  message,
});

function callerOf(ctx: Exchange, route: Route, holder: Holder, at: number, key: string | undefined, body: Body): Caller {
  const common = { at, requestId: ctx.state.requestId, address: ctx.req.socket.remoteAddress ?? '', accountId: holder.accountId };
  const idempotency = key === undefined ? undefined : { idempotency: { key, request: fingerprinted(ctx, route, body) } };
  if ('keyId' in holder) return { ...common, actor: { kind: 'apiKey', id: holder.keyId }, scopes: holder.scopes, ...idempotency };
  const { sessionId } = holder;
  return { ...common, actor: { kind: 'checkout', id: sessionId }, scopes: NOBODY.scopes, sessionId, ...idempotency };
}

/** What an idempotency key's fingerprint is over (contract §6). */
const fingerprinted = ({ method, path }: Exchange, { fingerprint }: Route, { text, value }: Body): string =>
  `${method}\n${path}\n${fingerprint === undefined ? text : fingerprint(value)}`;

const callOf = (ctx: Exchange, caller: Caller, text: string): Call => ({
  caller,
  ifMatch: ifMatch(ctx.req.headers['if-match']),
  headers: ctx.req.headers,
  text,
});

/** The router puts a path's parameters on the context. */
const paramsOf = (ctx: Exchange): unknown => ('params' in ctx ? ctx['params'] : {});
