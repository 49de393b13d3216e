// The work of counterfoil demo: one checkout from session to refund over HTTP, every request and answer printed; or a
// shop to try in a browser.
import { readConfig } from '../../config.ts';
import { inCurrency } from '../../domain/money.ts';
import { SCOPES, type Scope } from '../../domain/scopes.ts';
import { liveWorld as world } from '../../world.ts';
import { knowingService } from '../addresses.ts';
import { commandLine } from '../as-typed.ts';
import type { GivenValues } from '../command.ts';
import { type CommandResult, write } from '../output.ts';
import type { demo as rows } from '../rows/trial.ts';
import { list, paragraph, toSecond } from '../table.ts';
import { type AgreementStory, agreementStory } from './agreement-story.ts';
import { briefly, checkout, type DemoExchange, type Ended, printed, ShopCalls } from './calls.ts';
import { DemoReceiver, shownDelivery, toldInTheEnd } from './receiver.ts';
import { accountPayingBy, runShop } from './run-shop.ts';
import { routedServiceInMemory, serviceForDemo, serviceThatRuns } from './service-for-demo.ts';
import { type DemoStory, routingStories, unknownOutcomes } from './stories.ts';

const WITH_CALLS = '--verbose shows every request and response.';

type DemoOptions = GivenValues<typeof rows.demo>;

const HOUR_MS = 3_600_000;
/** The scopes that the shop's server needs, and no others. */
const SHOP_SCOPES: readonly Scope[] = ['client_tokens:write', 'transactions:capture', 'transactions:retrieve'];

export async function demo(given: DemoOptions): Promise<CommandResult | undefined> {
  if (given.shop === true) return withShop(given);
  if (given.agreement === true) return withAgreement(given);
  return given.routing === true ? withRouting(given) : withCheckout(given);
}

async function withCheckout(given: DemoOptions): Promise<CommandResult> {
  const config = await knowingService(readConfig(given, process.env), given);
  const impatient = given.unknown === true;
  const service = await serviceForDemo(config, given.url, { impatient, key: { scopes: SCOPES, lifeMs: HOUR_MS } });
  const exchanges: DemoExchange[] = [];
  let receiver: DemoReceiver | undefined;
  const each = async (exchange: DemoExchange): Promise<void> => {
    exchanges.push(exchange);
    const isWhole = given.verbose === true;
    if (given.json !== true) await write(`${isWhole ? printed(exchange) : briefly(exchange)}\n`);
    const caused = (await receiver?.causedBy(exchange)) ?? [];
    const below = caused.map((one) => `${shownDelivery(one)}\n`).join('');
    if (given.json !== true) await write(isWhole ? `${below}\n` : below);
  };
  try {
    if (given.webhooks === true) receiver = await DemoReceiver.open(service, world);
    const { url, key, inMemory } = service;
    const stage = { ...service, calls: new ShopCalls(url, key, world, each), world };
    const payments: readonly Paid[] = given.unknown
      ? await unknownOutcomes(stage)
      : [await checkout(stage.calls, world)];
    const deliveries = receiver?.deliveries;
    const told = deliveries && toldInTheEnd(deliveries);
    return {
      json: { url, ...payments[0], payments, exchanges, ...(deliveries && { deliveries }) },
      text: [
        ...(given.verbose === true ? [] : ['']),
        [summary(payments, exchanges, inMemory), ...(told ? [paragraph(told.text)] : [])].join('\n\n'),
      ].join('\n'),
      notes: given.verbose === true ? [] : [WITH_CALLS],
      isRefused: told?.isWhole === false,
    };
  } finally {
    await receiver?.end().finally(() => service.end());
    if (receiver === undefined) await service.end();
  }
}

async function withRouting(given: DemoOptions): Promise<CommandResult> {
  const key = { scopes: SCOPES, lifeMs: HOUR_MS };
  const service = await routedServiceInMemory(readConfig(given, process.env), key);
  const exchanges: DemoExchange[] = [];
  const each = async (exchange: DemoExchange): Promise<void> => {
    exchanges.push(exchange);
    if (given.json !== true && given.verbose === true) await write(`${printed(exchange)}\n\n`);
  };
  try {
    const calls = new ShopCalls(service.url, service.key, world, each);
    const payments = await routingStories({ ...service, calls, world });
    const stories = payments.map(({ paymentId, status, choices }) =>
      list([
        ['payment', paymentId],
        ['status', status],
        ...choices.map((choice): readonly [string, string] => ['choice', choice]),
      ]),
    );
    return {
      json: { payments, exchanges },
      text: ['Summary', ...stories].join('\n\n'),
      notes: given.verbose === true ? [] : [WITH_CALLS],
    };
  } finally {
    await service.end();
  }
}

async function withAgreement(given: DemoOptions): Promise<CommandResult> {
  const config = await knowingService(readConfig(given, process.env), given);
  const service = await serviceForDemo(config, given.url, {
    impatient: false,
    key: { scopes: SCOPES, lifeMs: HOUR_MS },
  });
  const exchanges: DemoExchange[] = [];
  const each = async (exchange: DemoExchange): Promise<void> => {
    exchanges.push(exchange);
    if (given.json !== true)
      await write(given.verbose === true ? `${printed(exchange)}\n\n` : `${briefly(exchange)}\n`);
  };
  try {
    const story = await agreementStory(new ShopCalls(service.url, service.key, world, each), world);
    return {
      json: { url: service.url, ...story, exchanges },
      text: ['', agreementSummary(story, service.inMemory)].join('\n'),
      notes: given.verbose === true ? [] : [WITH_CALLS],
    };
  } finally {
    await service.end();
  }
}

function agreementSummary({ agreementId, charges, again, declined }: AgreementStory, inMemory: boolean): string {
  const { code = '', notBefore = '', because = '', retryAt = '' } = declined;
  return [
    'Summary',
    list([
      ['agreement', agreementId],
      ...charges.map(({ periodKey, paymentId, status }) => [periodKey, `${status}  ${paymentId}`] as const),
      ['declined', code],
      ['not before', `${toSecond(notBefore)}, ${because}`],
      ['next try', `${toSecond(retryAt)}, planned by the service`],
      ...(inMemory ? [] : [['its history', commandLine(`agreements show ${agreementId}`)] as const]),
    ]),
    'The second run of the job',
    list(again.map(({ periodKey, paymentId, status }) => [periodKey, `${status}  ${paymentId}`] as const)),
  ].join('\n\n');
}

async function withShop({ url, json, connection, ...flags }: DemoOptions): Promise<undefined> {
  const config = await knowingService(readConfig(flags, process.env), flags);
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
    ...(inMemory ? [] : [['its history', commandLine(`payments show ${paymentId}`)] as const]),
  ]);
}

const totals = ({ authorized, captured, refunded }: DemoStory['ledger'], money: (amount: number) => string): string =>
  `${money(authorized)} authorized, ${money(captured)} captured, ${money(refunded)} refunded`;
