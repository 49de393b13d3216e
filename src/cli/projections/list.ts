// counterfoil projections list: the position and the documents of each read model.
import type { Command } from 'commander';
import type { ProjectionStatus } from '../../projections/engine/health/status.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing } from '../table.ts';

export function projectionsList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'Each read model: version, checkpoint, lag, documents, parked streams, state',
    examples: ['projections list'],
    settings: STORE_SETTINGS,
    appends: false,
  }).action(async (options: CommonOptions) => {
    const { withProjections } = await import('../open/with-stores.ts');
    await withProjections(
      options,
      async ({ projections }) => {
        const data = await projections.status();
        print(
          { json: { data: data.map((one) => ({ ...one, generation: one.generation ?? null })) }, text: asTable(data) },
          options,
        );
      },
      { onlyLooks: true },
    );
  });
}

const asTable = (all: readonly ProjectionStatus[]): string =>
  listing(
    'read models',
    ['name', 'version', 'state', 'documents', 'checkpoint', 'behind', 'parked'],
    all.map(({ name, version, state, documents, checkpoint, lagEvents, lagSeconds, parked }) => [
      name,
      String(version),
      state,
      String(documents),
      checkpoint,
      lagEvents === 0 && lagSeconds === 0 ? 'nothing' : `${lagEvents} events, ${lagSeconds} s`,
      String(parked),
    ]),
  );
