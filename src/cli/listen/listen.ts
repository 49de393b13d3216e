// counterfoil listen: the webhooks of a service in test mode, on a developer's machine, with misfortunes if they are
// wanted; until Ctrl-C.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { configOf, declare, STORE_SETTINGS } from '../command.ts';
import { parseWholeNumber } from '../duration.ts';
import { parseMessageTypes } from '../message-types.ts';
import { ACCOUNT_FLAG } from '../which-account.ts';
import type { ListenOptions } from './run-listener.ts';

export function listen(parent: Command): void {
  declare(parent, {
    usage: 'listen',
    summary: 'Forward webhooks to a receiver under development and draw each delivery, until Ctrl-C (test mode)',
    examples: [
      'listen --forward-to http://127.0.0.1:4242/webhooks',
      'listen --forward-to localhost:4242/webhooks --duplicate --shuffle --drop 0.2 --seed 7',
    ],
    rules: [
      'Test mode. Headers and signature stay as they were. It disables its endpoint at Ctrl-C; if it was killed, the service does at the first message without a receiver.',
      'A missing receiver is a 502 to the service.',
    ],
    json: 'a line {endpointId, secret, forwardTo, accountId, events, duplicate, shuffle, drop, seed}, then for each delivery {at, eventId, eventType, paymentId, sequence, previousSequence, sent, status, ms, fault}',
    settings: STORE_SETTINGS,
  })
    .addOption(
      new Option('--forward-to <url>', 'your receiver; headers and signature arrive unchanged')
        .argParser(parseReceiver)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--events <a,b>', 'only these types of messages; without it all types').argParser(parseMessageTypes),
    )
    .option('--duplicate', 'send each message twice')
    .option('--shuffle', 'delay some messages until up to four later ones have passed, by at most 1.5 s')
    .addOption(
      new Option(
        '--drop <part>',
        'share of messages, 0 to 1: half of them are refused and retried 5 s later, half are acknowledged and dropped',
      )
        .argParser(parsePart)
        .default(0),
    )
    .addOption(
      new Option('--seed <n>', 'repeat the same choices for the first message, the second, …').argParser(
        parseWholeNumber(0, 4_294_967_295),
      ),
    )
    .option(...ACCOUNT_FLAG)
    .option('--address <ip>', 'of this machine, where the service reaches it', '127.0.0.1')
    .action(run);
}

async function run(options: ListenOptions): Promise<void> {
  const { mustBeTestMode } = await import('./short-lived-endpoint.ts');
  mustBeTestMode(configOf(options));
  const { withService } = await import('../open/with-stores.ts');
  const { runListener } = await import('./run-listener.ts');
  await withService(options, (opened) => runListener(opened, options));
}

/** `localhost:3000/webhooks` and `3000` mean http. */
function parseReceiver(text: string): URL {
  const full = /^\d{1,5}$/.test(text)
    ? `http://127.0.0.1:${text}`
    : /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
      ? text
      : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (
    url === undefined ||
    (url.protocol !== 'http:' && url.protocol !== 'https:') ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new InvalidArgumentError(
      'Allowed is an http:// or https:// URL without a user name, such as http://127.0.0.1:4242/webhooks.',
    );
  return url;
}

function parsePart(text: string): number {
  const part = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(part >= 0 && part <= 1)) throw new InvalidArgumentError('Allowed is a number from 0 to 1, such as 0.2.');
  return part;
}
