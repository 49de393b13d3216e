// counterfoil webhooks incoming: URLs for processors that cannot send a header.
import type { Command } from 'commander';
import type { ExistingApiKey, IncomingWebhook } from '../../domain/api-key/state.ts';
import type { IncomingWebhookAnswer } from '../../http/answers/incoming-webhook.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { print, tell } from '../output.ts';
import { listing, toMinute } from '../table.ts';
import { webhookUrlOf } from '../webhook-url.ts';

interface IncomingOptions extends CommonOptions {
  readonly processor: string;
  readonly key: string;
}

export function webhooksIncomingAdd(parent: Command): void {
  declare(parent, {
    usage: 'add',
    summary: 'Create a URL that acts as an API key and print it once; revoking the key disables the URL',
    examples: ['webhooks incoming add --processor sandbox --key key_0123'],
    json: '{id, url, processor, keyId}; the URL is shown once',
    settings: [...STORE_SETTINGS, 'host', 'port', 'publicUrl'],
  })
    .requiredOption('--processor <name>', 'the processor that will call the URL')
    .requiredOption('--key <id>', 'the API key, with the scope third_party:webhook_trigger')
    .action(add);
}

async function add({ processor, key, ...options }: IncomingOptions): Promise<void> {
  if (!/^[a-z0-9-]{1,64}$/.test(processor))
    throw new WrongUsage('--processor needs 1 to 64 of the characters a-z, 0-9 and -.');
  const { withService } = await import('../open/with-stores.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { apiKeys } = await import('../../projections/models/api-keys.ts');
  const { knowingService } = await import('../running-address.ts');
  const { wholeId } = await import('../whole-id.ts');
  await withService(options, async ({ service, config }) => {
    const known = [...service.processors.keys()];
    if (!known.includes(processor))
      throw new Refused(`There is no processor ${processor}. Known processors: ${known.join(', ') || 'none'}.`);
    const keyId = await wholeId(service.readModels, key);
    const made = unlessRefused(await service.access.addIncomingWebhook({ keyId, processor }));
    await untilEffective(service, apiKeys, made);
    const url = webhookUrlOf(await knowingService(config, options), processor, made.token);
    print({ json: { id: made.webhookId, url, processor, keyId }, text: url }, options);
    if (options.json !== true) tell(`${made.webhookId}: store the URL now. It cannot be shown again.`);
  });
}

export function webhooksIncomingList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'The URLs of processors that cannot send a header, without their tokens',
    examples: ['webhooks incoming list'],
    settings: STORE_SETTINGS,
  }).action(async (options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { allOf } = await import('../../queries/pages.ts');
    const { apiKeys } = await import('../../projections/models/api-keys.ts');
    const view = await viewer();
    await withService(options, async ({ service, world }) => {
      const data: IncomingWebhookView[] = [];
      for await (const { id, doc } of allOf(service.readModels, apiKeys, { where: {} })) {
        if (doc.status === 'absent') continue;
        data.push(...(doc.webhooks ?? []).map((one) => view(id, doc, one, world.now())));
      }
      print({ json: { data }, text: asTable(data) }, options);
    });
  });
}

export function webhooksIncomingRevoke(parent: Command): void {
  declare(parent, {
    usage: 'revoke <id>',
    summary: 'Revoke a URL permanently, effective immediately',
    examples: ['webhooks incoming revoke key_0123.1'],
    settings: STORE_SETTINGS,
  }).action(async (named: string, options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { unlessRefused, untilEffective } = await import('../effect.ts');
    const { apiKeys } = await import('../../projections/models/api-keys.ts');
    const view = await viewer();
    const { wholeId } = await import('../whole-id.ts');
    await withService(options, async ({ service, world }) => {
      const id = await wholeId(service.readModels, named);
      const revoked = unlessRefused(await service.access.revokeIncomingWebhook(id));
      await untilEffective(service, apiKeys, revoked);
      const { doc } = revoked;
      const webhook = doc.status === 'absent' ? undefined : doc.webhooks?.find(({ webhookId }) => webhookId === id);
      if (doc.status === 'absent' || webhook === undefined)
        throw new TypeError('an incoming webhook that was just revoked is absent');
      print({ json: view(revoked.id, doc, webhook, world.now()), text: `${id} is revoked.` }, options);
    });
  });
}

type IncomingWebhookView = IncomingWebhookAnswer & { readonly accountId: string };

/** A URL as the dashboard shows it, with the account; its module is loaded when a command runs. */
async function viewer() {
  const { incomingWebhookAnswer } = await import('../../http/answers/incoming-webhook.ts');
  return (keyId: string, key: ExistingApiKey, webhook: IncomingWebhook, now: number): IncomingWebhookView => ({
    ...incomingWebhookAnswer(keyId, key, webhook, now),
    accountId: key.accountId,
  });
}

const asTable = (webhooks: readonly IncomingWebhookView[]): string =>
  listing(
    'incoming webhooks',
    ['id', 'processor', 'state', { spare: 'added' }, { spare: 'account' }],
    webhooks.map(({ id, processor, state, addedAt, accountId }) => [
      id,
      processor,
      state,
      toMinute(addedAt),
      accountId,
    ]),
  );
