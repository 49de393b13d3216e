// X-Request-Id: accepted if it is well formed and not a card number (events and logs must hold none), otherwise
// generated (contract §1).
import { holdsCardNumber } from '../../domain/card-number/search.ts';
import type { World } from '../../world.ts';
import { type Exchange, type Next, NO_BODY } from '../exchange.ts';

const SHAPE = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Gives every request its id, which its answer carries. Made ids are unique: random for the process, counted within it.
 */
export function requestId(world: World) {
  const process = Buffer.from(world.randomBytes(8)).toString('hex');
  let made = 0;
  const idOf = (header: string | string[] | undefined): string => {
    if (typeof header === 'string' && SHAPE.test(header) && !holdsCardNumber(header)) return header;
    made += 1;
    return `req_${process}${made.toString(16).padStart(8, '0')}`;
  };
  return function identifyRequest(ctx: Exchange, next: Next): Promise<unknown> {
    const id = idOf(ctx.req.headers['x-request-id']);
    ctx.state.requestId = id;
    ctx.state.route = undefined;
    ctx.state.asked = undefined;
    ctx.state.body = NO_BODY;
    ctx.state.handled = undefined;
    ctx.res.setHeader('X-Request-Id', id);
    return next();
  };
}
