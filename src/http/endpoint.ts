// Everything between the router and a command, in the order of contract §1, as one function a route.
import type { z } from 'zod';
import type { KeyHolder, SessionHolder } from '../commands/access/authenticate.ts';
import type { Caller } from '../commands/caller.ts';
import type { World } from '../world.ts';
import { checkApiVersion } from './checks/api-version.ts';
import { bodyFaults } from './checks/body-safety.ts';
import { type Credentials, checkConflict, keyHolder, sessionHolder } from './checks/credentials.ts';
import { idempotencyKey } from './checks/idempotency-key.ts';
import { entityTag, ifMatch } from './checks/if-match.ts';
import { checkScope } from './checks/scope.ts';
import type { Refusal } from './errors.ts';
import { type Exchange, leave, send, sendJson, sendRefusal } from './exchange.ts';
import { type Body, NO_BODY, readBody } from './middleware/body.ts';
import type { RateLimit } from './middleware/rate-limit.ts';
import { parseQuery, queryFaults } from './query.ts';
import type { Access, Call, Handled, Route } from './route.ts';

export interface Frame {
  readonly authentication: Credentials;
  readonly world: Pick<World, 'now'>;
  /** Undefined: off. */
  readonly rateLimit: RateLimit | undefined;
  readonly addressOf: (request: Exchange['req']) => string;
}

type Holder = KeyHolder | SessionHolder;

const NO_SCOPES: ReadonlySet<string> = new Set();
const NO_FAULTS: readonly z.core.$ZodIssue[] = [];
const NOTHING: object = {};
const REDIRECT_HEADERS: readonly string[] = ['Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff'];
/** Public routes have no caller; this one stands in where the type wants one, and no operation ever sees it. */
const NOBODY: Caller = { accountId: '', actor: { kind: 'operator', id: '' }, at: 0, requestId: '', scopes: NO_SCOPES, address: '' };

/** The handler that the router mounts for a route. */
export function endpoint(route: Route, frame: Frame): (ctx: Exchange) => Promise<void> {
  if (route.scope === 'public') return (ctx) => answerPublic(ctx, route);
  return (ctx) => answerGuarded(ctx, route, frame);
}

function respond(ctx: Exchange, route: Route, handled: Handled): void {
  if (handled.kind === 'rejected') sendRefusal(ctx, handled, route.model);
  else if (handled.kind === 'content') send(ctx, 200, handled.content, handled.headers);
  else if (handled.kind === 'redirect') send(ctx, 302, '', ['Location', handled.location, ...REDIRECT_HEADERS]);
  else {
    const headers: string[] = [];
    if (handled.revision !== undefined) headers.push('ETag', entityTag(handled.revision));
    if (handled.replayed === true) headers.push('Idempotent-Replayed', 'true');
    sendJson(ctx, handled.status, handled.text ?? JSON.stringify(handled.body), headers);
  }
}

/** Nothing is asked of who calls, and a body is not read. */
async function answerPublic(ctx: Exchange, route: Route): Promise<void> {
  ctx.state.route = route;
  const refused = checkApiVersion(ctx.req.headers['x-api-version']);
  const raw = { params: paramsOf(ctx), query: NOTHING, body: NOTHING };
  respond(ctx, route, refused ?? (await route.run(raw, NO_FAULTS, callOf(ctx, NOBODY, ''))));
}

/** The order of contract §1: each check either refuses, or lets the request go on to the next. */
async function answerGuarded(ctx: Exchange, route: Route, { authentication, world, rateLimit, addressOf }: Frame): Promise<void> {
  ctx.state.route = route;
  const refuse = (refusal: Refusal): void => sendRefusal(ctx, refusal, route.model);
  const { headers } = ctx.req;
  const header = checkApiVersion(headers['x-api-version']) ?? (route.scope === 'clientToken' ? checkConflict(headers) : undefined);
  if (header !== undefined) return refuse(header);
  const key = route.bodyKind === 'none' ? undefined : idempotencyKey(ctx.req);
  if (typeof key === 'object') return refuse(key);

  const at = world.now();
  const identified = identify(route, authentication, headers, at);
  const holder = identified instanceof Promise ? await identified : identified;
  if ('kind' in holder) return refuse(holder);
  const forbidden = 'keyId' in holder ? checkAccess(holder, route.scope) : undefined;
  if (forbidden !== undefined) return refuse(forbidden);
  const exceeded = rateLimit === undefined ? undefined : await countRequest(ctx, rateLimit, holder);
  if (exceeded !== undefined) return refuse(exceeded);

  const body = route.bodyKind === 'none' ? NO_BODY : await readBody(ctx, route.bodyKind);
  if (body === 'gone') return leave(ctx);
  if ('kind' in body) return refuse(body);
  const raw = { params: paramsOf(ctx), query: route.readsQuery ? parseQuery(ctx.querystring, route.lists) : NOTHING, body: body.value };
  const call = callOf(
    ctx,
    callerOf(ctx, holder, at, addressOf(ctx.req), key === undefined ? undefined : { key, request: fingerprinted(ctx, route, body) }),
    body.text,
  );
  respond(ctx, route, await route.run(raw, faultsOf(ctx, route, body), call));
}

const identify = (route: Route, authentication: Credentials, headers: Exchange['req']['headers'], at: number) =>
  route.scope === 'clientToken'
    ? sessionHolder(authentication, headers['x-client-token'], at)
    : keyHolder(authentication, headers['x-api-key'], at);

const checkAccess = (holder: KeyHolder, access: Access): Refusal | undefined =>
  access === 'public' || access === 'clientToken' ? undefined : checkScope(holder, access);

async function countRequest({ state }: Exchange, rateLimit: RateLimit, holder: Holder): Promise<Refusal | undefined> {
  const { headers, refusal } = await rateLimit.count('keyId' in holder ? holder.keyId : holder.sessionId);
  state.headers = [...state.headers, ...headers];
  return refusal;
}

/** What is wrong besides the schema's own findings. */
function faultsOf(ctx: Exchange, { bodyKind, cardAt, readsQuery }: Route, body: Body): readonly z.core.$ZodIssue[] {
  const inBody = bodyKind === 'json' ? bodyFaults(body, cardAt) : NO_FAULTS;
  const inQuery = readsQuery ? queryFaults(ctx.querystring) : NO_FAULTS;
  return inQuery.length === 0 ? inBody : [...inBody, ...inQuery];
}

// Written out member by member: this runs on every request, and copying objects by spreading showed in its profile.
function callerOf(ctx: Exchange, holder: Holder, at: number, address: string, idempotency: Caller['idempotency']): Caller {
  const { requestId } = ctx.state;
  const { accountId } = holder;
  if ('keyId' in holder) {
    const { keyId, scopes } = holder;
    const actor = { kind: 'apiKey', id: keyId } as const;
    if (idempotency === undefined) return { accountId, actor, at, requestId, scopes, address };
    return { accountId, actor, at, requestId, scopes, address, idempotency };
  }
  const { sessionId } = holder;
  const actor = { kind: 'checkout', id: sessionId } as const;
  if (idempotency === undefined) return { accountId, actor, at, requestId, scopes: NO_SCOPES, address, sessionId };
  return { accountId, actor, at, requestId, scopes: NO_SCOPES, address, sessionId, idempotency };
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
