// counterfoil demo: one checkout from session to refund over HTTP, every request and answer printed.
import type { Command } from 'commander';
import { ALL_SETTINGS, type CommonOptions, configOf, declare } from '../command.ts';
import type { Exchange } from './exchange.ts';

interface Options extends CommonOptions {
  readonly unknown?: boolean;
  readonly url?: string;
}

export function demo(parent: Command): void {
  declare(parent, {
    usage: 'demo',
    summary: 'Session, token, payment, capture, refund, with every request and answer',
    examples: ['demo', 'demo --unknown'],
    settings: ALL_SETTINGS,
  })
    .option('--unknown', 'with a card whose call times out although the money moved (takes about 40 s)')
    .option('--url <url>', 'the running service; without it the one that the settings name, else one in memory')
    .action(run);
}

async function run(options: Options): Promise<void> {
  const config = configOf(options);
  const { liveWorld } = await import('../../world.ts');
  const { serviceForDemo } = await import('./service-for-demo.ts');
  const { checkout, unknownCheckout } = await import('./checkout.ts');
  const { Client, printed } = await import('./exchange.ts');
  const shop = await serviceForDemo(config, options.url);
  const exchanges: Exchange[] = [];
  const each = (exchange: Exchange): void => {
    exchanges.push(exchange);
    if (options.json !== true) process.stdout.write(`${printed(exchange)}\n\n`);
  };
  try {
    const client = new Client(shop.url, liveWorld, each);
    const ended = await (options.unknown === true ? unknownCheckout : checkout)(client, shop.key, liveWorld);
    if (options.json === true) {
      process.stdout.write(`${JSON.stringify({ url: shop.url, ...ended, exchanges }, null, 2)}\n`);
      return;
    }
    const { paymentId, status, captured, refunded, currencyCode } = ended;
    const story = shop.inMemory ? '' : `\nIts story: counterfoil audit replay ${paymentId} --diff`;
    process.stdout.write(
      `Payment ${paymentId} is ${status}: ${captured} ${currencyCode} captured, ${refunded} refunded (minor units).${story}\n`,
    );
  } finally {
    await shop.end();
  }
}
