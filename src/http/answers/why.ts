// The parts that the causal chains of payments and agreements share (contract §§4, 14): who did a step, and what led to
// it.
import { z } from 'zod';
import { publicEventId } from '../../domain/category.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './shapes.ts';

/** The members of every step. */
export const STEP = {
  id: z.string().regex(/^evt_/),
  type: z.string(),
  words: z.string(),
  date: Instant,
  by: z.strictObject({
    kind: z.enum(['apiKey', 'checkout', 'operator', 'policy', 'processor', 'user']),
    id: z.string(),
    name: z.string().optional(),
  }),
  requestId: z.string(),
  causedBy: z.string().optional(),
};
const CommonStep = z.strictObject(STEP);
type CommonStep = z.infer<typeof CommonStep>;

/** `known`: the events that a step may name as its cause. `names`: of API keys and users, by id. */
export function stepOf(
  { event, recorded, metadata }: Unsealed<{ readonly type: string; readonly data: object }>,
  known: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
): Omit<CommonStep, 'words'> {
  const { actor, $correlationId: requestId, $causationId: cause } = metadata;
  return {
    id: publicEventId(recorded.id),
    type: event.type,
    date: formatTime(recorded.at),
    by: { kind: actor.kind, id: actor.id, name: names.get(actor.id) },
    requestId,
    causedBy: known.has(cause) ? publicEventId(cause) : undefined,
  };
}

/** The actor, as the beginning of a sentence. */
export function whoOf({ kind, id, name }: CommonStep['by']): string {
  switch (kind) {
    case 'apiKey':
      return name === undefined ? `The API key ${id}` : `The API key “${name}”`;
    case 'checkout':
      return 'The checkout';
    case 'operator':
      return 'An operator at the command line';
    case 'policy':
      return 'The service';
    case 'processor':
      return `The processor ${id}`;
    case 'user':
      return name === undefined ? 'A user of the dashboard' : `The user ${name}`;
    default:
      return kind satisfies never;
  }
}
