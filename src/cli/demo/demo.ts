// counterfoil demo: one checkout from session to refund over HTTP, every request and answer printed; or a shop to try
// in a browser.
import type { Command } from 'commander';
import type { Scope } from '../../domain/api-key/scopes.ts';
import { inCurrency } from '../../domain/in-currency.ts';
import { type CommonOptions, configOf, declare, OWN_SERVICE_SETTINGS } from '../command.ts';
import { EXIT, WrongUsage } from '../exit.ts';
import { print, write } from '../output.ts';
import { list } from '../table.ts';
import type { Ended } from './checkout.ts';
import type { DemoExchange } from './exchange.ts';
import type { DemoReceiver } from './receiver.ts';
import type { DemoStory, Stage } from './unknown-outcomes.ts';

interface DemoOptions extends CommonOptions {
  readonly unknown?: boolean;
  readonly shop?: boolean;
  readonly connection?: string;
  readonly webhooks?: boolean;
  readonly routing?: boolean;
  readonly url?: string;
}

export function demo(parent: Command): void {
  declare(parent, {
    usage: 'demo',
    summary: 'A session, token, payment, capture and refund, with every request and response',
    examples: [
      'demo',
      'demo --unknown',
      'demo --shop',
      'demo --shop --connection eu',
      'demo --webhooks',
      'demo --routing',
    ],
    json: 'with --shop {shopUrl, url, inMemory}',
    settings: OWN_SERVICE_SETTINGS,
    appends: false,
  })
    .option(
      '--unknown',
      'with cards whose calls time out although the money moved (up to 6 minutes with a running service, otherwise a few seconds)',
    )
    .option('--shop', 'a shop with a checkout on its own port, until Ctrl-C')
    .option('--connection <name>', 'with --shop: pay by this connection of the account instead of the sandbox')
    .option('--webhooks', 'with a receiver that verifies each webhook and shows it below the call that caused it')
    .option(
      '--routing',
      'with rules over two sandboxes, in memory: a payment that falls back, a payment that must not, and a skipped sandbox whose circuit is open',
    )
    .option('--url <url>', 'the running service; without it the service on the data directory, or one in memory')
    .action(run);
}

const HOUR_MS = 3_600_000;
/** The scopes that the shop's server needs, and no others. */
const SHOP_SCOPES: readonly Scope[] = ['client_tokens:write', 'transactions:capture', 'transactions:retrieve'];

async function run(options: DemoOptions): Promise<void> {
  const { shop, unknown, webhooks, routing, connection, url } = options;
  if ([shop, unknown, webhooks, routing].filter((one) => one === true).length > 1)
    throw new WrongUsage('--shop, --unknown, --webhooks and --routing are separate demos: choose one of them.');
  if (routing === true && url !== undefined)
    throw new WrongUsage('--routing sets rules and faults, so it uses a service in memory only.');
  if (connection !== undefined && shop !== true) throw new WrongUsage('--connection belongs to --shop.');
  if (shop === true) return runWithShop(options);
  if (routing === true) return runRouting(options);
  return runAndPrint(options);
}

async function runAndPrint(options: DemoOptions): Promise<void> {
  const { knowingService } = await import('../running-address.ts');
  const config = await knowingService(configOf(options), options);
  const { liveWorld: world } = await import('../../world.ts');
  const { serviceForDemo } = await import('./service-for-demo.ts');
  const { Client, printed } = await import('./exchange.ts');
  const unknown = options.unknown === true;
  const { SCOPES } = await import('../../domain/api-key/scopes.ts');
  const shop = await serviceForDemo(config, options.url, {
    impatient: unknown,
    key: { scopes: SCOPES, lifeMs: HOUR_MS },
  });
  const { DemoReceiver: Receiver, shownDelivery, toldInTheEnd } = await import('./receiver.ts');
  const exchanges: DemoExchange[] = [];
  let receiver: DemoReceiver | undefined;
  const each = async (exchange: DemoExchange): Promise<void> => {
    exchanges.push(exchange);
    if (options.json !== true) await write(`${printed(exchange)}\n`);
    const caused = (await receiver?.causedBy(exchange)) ?? [];
    if (options.json !== true) await write(`${caused.map((one) => `${shownDelivery(one)}\n`).join('')}\n`);
  };
  try {
    if (options.webhooks === true) receiver = await Receiver.open(shop, world);
    const stage = { ...shop, client: new Client(shop.url, world, each), apiKey: shop.key, world };
    const payments = unknown ? await unknownStories(stage) : [await plainCheckout(stage)];
    const { paragraph } = await import('../table.ts');
    const told = receiver && { deliveries: receiver.deliveries, ...toldInTheEnd(receiver.deliveries) };
    const json = { url: shop.url, ...payments[0], payments, exchanges, ...(told && { deliveries: told.deliveries }) };
    print(
      {
        json,
        text: [summary(payments, exchanges, shop.inMemory), ...(told ? [paragraph(told.text)] : [])].join('\n\n'),
      },
      options,
    );
    if (told?.isWhole === false) process.exitCode = EXIT.refused;
  } finally {
    await receiver?.end().finally(() => shop.end());
    if (receiver === undefined) await shop.end();
  }
}

async function runRouting(options: DemoOptions): Promise<void> {
  const { liveWorld: world } = await import('../../world.ts');
  const { routedServiceInMemory } = await import('./service-for-demo.ts');
  const { Client, printed } = await import('./exchange.ts');
  const { routingStories } = await import('./routing.ts');
  const { SCOPES } = await import('../../domain/api-key/scopes.ts');
  const service = await routedServiceInMemory(configOf(options), { scopes: SCOPES, lifeMs: HOUR_MS });
  const exchanges: DemoExchange[] = [];
  const each = async (exchange: DemoExchange): Promise<void> => {
    exchanges.push(exchange);
    if (options.json !== true) await write(`${printed(exchange)}\n\n`);
  };
  try {
    const client = new Client(service.url, world, each);
    const payments = await routingStories({ ...service, client, apiKey: service.key, world });
    const stories = payments.map(({ paymentId, status, choices }) =>
      list([
        ['payment', paymentId],
        ['status', status],
        ...choices.map((choice): readonly [string, string] => ['choice', choice]),
      ]),
    );
    print({ json: { payments, exchanges }, text: ['Summary', ...stories].join('\n\n') }, options);
  } finally {
    await service.end();
  }
}

async function runWithShop({ url, json, connection, ...flags }: DemoOptions): Promise<void> {
  const { knowingService } = await import('../running-address.ts');
  const config = await knowingService(configOf(flags), flags);
  const { serviceForDemo, serviceThatRuns } = await import('./service-for-demo.ts');
  const { accountPayingBy, runShop } = await import('./run-shop.ts');
  const key = { scopes: SHOP_SCOPES, lifeMs: 24 * HOUR_MS };
  const service =
    connection === undefined
      ? await serviceForDemo(config, url, { impatient: false, key })
      : await serviceThatRuns(config, url, key, accountPayingBy(connection));
  try {
    await runShop(service, { host: '127.0.0.1', port: 0, json, connection });
  } finally {
    await service.end();
  }
}

const plainCheckout = async ({ client, apiKey, world }: Stage): Promise<Ended & Partial<DemoStory>> => {
  const { checkout } = await import('./checkout.ts');
  return checkout(client, apiKey, world);
};

const unknownStories = async (stage: Stage): Promise<readonly DemoStory[]> => {
  const { unknownOutcomes } = await import('./unknown-outcomes.ts');
  return unknownOutcomes(stage);
};

type Paid = Ended & Partial<DemoStory>;

/** `inMemory`: the service has ended with the demo, so that nothing of it can be looked at. */
function summary(payments: readonly Paid[], exchanges: readonly DemoExchange[], inMemory: boolean): string {
  const ms = exchanges.reduce((total, exchange) => total + exchange.ms, 0);
  const took = `${exchanges.length} requests took ${ms} ms in total.`;
  return ['Summary', ...payments.map((payment) => summaryOf(payment, inMemory)), took].join('\n\n');
}

function summaryOf({ paymentId, status, currencyCode, ledger, ...sums }: Paid, inMemory: boolean): string {
  const money = (amount: number): string => inCurrency(amount, currencyCode);
  return list([
    ['payment', paymentId],
    ['status', status],
    ['authorized', money(sums.authorized)],
    ['captured', money(sums.captured)],
    ['refunded', money(sums.refunded)],
    ...(ledger === undefined ? [] : [['ledger', `the processor's own books match: ${totals(ledger, money)}`] as const]),
    ...(inMemory ? [] : [['its history', `npx counterfoil payments show ${paymentId}`] as const]),
  ]);
}

const totals = ({ authorized, captured, refunded }: DemoStory['ledger'], money: (amount: number) => string): string =>
  `${money(authorized)} authorized, ${money(captured)} captured, ${money(refunded)} refunded`;
