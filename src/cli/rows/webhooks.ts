// counterfoil webhooks
import { parseTime } from '../../world.ts';
import { ACCOUNT, command, flag, needed, STORE_SETTINGS, value, valueOr } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { parseDuration, parseWholeNumber } from '../values.ts';

const DAY_MS = 86_400_000;

export const endpoints = {
  add: command({
    usage: 'add',
    summary: 'Send the messages of an account to a URL, and print the secret that signs them once',
    examples: [
      'webhooks endpoints add --url https://shop.example/webhooks',
      'webhooks endpoints add --url https://shop.example/disputes --events DISPUTE.OPENED,DISPUTE.STATUS',
    ],
    rules: ['An enabled endpoint with the same URL and types is reported on stderr.'],
    json: '{id, url, secret, events, accountId}; events are the types that it gets today, and the secret is shown once',
    options: {
      url: needed('<url>', 'the URL of the receiver; in live mode a public https:// address'),
      events: value('<a,b>', 'the types of messages; without it all types, including future ones', (text) =>
        text.split(','),
      ),
      account: ACCOUNT,
    },
    opens: 'service',
  }),
  list: command({
    usage: 'list',
    summary: 'The webhook endpoints, without their secrets, and how their deliveries go',
    examples: ['webhooks endpoints list'],
    rules: [
      'BACKLOG counts the messages that wait for a call, FAILED those that were given up in the last 24 hours, and LAST HOUR the calls that were taken, of all.',
      'failing: none of the last hour’s calls was taken, or without one the last call.',
    ],
    json: 'has lastAttempt, waiting, retrying, lastDay: {delivered, failed}, lastHour: {tried, taken, isMore}',
    options: { account: value('<id>', 'only endpoints of this account') },
    opens: 'service',
  }),
  change: command(
    {
      usage: 'change <id>',
      summary: 'Change the URL or the types of an endpoint; its secret stays',
      examples: [
        'webhooks endpoints change we_0123 --url https://shop.example/hooks',
        'webhooks endpoints change we_0123 --events all',
      ],
      options: {
        url: value('<url>', 'the URL to call from now on, including for messages that wait'),
        /** Empty: all types. */
        events: value('<a,b>', 'the types of messages about later events; `all`: including future types', (text) =>
          text === 'all' ? [] : text.split(','),
        ),
      },
      opens: 'service',
    },
    ({ url, events }) => {
      if (url === undefined && events === undefined)
        throw new WrongUsage('webhooks endpoints change needs --url or --events.');
    },
  ),
  disable: command({
    usage: 'disable <id>',
    summary: 'Disable an endpoint permanently; pending messages are dropped too',
    examples: ['webhooks endpoints disable we_0123'],
    opens: 'service',
  }),
  /** For a while both secrets sign, so that the receiver changes its own in peace. */
  rotateSecret: command({
    usage: 'rotate-secret <id>',
    summary: 'Give an endpoint a new secret and print it once; the old secret stays valid for a while',
    examples: ['webhooks endpoints rotate-secret we_0123 --overlap 1h'],
    options: {
      overlap: valueOr('<duration>', 'how long both secrets sign messages', parseDuration, DAY_MS, '24h'),
    },
    opens: 'service',
  }),
  remove: command({
    usage: 'delete <id>',
    summary: 'Delete an endpoint permanently; pending messages are dropped, and its deliveries stay readable',
    examples: ['webhooks endpoints delete we_0123'],
    opens: 'service',
  }),
};

/** A duration before now, or a time; ms. */
export type Since = { readonly agoMs: number } | { readonly at: number };

function parseSince(text: string): Since {
  const at = parseTime(text);
  return at === undefined ? { agoMs: parseDuration(text) } : { at };
}

export const deliveries = {
  list: command({
    usage: 'deliveries',
    summary: 'Deliveries of webhooks by payment, newest first',
    examples: ['webhooks deliveries --failed', 'webhooks deliveries --endpoint we_0123'],
    rules: ['A narrow terminal leaves out the ids that `webhooks resend` takes: a pipe and --json have them.'],
    options: {
      failed: flag('only permanently failed deliveries'),
      endpoint: value('<id>', 'only deliveries to this endpoint'),
      payment: value('<id>', 'only deliveries about this payment'),
      account: value('<id>', 'only deliveries of this account'),
      limit: valueOr('<n>', 'the largest number of payments', parseWholeNumber(1, 100), 20),
    },
    opens: 'service',
  }),
  resend: command(
    {
      usage: 'resend [id]',
      summary: 'Deliver a message again, or all that an endpoint has not taken since a time, within a second or two',
      examples: ['webhooks resend we_0123.pay_0123.4', 'webhooks resend --endpoint we_0123 --since 24h'],
      rules: [
        '--since is a duration before now, such as 24h, or an RFC 3339 time. Everything queued then or later that the endpoint has not taken is sent again.',
      ],
      json: '{endpointId, since, messages, dryRun}',
      options: {
        endpoint: value('<id>', 'with --since: the endpoint whose messages are resent'),
        since: value('<time>', 'a duration such as 24h, or a time such as 2026-11-27T08:00:00Z', parseSince),
        dryRun: flag('with --since: only count the messages'),
      },
      opens: 'service',
    },
    ({ id, endpoint, since, dryRun }) => {
      const isOne = id !== undefined && endpoint === undefined && since === undefined && dryRun === undefined;
      const isMany = id === undefined && endpoint !== undefined && since !== undefined;
      if (!isOne && !isMany)
        throw new WrongUsage('webhooks resend needs the id of a delivery, or --endpoint and --since.');
    },
  ),
};

export const incoming = {
  add: command(
    {
      usage: 'add',
      summary: 'Create a URL that acts as an API key and print it once; revoking the key disables the URL',
      examples: ['webhooks incoming add --processor sandbox --key key_0123'],
      json: '{id, url, processor, keyId}; the URL is shown once',
      settings: [...STORE_SETTINGS, 'host', 'port', 'publicUrl'],
      options: {
        processor: needed('<name>', 'the processor that will call the URL'),
        key: needed('<id>', 'the API key, with the scope third_party:webhook_trigger'),
      },
      opens: 'service',
    },
    ({ processor }) => {
      if (!/^[a-z0-9-]{1,64}$/.test(processor))
        throw new WrongUsage('--processor needs 1 to 64 of the characters a-z, 0-9 and -.');
    },
  ),
  list: command({
    usage: 'list',
    summary: 'The URLs of processors that cannot send a header, without their tokens',
    examples: ['webhooks incoming list'],
    opens: 'service',
  }),
  revoke: command({
    usage: 'revoke <id>',
    summary: 'Revoke a URL permanently, effective immediately',
    examples: ['webhooks incoming revoke key_0123.1'],
    opens: 'service',
  }),
};
