// counterfoil webhooks endpoints: adds, lists, changes, disables and deletes merchants' receivers, and rotates their
// secrets.
import { type Command, Option } from 'commander';
import type { Answer } from '../../commands/caller.ts';
import type { ExistingEndpoint } from '../../domain/webhook-endpoint/state.ts';
import type { Service } from '../../service.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { WrongUsage } from '../exit.ts';
import { print, tell } from '../output.ts';
import { listing, toMinute } from '../table.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';
import type { EndpointView } from './endpoint-view.ts';

interface EndpointOptions extends CommonOptions, AccountOption {
  readonly url: string;
  readonly events?: readonly string[];
}

export function webhooksEndpointsAdd(parent: Command): void {
  declare(parent, {
    usage: 'add',
    summary: 'Send the messages of an account to a URL, and print the secret that signs them once',
    examples: [
      'webhooks endpoints add --url https://shop.example/webhooks',
      'webhooks endpoints add --url https://shop.example/disputes --events DISPUTE.OPENED,DISPUTE.STATUS',
    ],
    rules: ['An enabled endpoint with the same URL and types is reported on stderr.'],
    json: '{id, url, secret, events, accountId}; events are the types that it gets today, and the secret is shown once',
    settings: STORE_SETTINGS,
  })
    .requiredOption('--url <url>', 'the URL of the receiver; in live mode a public https:// address')
    .option('--events <a,b>', 'the types of messages; without it all types, including future ones', (text: string) =>
      text.split(','),
    )
    .option(...ACCOUNT_FLAG)
    .action(add);
}

async function add({ url, events, ...options }: EndpointOptions): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { webhookEndpoints } = await import('../../projections/models/webhook-endpoints.ts');
  const { withSecret } = await import('./endpoint-view.ts');
  const { sameEndpoints } = await import('../../queries/webhook-endpoints.ts');
  await withService(options, async (opened) => {
    const { service } = opened;
    const accountId = await whichAccount(opened, options);
    const added = unlessRefused(
      await service.webhooks.addWebhookEndpoint({ accountId, url, ...(events !== undefined && { events }) }),
    );
    await untilEffective(service, webhookEndpoints, added);
    const { id, doc, secret } = added;
    for (const other of await sameEndpoints(service.readModels, id, doc))
      tell(`${other} has the same URL and types, so each message is sent to both. Consider disabling one of them.`);
    print({ json: withSecret(id, secret, doc), text: secret }, options);
    if (options.json !== true) tell(`${id}: store the secret now. It cannot be shown again.`);
  });
}

interface EndpointsOptions extends CommonOptions {
  readonly account?: string;
}

export function webhooksEndpointsList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'The webhook endpoints, without their secrets',
    examples: ['webhooks endpoints list'],
    settings: STORE_SETTINGS,
  })
    .option('--account <id>', 'only endpoints of this account')
    .action(async (options: EndpointsOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { endpointsOf } = await import('../../queries/list-deliveries.ts');
      const { endpointView } = await import('./endpoint-view.ts');
      const { wholeId } = await import('../whole-id.ts');
      await withService(options, async ({ service }) => {
        const { account } = options;
        const accountId = account === undefined ? undefined : await wholeId(service.readModels, account);
        const endpoints = await endpointsOf(service.readModels, accountId);
        const data = endpoints.map(({ id, doc }) => endpointView(id, doc));
        print({ json: { data }, text: asTable(data) }, options);
      });
    });
}

interface ChangeOptions extends CommonOptions {
  readonly url?: string;
  /** Empty: all types. */
  readonly events?: readonly string[];
}

export function webhooksEndpointsChange(parent: Command): void {
  declare(parent, {
    usage: 'change <id>',
    summary: 'Change the URL or the types of an endpoint; its secret stays',
    examples: [
      'webhooks endpoints change we_0123 --url https://shop.example/hooks',
      'webhooks endpoints change we_0123 --events all',
    ],
    settings: STORE_SETTINGS,
  })
    .option('--url <url>', 'the URL to call from now on, including for messages that wait')
    .option('--events <a,b>', 'the types of messages about later events; `all`: including future types', (text) =>
      text === 'all' ? [] : text.split(','),
    )
    .action(async (named: string, { url, events, ...options }: ChangeOptions) => {
      if (url === undefined && events === undefined)
        throw new WrongUsage('webhooks endpoints change needs --url or --events.');
      const change = { ...(url !== undefined && { url }), ...(events !== undefined && { events }) };
      await changeEndpoint(
        named,
        options,
        (service, id) => service.webhooks.changeWebhookEndpoint(id, change),
        (id, { url: to, events: types }) => `${id} gets ${types?.join(', ') ?? 'all types'} at ${to}`,
      );
    });
}

export function webhooksEndpointsDelete(parent: Command): void {
  declare(parent, {
    usage: 'delete <id>',
    summary: 'Delete an endpoint permanently; pending messages are dropped, and its deliveries stay readable',
    examples: ['webhooks endpoints delete we_0123'],
    settings: STORE_SETTINGS,
  }).action((named: string, options: CommonOptions) =>
    changeEndpoint(
      named,
      options,
      (service, id) => service.webhooks.deleteWebhookEndpoint(id),
      (id) => `${id} is deleted.`,
    ),
  );
}

/** Changes an endpoint, and waits until every process has the change. Throws Refused. */
async function changeEndpoint(
  named: string,
  options: CommonOptions,
  change: (service: Service, id: string) => Promise<Answer<ExistingEndpoint>>,
  text: (id: string, endpoint: EndpointView) => string,
): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { webhookEndpoints } = await import('../../projections/models/webhook-endpoints.ts');
  const { endpointView } = await import('./endpoint-view.ts');
  const { wholeId } = await import('../whole-id.ts');
  await withService(options, async ({ service }) => {
    const id = await wholeId(service.readModels, named);
    const changed = unlessRefused(await change(service, id));
    await untilEffective(service, webhookEndpoints, changed);
    const view = endpointView(id, changed.doc);
    print({ json: view, text: text(id, view) }, options);
  });
}

export function webhooksEndpointsDisable(parent: Command): void {
  declare(parent, {
    usage: 'disable <id>',
    summary: 'Disable an endpoint permanently; pending messages are dropped too',
    examples: ['webhooks endpoints disable we_0123'],
    settings: STORE_SETTINGS,
  }).action((named: string, options: CommonOptions) =>
    changeEndpoint(
      named,
      options,
      (service, id) => service.webhooks.disableWebhookEndpoint(id),
      (id) => `${id} is disabled.`,
    ),
  );
}

interface RotateOptions extends CommonOptions {
  readonly overlap: number;
}

/** For a while both secrets sign, so that the receiver changes its own in peace. */
export function webhooksEndpointsRotateSecret(parent: Command): void {
  declare(parent, {
    usage: 'rotate-secret <id>',
    summary: 'Give an endpoint a new secret and print it once; the old secret stays valid for a while',
    examples: ['webhooks endpoints rotate-secret we_0123 --overlap 1h'],
    settings: STORE_SETTINGS,
  })
    .addOption(
      new Option('--overlap <duration>', 'how long both secrets sign messages')
        .argParser(parseDuration)
        .default(86_400_000, '24h'),
    )
    .action(async (named: string, options: RotateOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { unlessRefused, untilEffective } = await import('../effect.ts');
      const { webhookEndpoints } = await import('../../projections/models/webhook-endpoints.ts');
      const { withSecret } = await import('./endpoint-view.ts');
      const { wholeId } = await import('../whole-id.ts');
      await withService(options, async ({ service }) => {
        const id = await wholeId(service.readModels, named);
        const rotated = unlessRefused(await service.webhooks.rotateWebhookSecret(id, options.overlap));
        await untilEffective(service, webhookEndpoints, rotated);
        print({ json: withSecret(id, rotated.secret, rotated.doc), text: rotated.secret }, options);
        if (options.json !== true) tell(`${id}: store the secret now. It cannot be shown again.`);
      });
    });
}

const asTable = (endpoints: readonly EndpointView[]): string =>
  listing(
    'webhook endpoints',
    ['id', 'state', { spare: 'added' }, { spare: 'account' }, 'events', 'url'],
    endpoints.map(({ id, state, addedAt, accountId, events, url }) => [
      id,
      state,
      toMinute(addedAt),
      accountId,
      events?.join(', ') ?? 'all',
      url,
    ]),
  );
