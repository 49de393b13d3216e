// The headers of a request, its caller and what the caller may do, before any of the body is read: an API key, a
// client token on /checkout (contract §§1, 2), or a user of the dashboard by the cookie of a session.
import type { Authentication, KeyHolder, SessionHolder } from '../../commands/access/authenticate.ts';
import type { UserHolder } from '../../commands/access/user-holder.ts';
import { MANAGEMENT, type Scope } from '../../domain/scopes.ts';
import { formatTime, movedAheadMs, type World } from '../../world.ts';
import type { ownSite, SessionCookie } from '../checks/browser.ts';
import { API_VERSION, idempotencyKey, WRONG_API_VERSION } from '../checks/headers.ts';
import { passwordNeeded, type Refusal, refuse } from '../errors.ts';
import { type Next, type Routed, sendRefusal, setAll } from '../exchange.ts';
import type { Route, UserAccess } from '../route.ts';

/** The questions about credentials. No answer reveals the fault. */
export type Credentials = Pick<Authentication, 'apiKey' | 'clientToken' | 'webhookToken' | 'user' | 'operatesStore'>;

const UNAUTHORIZED = refuse('Unauthorized', 'The credentials are missing or not valid.', {
  headers: ['WWW-Authenticate', 'ApiKey realm="counterfoil"'],
});

/** No API key ever reaches a browser: a key together with a client token is a mistake worth naming. */
const CONFLICTING = refuse(
  'ConflictingCredentials',
  'X-Api-Key and X-Client-Token were both sent. Checkout calls accept only the client token.',
);

type Holder = KeyHolder | SessionHolder | undefined;
/** The holder of a request's credentials, without a promise where it is known without a read. */
type HolderOf = (ctx: Routed, at: number) => Holder | Promise<Holder>;

/** Goes on with `ctx.state.asked`, or answers 400, 401 or 403. */
export function authenticate(
  route: Route,
  scope: Scope | typeof MANAGEMENT | 'clientToken',
  credentials: Credentials,
  world: Pick<World, 'now'>,
) {
  const { model } = route;
  const holderOf = holderOn(route, credentials);
  /** 403 for a right key without the scope of the operation. The answer names what is needed (contract §2). */
  const lacksScope = refuse(
    'InsufficientScope',
    scope === MANAGEMENT ? 'This needs a management key.' : `The API key lacks the scope ${scope}.`,
  );
  const admit = (ctx: Routed, next: Next, holder: Holder, at: number, idempotencyKey: string | undefined) => {
    if (holder === undefined) return sendRefusal(ctx, UNAUTHORIZED, model);
    if ('keyId' in holder && !holder.scopes.has(scope)) return sendRefusal(ctx, lacksScope, model);
    ctx.state.asked = { holder, at, idempotencyKey };
    return next();
  };
  return function authenticateRequest(ctx: Routed, next: Next): unknown {
    ctx.state.route = route;
    const { headers } = ctx.req;
    const version = headers['x-api-version'];
    if (version !== undefined && version !== API_VERSION) return sendRefusal(ctx, WRONG_API_VERSION, model);
    if (scope === 'clientToken' && headers['x-api-key'] !== undefined && headers['x-client-token'] !== undefined)
      return sendRefusal(ctx, CONFLICTING, model);
    const key = route.bodyKind === 'none' ? undefined : idempotencyKey(ctx.req);
    if (typeof key === 'object') return sendRefusal(ctx, key, model);

    const at = world.now();
    const holder = holderOf(ctx, at);
    if (holder instanceof Promise) return holder.then((found) => admit(ctx, next, found, at, key));
    return admit(ctx, next, holder, at, key);
  };
}

function holderOn({ scope, keyInPath }: Route, credentials: Credentials): HolderOf {
  if (scope === 'clientToken')
    return ({ req: { headers } }, at) => {
      const token = headers['x-client-token'];
      return typeof token === 'string' ? credentials.clientToken(token, at) : undefined;
    };
  // a path that acts as a key (contract §8)
  if (keyInPath)
    return ({ params: { processor = '', token = '' } }, at) => credentials.webhookToken(processor, token, at);
  return ({ req: { headers } }, at) => {
    const key = headers['x-api-key'];
    return typeof key === 'string' ? credentials.apiKey(key, at) : undefined;
  };
}

/** How the dashboard reads a browser's cookie, and refuses other sites. */
export interface BrowserChecks {
  readonly cookie: SessionCookie;
  /** The refusal of a request that another site has sent. */
  readonly checkSite: ReturnType<typeof ownSite>;
}

/** The headers of every response: a browser shows it in no frame, and gives it to no page of another origin. */
const DASHBOARD_HEADERS: readonly string[] = [
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Referrer-Policy',
  'no-referrer',
];

const SIGNED_OUT = refuse('Unauthorized', 'You are not signed in, or your session has ended.');
const TWO_FACTOR_NEEDED = refuse(
  'TwoFactorNeeded',
  'Set up two-factor sign-in first: your role needs it in live mode.',
);
const NOT_OPERATOR = refuse(
  'InsufficientScope',
  'This changes the whole store with every account in it. It needs a user of an account that operates the store.',
);

/**
 * Goes on with `ctx.state.asked`, or answers 400, 401 or 403. A response has the business time, and how far it is ahead
 * of the machine's clock (ms), because only the service knows a clock that was moved.
 */
export function authenticateUser(
  route: Route,
  access: UserAccess,
  credentials: Pick<Credentials, 'user' | 'operatesStore'>,
  browserChecks: BrowserChecks,
  world: Pick<World, 'now' | 'steady' | 'monotonic'>,
) {
  return async function authenticateUserOfRequest(ctx: Routed, next: Next): Promise<void> {
    ctx.state.route = route;
    setAll(ctx, DASHBOARD_HEADERS);
    const { headers } = ctx.req;
    const key = route.bodyKind === 'none' ? undefined : idempotencyKey(ctx.req);
    if (typeof key === 'object') return sendRefusal(ctx, key, route.model);
    const at = world.now();
    const value = browserChecks.cookie.read(headers);
    const isUse = access.unattended !== true && headers['x-background'] !== '1';
    const holder = value === undefined ? undefined : await credentials.user(value, isUse);
    if (holder === undefined) return sendRefusal(ctx, SIGNED_OUT, route.model);
    const refused = browserChecks.checkSite(headers, route.bodyKind !== 'none') ?? checkRole(holder, access);
    if (refused !== undefined) return sendRefusal(ctx, refused, route.model);
    const changesStore = access.concerns === 'store' && route.method !== 'GET';
    if (changesStore && !(await credentials.operatesStore(holder.accountId)))
      return sendRefusal(ctx, NOT_OPERATOR, route.model);
    ctx.state.asked = { holder, at, idempotencyKey: key };
    await next();
    // After the work, which may have moved the clock.
    setAll(ctx, ['X-Business-Time', formatTime(world.now()), 'X-Clock-Ahead', String(movedAheadMs(world))]);
  };
}

function checkRole(holder: UserHolder, { roles, confirmed, enrolling }: UserAccess): Refusal | undefined {
  if (!roles.includes(holder.role)) return refuse('InsufficientScope', `This needs the role ${roles.join(' or ')}.`);
  if (holder.mustEnrol && enrolling !== true) return TWO_FACTOR_NEEDED;
  return confirmed && !holder.isConfirmed ? passwordNeeded() : undefined;
}

/** The caller of sign-in: not known yet, and not another site. Goes on, or answers 403. */
export function admitVisitor(route: Route, browserChecks: BrowserChecks) {
  return function admitVisitorOfRequest(ctx: Routed, next: Next): unknown {
    ctx.state.route = route;
    setAll(ctx, DASHBOARD_HEADERS);
    const refused = browserChecks.checkSite(ctx.req.headers, true);
    return refused === undefined ? next() : sendRefusal(ctx, refused, route.model);
  };
}
