// counterfoil projections retry: tries a parked stream again, after its fault was mended.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { unpark } from './unpark.ts';

export function projectionsRetry(parent: Command): void {
  declare(parent, {
    usage: 'retry <name> <stream>',
    summary: 'Try a parked stream again',
    examples: ['projections retry payments payment-pay_0123'],
    settings: STORE_SETTINGS,
  }).action((name: string, stream: string, options: CommonOptions) =>
    unpark(name, stream, options, 'ParkedStreamRetryRequested', (projections, its, signal) => projections.retry(name, its, signal)),
  );
}
