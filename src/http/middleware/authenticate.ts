// The headers of a request, its caller and the caller's scopes: in the order of contract §1, before any of the body is
// read.
import type { KeyHolder, SessionHolder } from '../../commands/access/authenticate.ts';
import { MANAGEMENT, type Scope } from '../../domain/api-key/scopes.ts';
import type { World } from '../../world.ts';
import { API_VERSION, WRONG_API_VERSION } from '../checks/api-version.ts';
import { CONFLICTING, type Credentials, UNAUTHORIZED } from '../checks/credentials.ts';
import { idempotencyKey } from '../checks/idempotency-key.ts';
import { refuse } from '../errors.ts';
import { type Next, type Routed, sendRefusal } from '../exchange.ts';
import type { Route } from '../route.ts';

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
