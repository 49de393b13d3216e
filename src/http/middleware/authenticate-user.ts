// The caller of the dashboard's routes: a user, by the cookie of a session. API keys and client tokens are never looked at here.
import type { UserHolder } from '../../commands/access/authenticate.ts';
import type { World } from '../../world.ts';
import type { Credentials } from '../checks/credentials.ts';
import { refuse } from '../errors.ts';
import { type Next, type Routed, sendRefusal } from '../exchange.ts';
import type { Route, UserAccess } from '../route.ts';

const SIGNED_OUT = refuse('Unauthorized', 'Nobody is signed in here, or the session has ended.');

/** Goes on with `ctx.state.asked`, or answers 401 or 403. */
export function authenticateUser(route: Route, { roles }: UserAccess, credentials: Pick<Credentials, 'user'>, world: Pick<World, 'now'>) {
  const goOn = (ctx: Routed, next: Next, holder: UserHolder | undefined, at: number): unknown => {
    if (holder === undefined) return sendRefusal(ctx, SIGNED_OUT, route.model);
    if (!roles.includes(holder.role))
      return sendRefusal(ctx, refuse('InsufficientScope', `This needs the role ${roles.join(' or ')}.`), route.model);
    ctx.state.asked = { holder, at, idempotencyKey: undefined };
    return next();
  };
  return async function authenticateUserOfRequest(ctx: Routed, next: Next): Promise<unknown> {
    ctx.state.route = route;
    const at = world.now();
    return goOn(ctx, next, await credentials.user(ctx.req.headers, at), at);
  };
}
