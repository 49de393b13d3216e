// A route as the router mounts it: the middleware in the order of contract §1, and the operation at their end.
import compose from 'koa-compose';
import type { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { World } from '../world.ts';
import { API_VERSION, hasRevision, ifMatch, WRONG_API_VERSION } from './checks/headers.ts';
import {
  type Admitted,
  type Body,
  type Exchange,
  type Next,
  type Routed,
  send,
  sendJson,
  sendPieces,
  sendRefusal,
  sendUnmodified,
} from './exchange.ts';
import { goneSignal, type LongWork, partyOf } from './long-work.ts';
import {
  admitVisitor,
  authenticate,
  authenticateUser,
  type BrowserChecks,
  type Credentials,
} from './middleware/authenticate.ts';
import { bodyFaults, readBody, VISITOR_BODY_BYTES } from './middleware/body.ts';
import { parseQuery, queryFaults } from './request-parts.ts';
import { type Handled, type HandlerCall, isForUsers, type Route } from './route.ts';

interface Frame {
  readonly credentials: Credentials;
  readonly world: Pick<World, 'now' | 'steady' | 'monotonic'>;
  /** The browser checks of the dashboard's routes. */
  readonly browserChecks: BrowserChecks;
  /** Counts the requests of known callers; undefined: off. */
  readonly rateLimit: RouteMiddleware | undefined;
  /** The limit for visitors, by their address. */
  readonly visitorLimit: RouteMiddleware | undefined;
  readonly addressOf: (request: Exchange['req']) => string;
  readonly longWork: LongWork;
}
type RouteMiddleware = (ctx: Routed, next: Next) => unknown;

const NO_SCOPES: ReadonlySet<string> = new Set();
const NO_FAULTS: readonly z.core.$ZodIssue[] = [];
const NOTHING: object = {};
const REDIRECT_HEADERS: readonly string[] = ['Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff'];
/** Public routes have no caller. This one stands in where the type needs a caller; no operation ever sees it. */
const NOBODY: Caller = {
  accountId: '',
  actor: { kind: 'operator', id: '' },
  at: 0,
  requestId: '',
  scopes: NO_SCOPES,
  address: '',
};

/**
 * The middleware that the router mounts for a route: each layer either responds, or passes the request to the next.
 * They are composed once, because a router composes all its layers again for each request.
 */
export function endpoint(
  route: Route,
  { credentials, world, browserChecks, rateLimit, visitorLimit, addressOf, longWork }: Frame,
): RouteMiddleware {
  if (route.scope === 'public') return (ctx) => answerPublic(ctx, route);
  if (route.scope === 'visitor') {
    const answer: RouteMiddleware = (ctx) => answerVisitor(ctx, route, addressOf, world);
    return compose<Routed>([
      admitVisitor(route, browserChecks),
      ...(visitorLimit === undefined ? [] : [visitorLimit]),
      ...(route.bodyKind === 'none' ? [] : [readBody(route.bodyKind, route.model, VISITOR_BODY_BYTES)]),
      answer,
    ]);
  }
  return compose<Routed>([
    isForUsers(route.scope)
      ? authenticateUser(route, route.scope, credentials, browserChecks, world)
      : authenticate(route, route.scope, credentials, world),
    ...(rateLimit === undefined ? [] : [rateLimit]),
    ...(route.bodyKind === 'none' ? [] : [readBody(route.bodyKind, route.model, route.mostBodyBytes)]),
    answerCaller(route, addressOf, longWork),
  ]);
}

function respond(ctx: Exchange, route: Route, handled: Handled): void {
  ctx.state.handled = handled;
  if (handled.kind === 'rejected') sendRefusal(ctx, handled, route.model);
  else if (handled.kind === 'content') send(ctx, 200, handled.content, handled.headers);
  else if (handled.kind === 'streamed') sendPieces(ctx, handled.pieces, handled.headers);
  else if (handled.kind === 'redirect') send(ctx, 302, '', ['Location', handled.location, ...REDIRECT_HEADERS]);
  else {
    const headers: string[] = [];
    if (handled.revision !== undefined) headers.push('ETag', `"${handled.revision}"`);
    if (handled.replayed === true) headers.push('Idempotent-Replayed', 'true');
    if (handled.headers !== undefined) headers.push(...handled.headers);
    const { revision, isOfNow } = handled;
    const isByRevision = route.isByRevision && isOfNow !== true;
    if (isByRevision && revision !== undefined && hasRevision(ctx.req.headers['if-none-match'], revision))
      sendUnmodified(ctx, headers);
    else sendJson(ctx, handled.status, handled.text ?? JSON.stringify(handled.body), headers);
  }
}

/** The caller is not asked for credentials, and a body is not read. */
async function answerPublic(ctx: Routed, route: Route): Promise<void> {
  ctx.state.route = route;
  const version = ctx.req.headers['x-api-version'];
  if (version !== undefined && version !== API_VERSION) return sendRefusal(ctx, WRONG_API_VERSION, route.model);
  const raw = { params: ctx.params, query: NOTHING, body: NOTHING };
  respond(ctx, route, await route.run(raw, NO_FAULTS, callOf(ctx, NOBODY, undefined, '')));
}

/** Serves a visitor, of whom only the address is known; the operation knows the result of the sign-in. */
async function answerVisitor(
  ctx: Routed,
  route: Route,
  addressOf: Frame['addressOf'],
  world: Frame['world'],
): Promise<void> {
  const { body, requestId } = ctx.state;
  const raw = { params: ctx.params, query: NOTHING, body: body.value };
  const caller: Caller = {
    ...NOBODY,
    actor: { kind: 'user', id: '' },
    at: world.now(),
    requestId,
    address: addressOf(ctx.req),
  };
  const call = { ...callOf(ctx, caller, undefined, body.text), signal: goneSignal(ctx) };
  respond(ctx, route, await route.run(raw, faultsOf(ctx, route, body), call));
}

const answerCaller =
  (route: Route, addressOf: Frame['addressOf'], longWork: LongWork) =>
  async (ctx: Routed): Promise<void> => {
    const { asked, body } = ctx.state;
    if (asked === undefined) throw new TypeError(`${route.path} was reached by an unknown caller`);
    const hasQuery = route.readsQuery && ctx.querystring !== '';
    const query: object = hasQuery ? parseQuery(ctx.querystring, route.lists) : NOTHING;
    const raw = { params: ctx.params, query, body: body.value };
    const { idempotencyKey: key } = asked;
    const idempotency = key === undefined ? undefined : { key, request: fingerprinted(ctx, route, body) };
    const user = 'userId' in asked.holder ? asked.holder : undefined;
    const call = callOf(ctx, callerOf(ctx, asked, addressOf(ctx.req), idempotency), user, body.text);
    const isLong = route.isLong?.(query) === true;
    if (user === undefined && !isLong)
      return respond(ctx, route, await route.run(raw, faultsOf(ctx, route, body), call));
    const signal = goneSignal(ctx);
    const run = () => route.run(raw, faultsOf(ctx, route, body), { ...call, signal });
    respond(ctx, route, isLong ? await longWork.run({ party: partyOf(asked), signal }, run) : await run());
  };

/** Faults besides the schema's own findings. */
function faultsOf(ctx: Exchange, { bodyKind, cardAt, readsQuery }: Route, body: Body): readonly z.core.$ZodIssue[] {
  const inBody = bodyKind === 'json' ? bodyFaults(body, cardAt) : NO_FAULTS;
  const inQuery = readsQuery && ctx.querystring !== '' ? queryFaults(ctx.querystring) : NO_FAULTS;
  return inQuery.length === 0 ? inBody : [...inBody, ...inQuery];
}

// Written out member by member: this runs on every request, and copying objects by spreading showed in its profile.
function callerOf(
  ctx: Exchange,
  { holder, at }: Admitted,
  address: string,
  idempotency: Caller['idempotency'],
): Caller {
  const { requestId } = ctx.state;
  const { accountId } = holder;
  if ('keyId' in holder) {
    const { keyId, scopes } = holder;
    const actor = { kind: 'apiKey', id: keyId } as const;
    if (idempotency === undefined) return { accountId, actor, at, requestId, scopes, address };
    return { accountId, actor, at, requestId, scopes, address, idempotency };
  }
  if ('userId' in holder) {
    const caller: Caller = {
      accountId,
      actor: { kind: 'user', id: holder.userId },
      at,
      requestId,
      scopes: NO_SCOPES,
      address,
    };
    return idempotency === undefined ? caller : { ...caller, idempotency };
  }
  const { sessionId } = holder;
  const actor = { kind: 'checkout', id: sessionId } as const;
  if (idempotency === undefined) return { accountId, actor, at, requestId, scopes: NO_SCOPES, address, sessionId };
  return { accountId, actor, at, requestId, scopes: NO_SCOPES, address, sessionId, idempotency };
}

/** The text that an idempotency key's fingerprint is made of (contract §6). */
const fingerprinted = ({ method, path }: Exchange, { fingerprint }: Route, { text, value }: Body): string =>
  `${method}\n${path}\n${fingerprint === undefined ? text : fingerprint(value)}`;

const callOf = (ctx: Exchange, caller: Caller, user: HandlerCall['user'], text: string): HandlerCall => ({
  caller,
  user,
  ifMatch: ifMatch(ctx.req.headers['if-match']),
  headers: ctx.req.headers,
  text,
});
