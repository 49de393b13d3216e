// The Koa application: router, one frame around every request, and answers for what no route takes.
import Router from '@koa/router';
import Koa from 'koa';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import type { World } from '../world.ts';
import { type AccessLog, accessLog } from './access-log.ts';
import { clientAddress } from './checks/client-address.ts';
import type { Credentials } from './checks/credentials.ts';
import { requestIds } from './checks/request-id.ts';
import { endpoint } from './endpoint.ts';
import { type Refusal, refuse, STATUS } from './errors.ts';
import { type Exchange, type FrameState, sendRefusal } from './exchange.ts';
import { refusalOf } from './faults.ts';
import type { Log } from './log.ts';
import { answerPreflight, corsHeaders } from './middleware/cors.ts';
import { rateLimit } from './middleware/rate-limit.ts';
import { notFound, type Route } from './route.ts';
import { answerSandboxCall, type SandboxCalls } from './sandbox-calls.ts';

export interface AppOptions {
  readonly authentication: Credentials;
  readonly world: World;
  /** Tried in this order; the ones that are called most come first. */
  readonly routes: readonly Route[];
  /** Requests a second for each key or checkout session; 0: no limit. */
  readonly requestsPerSecond: number;
  readonly log: Log;
  /** Proxies in front, as clientAddress takes them; none when it is left out. */
  readonly trustedProxies?: readonly string[];
  /** Where the sandbox is on this node and other nodes may use it. */
  readonly sandboxCalls?: SandboxCalls;
  /** What goes around every request, outside of all else, the first outermost: metrics, traces. */
  readonly around?: readonly Around[];
}

export type Around = (ctx: Exchange, next: () => Promise<unknown>) => Promise<void>;

type Application = Koa<FrameState>;
const MODEL = 'Request';

export function createApp({
  authentication,
  world,
  routes,
  requestsPerSecond,
  log,
  sandboxCalls,
  trustedProxies = [],
  around = [],
}: AppOptions): Application {
  const app: Application = new Koa<FrameState>();
  const parts = { authentication, world, rateLimit: rateLimit(requestsPerSecond), addressOf: clientAddress(trustedProxies) };
  const mounted = routes.map((route) => ({ route, handle: endpoint(route, parts) }));
  const router = routerOf(mounted);
  if (sandboxCalls !== undefined) router.post(`${sandboxCalls.path}/:call`, answerSandboxCall(sandboxCalls, world));
  for (const one of around) app.use(one);
  const answerFault = faultAnswerer(log, world);
  app.use(frame(requestIds(world), world, accessLog(log, world), answerFault));
  app.use(directly(mounted));
  app.use(router.routes());
  app.use(unrouted(router));
  answerKoasOwnErrors(app, log, answerFault);
  return app;
}

interface Mounted {
  readonly route: Route;
  readonly handle: (ctx: Exchange) => Promise<void>;
}

/** Request targets that are a route's path to the letter are looked up: trying all routes costs as much as reading the body. */
function directly(mounted: readonly Mounted[]) {
  const handlers = new Map(mounted.map(({ route: { method, path }, handle }) => [`${method} ${path}`, handle]));
  return function handleDirectly(ctx: Exchange, next: () => Promise<unknown>): Promise<unknown> {
    const { method, url } = ctx.req;
    return handlers.get(`${method} ${url}`)?.(ctx) ?? next();
  };
}

function routerOf(mounted: readonly Mounted[]): Router<FrameState> {
  const router = new Router<FrameState>({ sensitive: true, strict: true });
  for (const { route, handle } of mounted) router.register(route.path, [route.method], [handle]);
  return router;
}

/** Around everything: the request's id, what every answer carries, faults, and a line in the log. */
function frame(
  requestId: (header: string | string[] | undefined) => string,
  world: Pick<World, 'monotonic'>,
  access: AccessLog,
  answerFault: FaultAnswerer,
) {
  return async function handleFrame(ctx: Exchange, next: () => Promise<unknown>): Promise<void> {
    const { req, state } = ctx;
    state.requestId = requestId(req.headers['x-request-id']);
    state.route = undefined;
    state.headers = corsHeaders(req.url ?? '');
    const start = world.monotonic();
    try {
      await next();
    } catch (fault) {
      answerFault(ctx, fault);
    }
    // What was not answered has a caller who hung up; proxies log that as 499.
    access(identityOf(ctx), ctx.res.headersSent ? ctx.res.statusCode : 499, world.monotonic() - start);
  };
}

/** Paths and queries hold tokens; the route's own path says enough. */
const identityOf = ({ method, state }: Exchange): object => ({ requestId: state.requestId, method, route: state.route?.path });

type FaultAnswerer = (ctx: Exchange, fault: unknown) => void;

/** Between two lines about stores that are away: every request meets that, also those of callers that nobody knows. */
const AWAY_EVERY_MS = 1_000;

function faultAnswerer(log: Log, world: Pick<World, 'monotonic'>): FaultAnswerer {
  let saidAt = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  const sayAway = (ctx: Exchange, reason: string): void => {
    const now = world.monotonic();
    unsaid += 1;
    if (now - saidAt < AWAY_EVERY_MS) return;
    log.error({ ...identityOf(ctx), reason, others: unsaid - 1 }, 'request refused: a store is away');
    saidAt = now;
    unsaid = 0;
  };
  return (ctx, fault) => {
    const refusal = isMalformedUrl(fault, ctx) ? notFound() : refusalOf(fault);
    // A write of unknown outcome is a line of its own, because somebody may ask after it; the log counts those that come in thousands.
    if (fault instanceof StoreUnavailable && !fault.outcomeUnknown) sayAway(ctx, fault.message);
    else if (fault instanceof StoreUnavailable)
      log.error({ ...identityOf(ctx), reason: fault.message }, 'outcome not known: a store is away');
    else if (STATUS[refusal.errorId] >= 500) log.error({ ...identityOf(ctx), err: fault }, 'request failed');
    sendRefusal(ctx, refusal, ctx.state.route?.model ?? MODEL);
  };
}

/** Node passes request targets on that are no URL; they name nothing that could exist. */
const isMalformedUrl = (fault: unknown, { state }: Exchange): boolean =>
  state.route === undefined && fault instanceof TypeError && 'code' in fault && fault.code === 'ERR_INVALID_URL';

/** 404 for paths that no route has, 405 for methods that a route's path lacks. */
function unrouted(router: Router<FrameState>) {
  return function handleUnrouted(ctx: Exchange): void {
    const methods = [...new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))];
    if (answerPreflight(ctx, ctx.path, methods)) return;
    const wrongMethod = (): Refusal =>
      refuse('MethodNotAllowed', `${ctx.method} is not possible here.`, { headers: ['Allow', methods.join(', ')] });
    sendRefusal(ctx, methods.length === 0 ? notFound() : wrongMethod(), MODEL);
  };
}

/** Koa answers in plain text and writes to the console when something fails outside the frame; nothing here may do that. */
function answerKoasOwnErrors(app: Application, log: Log, answerFault: FaultAnswerer): void {
  app.context.onerror = function onerror(this: Exchange, fault: unknown): void {
    if (fault === null || fault === undefined) return;
    if (this.res.headersSent || !this.writable) log.debug({ ...identityOf(this), err: fault }, 'connection lost');
    else answerFault(this, fault);
  };
}
