// counterfoil webhooks endpoints list
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing, toMinute } from '../table.ts';
import type { EndpointView } from './endpoint-view.ts';

interface Options extends CommonOptions {
  readonly account?: string;
}

export function webhooksEndpointsList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'The webhook endpoints, without their secrets',
    examples: ['webhooks endpoints list'],
    settings: STORE_SETTINGS,
  })
    .option('--account <id>', 'only those of this account')
    .action(async (options: Options) => {
      const { withService } = await import('../open/with-stores.ts');
      const { endpointsOf } = await import('../../queries/list-deliveries.ts');
      const { endpointView } = await import('./endpoint-view.ts');
      await withService(options, async ({ service }) => {
        const endpoints = await endpointsOf(service.readModels, options.account);
        const data = endpoints.map(({ id, doc }) => endpointView(id, doc));
        print({ json: { data }, text: asTable(data) }, options);
      });
    });
}

const asTable = (endpoints: readonly EndpointView[]): string =>
  listing(
    'webhook endpoints',
    ['id', 'state', 'added', 'account', 'events', 'url'],
    endpoints.map(({ id, state, addedAt, accountId, events, url }) => [
      id,
      state,
      toMinute(addedAt),
      accountId,
      events?.join(', ') ?? 'all',
      url,
    ]),
  );
