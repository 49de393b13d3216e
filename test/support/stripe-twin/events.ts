// The list of events: those of the last 30 days, the newest first.
import type Stripe from 'stripe';
import { z } from 'zod';
import { type Call, type Engine, seconds } from './engine.ts';
import { invalid } from './failure.ts';
import { Integer } from './parameters.ts';

const KEPT_SECONDS = 30 * 86_400;
/** The most types that a list may name. */
const MOST_TYPES = 20;

export const ListEvents = z.strictObject({
  created: z.strictObject({ gte: Integer.optional() }).optional(),
  types: z.array(z.string()).max(MOST_TYPES).optional(),
  limit: Integer.refine((limit) => limit >= 1 && limit <= 100).default(10),
  starting_after: z.string().optional(),
});

export function listEvents(
  engine: Engine,
  { account }: Call,
  { created: { gte = 0 } = {}, types, limit, starting_after: after }: z.output<typeof ListEvents>,
): Stripe.ApiList<Stripe.Event> {
  const from = Math.max(gte, seconds(engine.now()) - KEPT_SECONDS);
  const kept = account.events.filter(
    ({ created, type }) => created >= from && (types === undefined || types.includes(type)),
  );
  kept.reverse();
  const first = after === undefined ? 0 : kept.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && first === 0)
    throw invalid(`No such event: '${after}'`, { code: 'resource_missing', param: 'starting_after' });
  return {
    object: 'list',
    url: '/v1/events',
    has_more: first + limit < kept.length,
    data: kept.slice(first, first + limit),
  };
}
