// counterfoil projections discard: passes over the event that parks a stream, for this read model and for good.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { unpark } from './unpark.ts';

export function projectionsDiscard(parent: Command): void {
  declare(parent, {
    usage: 'discard <name> <stream>',
    summary: 'Pass over the event that parks a stream; it stays in the log',
    examples: ['projections discard payments payment-pay_0123'],
    settings: STORE_SETTINGS,
  }).action((name: string, stream: string, options: CommonOptions) =>
    unpark(name, stream, options, 'ParkedStreamDiscardRequested', (projections, its, signal) => projections.discard(name, its, signal)),
  );
}
