// counterfoil webhooks incoming add: prints the URL for a processor that cannot send a header, once.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { print, tell } from '../output.ts';

interface Options extends CommonOptions {
  readonly processor: string;
  readonly key: string;
}

export function webhooksIncomingAdd(parent: Command): void {
  declare(parent, {
    usage: 'add',
    summary: 'Make a URL that stands for an API key and print it, once; it ends when the key is revoked',
    examples: ['webhooks incoming add --processor sandbox --key key_0123'],
    settings: [...STORE_SETTINGS, 'host', 'port', 'publicUrl'],
  })
    .requiredOption('--processor <name>', 'whose notifications come in by it')
    .requiredOption('--key <id>', 'the API key, with the scope third_party:webhook_trigger')
    .action(add);
}

async function add({ processor, key: keyId, ...options }: Options): Promise<void> {
  if (!/^[a-z0-9-]{1,64}$/.test(processor)) throw new WrongUsage('--processor is 1 to 64 of a-z, 0-9 and -.');
  const { withService } = await import('../open/with-stores.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { apiKeys } = await import('../../projections/models/api-keys.ts');
  await withService(options, async ({ service, config }) => {
    const known = [...service.processors.keys()];
    if (!known.includes(processor)) throw new Refused(`There is no processor ${processor}. There is: ${known.join(', ') || 'none'}.`);
    const made = unlessRefused(await service.access.addIncomingWebhook({ keyId, processor }));
    await untilEffective(service, apiKeys, made);
    const { host, port, publicUrl = `http://${host}:${port}` } = config;
    const url = `${publicUrl.replace(/\/+$/, '')}/webhooks/${processor}/${made.token}`;
    print({ json: { id: made.webhookId, url, processor, keyId }, text: url }, options);
    if (options.json !== true) tell(`${made.webhookId}: keep the URL now, it cannot be shown again.`);
  });
}
