// How far the read models lagged over time: for the charts of the overview and of Operations.
import { z } from 'zod';
import { machineTime } from '../../../commands/users/machine-time.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime, type World } from '../../../world.ts';
import { aboutStore, forUsers, found, type Route, route } from '../../route.ts';

const LagHistoryAnswer = z
  .strictObject({
    /** Every step of the hours, oldest first. */
    points: z
      .array(
        z.strictObject({
          start: z.iso.datetime({ precision: 3 }),
          /** The longest observed lag; null if no process could report it. */
          seconds: z.number().min(0).nullable(),
          /** The read model that lagged so; null where none did. */
          name: z.string().nullable(),
        }),
      )
      .readonly(),
    stepMinutes: z.int(),
  })
  .meta({ id: 'DashboardLagHistory' });

/** The minutes of a point, by the hours that are asked for. */
const STEPS = { 1: 1, 6: 2, 24: 5 } as const;

interface LagNeeds {
  readonly queries: Pick<Queries, 'readLagHistory'>;
  readonly world: Pick<World, 'now' | 'steady' | 'monotonic'>;
}

export const lagRoutes = ({ queries, world }: LagNeeds): readonly Route[] => [
  route({
    tag: 'Overview',
    method: 'GET',
    path: '/dashboard/api/lag',
    scope: aboutStore(forUsers),
    summary: 'Read the longest lag of a read model over the last hours, from a sample a minute',
    request: z.object({
      query: z.strictObject({
        hours: z.coerce
          .number()
          .pipe(z.literal([1, 6, 24]))
          .default(24),
      }),
    }),
    answer: LagHistoryAnswer,
    async handle({ query: { hours } }) {
      const stepMinutes = STEPS[hours];
      const points = await queries.readLagHistory(machineTime(world), hours * 60, stepMinutes);
      return found({
        points: points.map(({ start, seconds = null, name = null }) => ({ start: formatTime(start), seconds, name })),
        stepMinutes,
      });
    },
  }),
];
