// The headers of a request, its caller and the caller's scopes: in the order of contract §1, before any of the body is read.
import type { KeyHolder } from '../../commands/access/authenticate.ts';
import type { World } from '../../world.ts';
import { checkApiVersion } from '../checks/api-version.ts';
import { type Credentials, checkConflict, keyHolder, sessionHolder, webhookHolder } from '../checks/credentials.ts';
import { idempotencyKey } from '../checks/idempotency-key.ts';
import { checkScope } from '../checks/scope.ts';
import type { Refusal } from '../errors.ts';
import { type Next, type Routed, sendRefusal } from '../exchange.ts';
import type { Access, Route } from '../route.ts';

/** Goes on with `ctx.state.asked`, or answers 400, 401 or 403. */
export function authenticate(route: Route, credentials: Credentials, world: Pick<World, 'now'>) {
  return async function authenticateRequest(ctx: Routed, next: Next): Promise<unknown> {
    const refuse = (refusal: Refusal): void => sendRefusal(ctx, refusal, route.model);
    const { headers } = ctx.req;
    const header = checkApiVersion(headers['x-api-version']) ?? (route.scope === 'clientToken' ? checkConflict(headers) : undefined);
    if (header !== undefined) return refuse(header);
    const key = route.bodyKind === 'none' ? undefined : idempotencyKey(ctx.req);
    if (typeof key === 'object') return refuse(key);

    const at = world.now();
    const identified = identify(route, credentials, ctx, at);
    const holder = identified instanceof Promise ? await identified : identified;
    if ('kind' in holder) return refuse(holder);
    const forbidden = 'keyId' in holder ? checkAccess(holder, route.scope) : undefined;
    if (forbidden !== undefined) return refuse(forbidden);
    ctx.state.asked = { holder, at, idempotencyKey: key };
    return next();
  };
}

function identify({ scope, keyInPath }: Route, credentials: Credentials, { req: { headers }, params }: Routed, at: number) {
  if (scope === 'clientToken') return sessionHolder(credentials, headers['x-client-token'], at);
  return keyInPath ? webhookHolder(credentials, params, at) : keyHolder(credentials, headers['x-api-key'], at);
}

const checkAccess = (holder: KeyHolder, access: Access): Refusal | undefined =>
  access === 'public' || access === 'clientToken' ? undefined : checkScope(holder, access);
