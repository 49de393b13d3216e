// counterfoil webhooks endpoints add: prints the secret of the new endpoint, once.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print, tell } from '../output.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';

interface Options extends CommonOptions, AccountOption {
  readonly url: string;
  readonly events?: readonly string[];
}

export function webhooksEndpointsAdd(parent: Command): void {
  declare(parent, {
    usage: 'add',
    summary: 'Send the messages of an account to a URL, and print the secret that signs them, once',
    examples: [
      'webhooks endpoints add --url https://shop.example/webhooks',
      'webhooks endpoints add --url https://shop.example/disputes --events DISPUTE.OPENED,DISPUTE.STATUS',
    ],
    settings: STORE_SETTINGS,
  })
    .requiredOption('--url <url>', 'where the messages go; in live mode a public https:// address')
    .option('--events <a,b>', 'the types of messages; without it all, later ones too', (text: string) => text.split(','))
    .option(...ACCOUNT_FLAG)
    .action(add);
}

async function add({ url, events, ...options }: Options): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { webhookEndpoints } = await import('../../projections/models/webhook-endpoints.ts');
  const { withSecret } = await import('./endpoint-view.ts');
  const { sameEndpoints } = await import('../../queries/webhook-endpoints.ts');
  await withService(options, async (opened) => {
    const { service } = opened;
    const accountId = await whichAccount(opened, options);
    const added = unlessRefused(await service.webhooks.addWebhookEndpoint({ accountId, url, ...(events !== undefined && { events }) }));
    await untilEffective(service, webhookEndpoints, added);
    const { id, doc, secret } = added;
    for (const other of await sameEndpoints(service.readModels, id, doc))
      tell(`${other} has the same URL and types: each message is sent to both. One of the two can be disabled.`);
    print({ json: withSecret(id, secret, doc), text: secret }, options);
    if (options.json !== true) tell(`${id}: keep the secret now, it cannot be shown again.`);
  });
}
