// The caller of the dashboard's routes: a user, by the cookie of a session. API keys and client tokens are never looked
// at here.
import type { UserHolder } from '../../commands/access/user-holder.ts';
import { formatTime, type World } from '../../world.ts';
import type { Credentials } from '../checks/credentials.ts';
import { idempotencyKey } from '../checks/idempotency-key.ts';
import type { ownSite } from '../checks/own-site.ts';
import type { SessionCookie } from '../checks/session-cookie.ts';
import { passwordNeeded, type Refusal, refuse } from '../errors.ts';
import { type Next, type Routed, sendRefusal, setAll } from '../exchange.ts';
import type { Route, UserAccess } from '../route.ts';

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
 * Goes on with `ctx.state.asked`, or answers 400, 401 or 403. A response tells its pages the business time, because
 * only the service knows a clock that was moved.
 */
export function authenticateUser(
  route: Route,
  access: UserAccess,
  credentials: Pick<Credentials, 'user' | 'operatesStore'>,
  browserChecks: BrowserChecks,
  world: Pick<World, 'now'>,
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
    setAll(ctx, ['X-Business-Time', formatTime(world.now())]);
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
