// counterfoil projections parked: streams that are parked at an event which could not be projected, and those that were
// released.
import type { Command } from 'commander';
import type { ParkedStream } from '../../projections/engine/parked/parked-records.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing, toSecond } from '../table.ts';

interface ParkedOptions extends CommonOptions {
  readonly released?: boolean;
}

interface ParkedView {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly reason: string;
  readonly fault: string;
  readonly since: string;
  readonly isReleased: boolean;
}

export function projectionsParked(parent: Command): void {
  declare(parent, {
    usage: 'parked [name]',
    summary: 'Parked streams, each with the event that could not be projected',
    examples: ['projections parked', 'projections parked payments', 'projections parked --released'],
    json: '{data: [{projection, stream, revision, type, reason, fault, since, isReleased}]}; broken streams are under log, those whose events the event store drops under limits',
    settings: STORE_SETTINGS,
    appends: false,
  })
    .option('--released', 'include released streams')
    .action(async (name: string | undefined, { released: withReleased = false, ...options }: ParkedOptions) => {
      const { withProjections } = await import('../open/with-stores.ts');
      const { formatTime } = await import('../../world.ts');
      await withProjections(
        options,
        async ({ projections }) => {
          const parked = await projections.parked(name, { withReleased });
          const data = parked.map((one) => view(one, formatTime(one.at)));
          const rows = data.map((one) => [
            one.projection,
            one.stream,
            String(one.revision),
            one.type,
            toSecond(one.since),
            one.isReleased ? `${one.reason}, released` : one.reason,
            one.fault,
          ]);
          const headings = ['read model', 'stream', 'revision', 'event', 'since', 'reason', 'fault'];
          print(
            {
              json: { data },
              text: listing(withReleased ? 'parked or released streams' : 'parked streams', headings, rows),
            },
            options,
          );
        },
        { onlyLooks: true },
      );
    });
}

const view = (
  { projection, stream, revision, type, reason, fault, isReleased }: ParkedStream,
  since: string,
): ParkedView => ({
  projection,
  stream,
  revision,
  type,
  reason,
  fault,
  since,
  isReleased: isReleased === true,
});
