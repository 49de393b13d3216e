// The Koa application: the layers around every request, the routers, and answers where no route is.
import Router, { type Layer } from '@koa/router';
import Koa from 'koa';
import type { SharedLimits } from '../commands/limits/permits.ts';
import type { RequestLog } from '../projections/models/request-log.ts';
import type { World } from '../world.ts';
import { type FaultAnswerer, faultAnswerer, type Log } from './answer-faults.ts';
import { type CheckoutFiles, serveCheckoutFiles } from './checkout-files.ts';
import { servePayPage, serveReturnPage } from './checkout-pages.ts';
import { ownSite, sessionCookie } from './checks/browser.ts';
import { clientAddress } from './checks/client-address.ts';
import { endpoint } from './endpoint.ts';
import { refuse } from './errors.ts';
import { type Exchange, type FrameState, identityOf, type Next, type Routed, sendRefusal } from './exchange.ts';
import { LongWork } from './long-work.ts';
import type { Credentials } from './middleware/authenticate.ts';
import { frame, preflight } from './middleware/frame.ts';
import { rateLimit, visitorLimit } from './middleware/rate-limit.ts';
import { notFound, type Route } from './route.ts';
import { type AcsNeeds, serveSandboxAcs } from './sandbox-acs.ts';
import { answerSandboxCall, type SandboxCalls } from './sandbox-calls.ts';
import { serveDocs, serveWebFiles, type WebFiles, type WebRoot } from './web-files.ts';

interface AppOptions {
  readonly authentication: Credentials;
  readonly world: World;
  /** Tried in this order; the routes that are called most come first. */
  readonly routes: readonly Route[];
  /** Requests a second for each key or checkout session; 0: no limit. */
  readonly requestsPerSecond: number;
  /** The counts that the workers of one service share. */
  readonly sharedLimits?: Pick<SharedLimits, 'counters' | 'requests'> | undefined;
  readonly log: Log;
  /** Takes a note of each request of a merchant or a checkout; none is taken when it is left out. */
  readonly requestLog?: Pick<RequestLog, 'note'> | undefined;
  /** Proxies in front, as clientAddress takes them; none when it is left out. */
  readonly trustedProxies?: readonly string[];
  /** Where browsers reach the dashboard; without it, where the request says. */
  readonly publicUrl?: string | undefined;
  /** Where the sandbox is on this node and other nodes may use it. */
  readonly sandboxCalls?: SandboxCalls;
  /** The built pages; none when it is left out. */
  readonly web?: readonly WebRoot[];
  /** Reads the pages of the documentation; there are none when it is left out. */
  readonly docs?: () => Promise<WebFiles>;
  /** The SDK and the card frame; none where they are not built. */
  readonly checkoutFiles?: CheckoutFiles;
  /** The pages on which the sandbox challenges customers; in test mode only. */
  readonly acs?: AcsNeeds;
  /** Layers around every request, outside of all else, the first outermost: metrics, traces. */
  readonly around?: readonly Around[];
  /** For tests: other limits. */
  readonly longWork?: LongWork;
}

export type Around = (ctx: Exchange, next: Next) => Promise<void>;

type Application = Koa<FrameState>;
const MODEL = 'Request';

export function createApp({
  authentication,
  world,
  routes,
  requestsPerSecond,
  sharedLimits,
  log,
  requestLog,
  sandboxCalls,
  trustedProxies = [],
  web = [],
  publicUrl,
  docs,
  checkoutFiles,
  acs,
  around = [],
  longWork = new LongWork(),
}: AppOptions): Application {
  const addressOf = clientAddress(trustedProxies);
  const isLimited = requestsPerSecond !== 0;
  const needs = {
    credentials: authentication,
    world,
    browserChecks: { cookie: sessionCookie(publicUrl), checkSite: ownSite(publicUrl) },
    rateLimit: isLimited ? rateLimit(requestsPerSecond, sharedLimits?.requests) : undefined,
    visitorLimit: isLimited ? visitorLimit(addressOf, sharedLimits?.counters) : undefined,
    addressOf,
    longWork,
  };
  const routers = new Routers();
  for (const route of routes) routers.of(route.path).register(route.path, [route.method], endpoint(route, needs));
  if (sandboxCalls !== undefined)
    routers.of(sandboxCalls.path).post(`${sandboxCalls.path}/:call`, answerSandboxCall(sandboxCalls, world));

  const app: Application = new Koa<FrameState>();
  const answerFault = faultAnswerer(log, world);
  for (const one of around) app.use(one);
  if (publicUrl?.startsWith('https:') === true) app.use(overHttpsAlone);
  app.use(apart);
  app.use(frame({ log, world, answerFault, requestLog }));
  app.use(routers.routes());
  // After the routes: a call of the API passes none of these.
  if (checkoutFiles !== undefined)
    app.use(serveCheckoutFiles(checkoutFiles)).use(serveReturnPage(checkoutFiles)).use(servePayPage(checkoutFiles));
  if (acs !== undefined) app.use(serveSandboxAcs(acs));
  if (web.length > 0) app.use(serveWebFiles(web, (count) => world.randomBytes(count)));
  if (docs !== undefined) app.use(serveDocs(docs));
  app.use(preflight(methodsOf));
  app.use(unrouted);
  answerKoasOwnErrors(app, log, answerFault);
  return app;
}

const YEAR_SECONDS = 31_536_000;

/** Browsers that have been here once ask by https alone, for a year. */
function overHttpsAlone(ctx: Exchange, next: Next): Promise<unknown> {
  ctx.res.setHeader('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`);
  return next();
}

/**
 * Pages that a processor's script, or a shop's popup, has to reach: below them nothing else is of use to it. The page
 * of a payment link holds a processor's fields, so that script could open a popup from it.
 */
const REACHED = /^\/(checkout\/(fields|3ds\/return|sandbox-acs\/[^?]*)|pay\/[^/?]*)(\?|$)/;
const NOTHING = "default-src 'none'; frame-ancestors 'none'";

/**
 * A processor's script runs at our origin, in the page of its fields. A popup of any other page cannot be reached from
 * that script. A response that is not a page may load nothing, and no frame may show it; pages set their own policy.
 */
function apart(ctx: Exchange, next: Next): Promise<unknown> {
  if (!REACHED.test(ctx.req.url ?? '')) ctx.res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  ctx.res.setHeader('Content-Security-Policy', NOTHING);
  return next();
}

/**
 * One router for the routes of each first step of a path: a router tries all its routes, even after one has matched.
 */
class Routers {
  readonly #byStep = new Map<string, Router<FrameState>>();

  /** The router that a path belongs to. */
  of(path: string): Router<FrameState> {
    const step = firstStep(path);
    const router = this.#byStep.get(step) ?? new Router<FrameState>({ sensitive: true, strict: true });
    this.#byStep.set(step, router);
    return router;
  }

  /** Asks the one router that may have the path. */
  routes() {
    const byStep = new Map([...this.#byStep].map(([step, router]) => [step, router.routes()]));
    return function routeRequest(ctx: Routed, next: Next): unknown {
      const route = byStep.get(firstStep(ctx.path ?? '')); // a target such as x://host has no path
      return route === undefined ? next() : route(ctx, next);
    };
  }
}

/** `payments` of `/payments/pay_1`. */
function firstStep(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path.slice(1) : path.slice(1, end);
}

/**
 * The methods that routes of this path have; the routers leave them on the context of a request that they took nowhere.
 */
function methodsOf(ctx: Exchange): readonly string[] {
  const matched: readonly Pick<Layer, 'methods'>[] = ctx['matched'] ?? [];
  return [...new Set(matched.flatMap(({ methods }) => methods))];
}

/** 404 for paths that no route has, 405 for methods that a route's path lacks. */
function unrouted(ctx: Exchange): void {
  const methods = methodsOf(ctx);
  const refusal =
    methods.length === 0
      ? notFound()
      : refuse('MethodNotAllowed', `${ctx.method} is not allowed here.`, { headers: ['Allow', methods.join(', ')] });
  sendRefusal(ctx, refusal, MODEL);
}

/**
 * Koa answers in plain text and writes to the console when something fails outside the frame; nothing here may do that.
 */
function answerKoasOwnErrors(app: Application, log: Log, answerFault: FaultAnswerer): void {
  app.context.onerror = function onerror(this: Exchange, fault: unknown): void {
    if (fault === null || fault === undefined) return;
    if (this.res.headersSent && !isOfConnection(fault))
      log.error({ ...identityOf(this), err: fault }, 'answer broken off');
    else if (this.res.headersSent || !this.writable) log.debug({ ...identityOf(this), err: fault }, 'connection lost');
    else answerFault(this, fault);
  };
}

/** Node's own codes of a connection that ended: ECONNRESET, EPIPE, ERR_STREAM_PREMATURE_CLOSE and their like. */
const isOfConnection = (fault: unknown): boolean =>
  fault instanceof Error &&
  'code' in fault &&
  typeof fault.code === 'string' &&
  /^(E[A-Z]+|ERR_(STREAM|HTTP)_\w+)$/.test(fault.code);
