// counterfoil projections parked: streams that are parked at an event which could not be projected.
import type { Command } from 'commander';
import type { ParkedStream } from '../../projections/engine/parked/parked-records.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing, toSecond } from '../table.ts';

export interface ParkedView {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly reason: string;
  readonly fault: string;
  readonly since: string;
}

export function projectionsParked(parent: Command): void {
  declare(parent, {
    usage: 'parked [name]',
    summary: 'Parked streams, each with the event that could not be projected',
    examples: ['projections parked', 'projections parked payments'],
    settings: STORE_SETTINGS,
  }).action(async (name: string | undefined, options: CommonOptions) => {
    const { withProjections } = await import('../open/with-stores.ts');
    const { formatTime } = await import('../../world.ts');
    await withProjections(options, async ({ projections }) => {
      const parked = await projections.parked(name);
      const data = parked.map((one) => view(one, formatTime(one.at)));
      const rows = data.map((one) => [
        one.projection,
        one.stream,
        String(one.revision),
        one.type,
        toSecond(one.since),
        one.reason,
        one.fault,
      ]);
      const headings = ['read model', 'stream', 'revision', 'event', 'since', 'reason', 'fault'];
      print({ json: { data }, text: listing('parked streams', headings, rows) }, options);
    });
  });
}

const view = ({ projection, stream, revision, type, reason, fault }: ParkedStream, since: string): ParkedView => ({
  projection,
  stream,
  revision,
  type,
  reason,
  fault,
  since,
});
