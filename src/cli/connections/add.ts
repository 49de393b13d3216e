// counterfoil connections add: an account's access to a processor. Its secrets are references, read when they are used.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print, tell } from '../output.ts';
import { webhookUrlOf } from '../webhook-url.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';

interface AddOptions extends CommonOptions, AccountOption {
  readonly processor: string;
  readonly name: string;
  readonly secretKey?: string;
  readonly webhookSecret?: string;
  readonly publishableKey?: string;
  readonly apiUrl?: string;
}

export function connectionsAdd(parent: Command): void {
  declare(parent, {
    usage: 'add',
    summary: 'Connect an account to a processor, and print once the URL for its notifications',
    examples: [
      'connections add --processor stripe --name eu --secret-key env:STRIPE_KEY --publishable-key pk_test_1',
      'connections add --processor stripe --name eu --secret-key file:/run/secrets/stripe',
      'connections add --processor sandbox --name second',
    ],
    rules: [
      'A secret is stored as its reference, and read when it is used. PATH is absolute, its file a regular one of at most 64 KiB.',
      'Refused: a secret that cannot be read here or is of another kind, and a key of the other mode.',
    ],
    json: '{id, processor, name, webhookUrl}; the URL is shown once',
    settings: [...STORE_SETTINGS, 'host', 'port', 'publicUrl'],
  })
    .requiredOption('--processor <name>', 'the processor: stripe, or in test mode sandbox for a further sandbox')
    .requiredOption('--name <name>', 'a name of your own for the connection')
    .option('--secret-key <reference>', 'env:NAME or file:PATH of the secret API key; a sandbox has none')
    .option('--webhook-secret <reference>', 'env:NAME or file:PATH of the secret that signs notifications')
    .option('--publishable-key <key>', 'the key that browsers may see, for the processor’s own fields')
    .option('--api-url <url>', 'another server that speaks the processor’s API; test mode only')
    .option(...ACCOUNT_FLAG)
    .action(add);
}

async function add(options: AddOptions): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { knowingService } = await import('../running-address.ts');
  const { connections } = await import('../../projections/models/connections.ts');
  const { processor, name, secretKey, webhookSecret, publishableKey, apiUrl } = options;
  await withService(options, async (opened) => {
    const { service, config } = opened;
    const accountId = await whichAccount(opened, options);
    const added = unlessRefused(
      await service.connections.add({ accountId, processor, name, secretKey, webhookSecret, publishableKey, apiUrl }),
    );
    await untilEffective(service, connections, added);
    const webhookUrl = webhookUrlOf(await knowingService(config, options), processor, added.token);
    if (secretKey === undefined) {
      print({ json: { id: added.id, processor, name, webhookUrl }, text: added.id }, options);
      if (options.json !== true)
        tell(`${name} is a sandbox of its own: see it with sandbox ledger --connection ${name}.`);
      return;
    }
    print({ json: { id: added.id, processor, name, webhookUrl }, text: webhookUrl }, options);
    if (options.json === true) return;
    tell(`${added.id}: give this URL to ${processor}, for its notifications. It cannot be shown again.`);
    if (webhookSecret === undefined)
      tell(`Then name their secret: connections rotate ${added.id} --webhook-secret env:NAME`);
  });
}
