// counterfoil demo, listen and trigger: the service on a developer's machine
import { InvalidArgumentError } from 'commander';
import { ACCOUNT, asText, command, flag, needed, OWN_SERVICE_SETTINGS, value, valueOr } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { MESSAGE_CAUSES, parseMessageType, parseMessageTypes, parseWholeNumber } from '../values.ts';

export const demo = {
  demo: command(
    {
      usage: 'demo',
      summary: 'A session, token, payment, capture and refund, a line for each request',
      examples: [
        'demo',
        'demo --verbose',
        'demo --unknown',
        'demo --shop',
        'demo --shop --connection eu',
        'demo --webhooks',
        'demo --routing',
        'demo --agreement',
      ],
      json: 'with --shop {shopUrl, url, inMemory}',
      settings: OWN_SERVICE_SETTINGS,
      appends: false,
      options: {
        unknown: flag(
          'with cards whose calls time out although the money moved (up to 6 minutes with a running service, otherwise a few seconds)',
        ),
        shop: flag('a shop with a checkout on its own port, until Ctrl-C'),
        connection: value('<name>', 'with --shop: pay by this connection of the account instead of the sandbox'),
        webhooks: flag('with a receiver that verifies each webhook and shows it below the call that caused it'),
        routing: flag(
          'with rules over two sandboxes, in memory: a payment that falls back, a payment that must not, and a skipped sandbox whose circuit is open',
        ),
        agreement: flag(
          'with an agreement: three periods charged without the customer, a decline whose next try is planned, and a job that runs twice',
        ),
        verbose: flag('every request and response whole'),
        url: value('<url>', 'the running service; without it the service on the data directory, or one in memory'),
      },
    },
    ({ shop, unknown, webhooks, routing, agreement, connection, url }) => {
      if ([shop, unknown, webhooks, routing, agreement].filter((one) => one === true).length > 1)
        throw new WrongUsage(
          '--shop, --unknown, --webhooks, --routing and --agreement are separate demos: choose one of them.',
        );
      if (routing === true && url !== undefined)
        throw new WrongUsage('--routing sets rules and faults, so it uses a service in memory only.');
      if (connection !== undefined && shop !== true) throw new WrongUsage('--connection belongs to --shop.');
    },
  ),
};

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

export const listen = {
  listen: command({
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
    json: 'a line {endpointId, secret, forwardTo, accountId, events, duplicate, shuffle, drop, seed}, then for each delivery {at, eventId, eventType, paymentId, agreementId, sequence, previousSequence, sent, status, ms, fault}',
    options: {
      forwardTo: needed('<url>', 'your receiver; headers and signature arrive unchanged', parseReceiver),
      events: value('<a,b>', 'only these types of messages; without it all types', parseMessageTypes),
      duplicate: flag('send each message twice'),
      shuffle: flag('delay some messages until up to four later ones have passed, by at most 1.5 s'),
      drop: valueOr(
        '<part>',
        'share of messages, 0 to 1: half of them are refused and retried 5 s later, half are acknowledged and dropped',
        parsePart,
        0,
      ),
      seed: value(
        '<n>',
        'repeat the same choices for the first message, the second, …',
        parseWholeNumber(0, 4_294_967_295),
      ),
      account: ACCOUNT,
      address: valueOr('<ip>', 'of this machine, where the service reaches it', asText, '127.0.0.1'),
    },
  }),
};

const WIDTH = 30;
const eventLines = Object.entries(MESSAGE_CAUSES)
  .map(([type, cause]) => `  ${type.padEnd(WIDTH)}${cause}`)
  .join('\n');

export const trigger = {
  trigger: command({
    usage: 'trigger <event>',
    summary:
      'Trigger a webhook by creating a test payment, an agreement or a checkpoint, and wait for its message (test mode)',
    examples: ['trigger PAYMENT.REFUND', 'trigger payment.capture.failed --url http://127.0.0.1:4100'],
    json: '{eventId, eventType, paymentId or agreementId, sequence, status, calls: [{method, path, status, ms}]}; of AUDIT.CHECKPOINT {eventType, checkpoint, calls}',
    more: `\nEvents:\n${eventLines}\nThe faults are rules of the sandbox, which are removed afterwards.`,
    settings: OWN_SERVICE_SETTINGS,
    appends: false,
    argument: { event: ['a type of message, in upper or lower case', parseMessageType] },
    options: {
      url: value('<url>', 'the running service; without it the service on the data directory'),
      account: ACCOUNT,
    },
  }),
};
