// X-Request-Id: accepted when it is well formed and no card number, which events and logs must not hold; made otherwise (contract §1).
import { holdsCardNumber } from '../../domain/card-number-search.ts';
import type { World } from '../../world.ts';

const SHAPE = /^[A-Za-z0-9._-]{1,128}$/;

/** Answers the id of each request from its header. Made ids are unique: random for the process, counted within it. */
export function requestIds(world: World): (header: string | string[] | undefined) => string {
  const process = Buffer.from(world.randomBytes(8)).toString('hex');
  let made = 0;
  return (header) => {
    if (typeof header === 'string' && SHAPE.test(header) && !holdsCardNumber(header)) return header;
    made += 1;
    return `req_${process}${made.toString(16).padStart(8, '0')}`;
  };
}
