// The headers of a request, its caller and the caller's scopes: in the order of contract §1, before any of the body is
// read.
import type { KeyHolder, SessionHolder } from '../../commands/access/authenticate.ts';
import type { Scope } from '../../domain/api-key/scopes.ts';
import type { World } from '../../world.ts';
import { checkApiVersion } from '../checks/api-version.ts';
import { type Credentials, checkConflict, keyHolder, sessionHolder, webhookHolder } from '../checks/credentials.ts';
import { idempotencyKey } from '../checks/idempotency-key.ts';
import { type Refusal, refuse } from '../errors.ts';
import { type Next, type Routed, sendRefusal } from '../exchange.ts';
import { type Access, isForUsers, type Route } from '../route.ts';

/** Goes on with `ctx.state.asked`, or answers 400, 401 or 403. */
export function authenticate(route: Route, credentials: Credentials, world: Pick<World, 'now'>) {
  const goOn = (
    ctx: Routed,
    next: Next,
    holder: KeyHolder | SessionHolder | Refusal,
    at: number,
    idempotencyKey: string | undefined,
  ) => {
    if ('kind' in holder) return sendRefusal(ctx, holder, route.model);
    const forbidden = 'keyId' in holder ? checkAccess(holder, route.scope) : undefined;
    if (forbidden !== undefined) return sendRefusal(ctx, forbidden, route.model);
    ctx.state.asked = { holder, at, idempotencyKey };
    return next();
  };
  return function authenticateRequest(ctx: Routed, next: Next): unknown {
    ctx.state.route = route;
    const { headers } = ctx.req;
    const header =
      checkApiVersion(headers['x-api-version']) ?? (route.scope === 'clientToken' ? checkConflict(headers) : undefined);
    if (header !== undefined) return sendRefusal(ctx, header, route.model);
    const key = route.bodyKind === 'none' ? undefined : idempotencyKey(ctx.req);
    if (typeof key === 'object') return sendRefusal(ctx, key, route.model);

    const at = world.now();
    const identified = identify(route, credentials, ctx, at);
    if (identified instanceof Promise) return identified.then((holder) => goOn(ctx, next, holder, at, key));
    return goOn(ctx, next, identified, at, key);
  };
}

function identify(
  { scope, keyInPath }: Route,
  credentials: Credentials,
  { req: { headers }, params }: Routed,
  at: number,
) {
  if (scope === 'clientToken') return sessionHolder(credentials, headers['x-client-token'], at);
  return keyInPath ? webhookHolder(credentials, params, at) : keyHolder(credentials, headers['x-api-key'], at);
}

const checkAccess = (holder: KeyHolder, access: Access): Refusal | undefined =>
  access === 'public' || access === 'visitor' || access === 'clientToken' || isForUsers(access)
    ? undefined
    : checkScope(holder, access);

/** 403 for a right key without the scope of the operation. The answer names the scope (contract §2). */
const checkScope = ({ scopes }: KeyHolder, needed: Scope): Refusal | undefined =>
  scopes.has(needed) ? undefined : refuse('InsufficientScope', `The API key lacks the scope ${needed}.`);
