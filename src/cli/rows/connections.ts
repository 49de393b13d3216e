// counterfoil connections and routing
import { InvalidArgumentError } from 'commander';
import { OfferedMethod } from '../../domain/payment-method.ts';
import { parseTime } from '../../world.ts';
import { ACCOUNT, command, flag, needed, STORE_SETTINGS, value, valueOr } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { parseDuration } from '../values.ts';

/** In ms. */
function parseDay(text: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? parseTime(`${text}T00:00:00Z`) : undefined;
  if (at === undefined) throw new InvalidArgumentError('Allowed is a day: 2026-11-28.');
  return at;
}

/** A method of payment. */
function parseMethod(text: string): OfferedMethod {
  const method = OfferedMethod.safeParse(text);
  if (!method.success) throw new InvalidArgumentError(`Allowed is one of ${OfferedMethod.options.join(', ')}.`);
  return method.data;
}

export const connections = {
  add: command({
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
    options: {
      processor: needed('<name>', 'the processor: stripe, or in test mode sandbox for a further sandbox'),
      name: needed('<name>', 'a name of your own for the connection'),
      secretKey: value('<reference>', 'env:NAME or file:PATH of the secret API key; a sandbox has none'),
      webhookSecret: value('<reference>', 'env:NAME or file:PATH of the secret that signs notifications'),
      publishableKey: value('<key>', 'the key that browsers may see, for the processor’s own fields'),
      apiUrl: value('<url>', 'another server that speaks the processor’s API; test mode only'),
      account: ACCOUNT,
    },
    opens: 'service',
  }),
  list: command({
    usage: 'list',
    summary: 'The connections of accounts to processors, without their secrets',
    examples: ['connections list'],
    options: { account: value('<id>', 'only connections of this account') },
    opens: 'service',
  }),
  show: command({
    usage: 'show <connection>',
    summary: 'One connection: its references, and whether they can be read here',
    examples: ['connections show con_0123', 'connections show eu'],
    json: 'has burnProven, and unreadable: why a secret cannot be read here, or null',
    opens: 'service',
  }),
  rotate: command(
    {
      usage: 'rotate <connection>',
      summary: 'New references of a connection; the previous webhook secret stays valid for 24 hours',
      examples: [
        'connections rotate con_0123 --webhook-secret env:STRIPE_WEBHOOK_2',
        'connections rotate con_0123 --drop-previous',
      ],
      rules: [
        'After a new webhook secret the previous one stays valid for 24 hours; a further one is a Conflict until then.',
      ],
      options: {
        secretKey: value('<reference>', 'env:NAME or file:PATH'),
        webhookSecret: value('<reference>', 'env:NAME or file:PATH'),
        publishableKey: value('<key>', 'the key that browsers may see'),
        dropPrevious: flag('refuse notifications signed by the previous webhook secret from now on'),
      },
      opens: 'service',
    },
    ({ secretKey, webhookSecret, publishableKey, dropPrevious }) => {
      if ([secretKey, webhookSecret, publishableKey, dropPrevious].every((one) => one === undefined))
        throw new WrongUsage(
          'Name at least one of --secret-key, --webhook-secret, --publishable-key and --drop-previous.',
        );
    },
  ),
  disable: command({
    usage: 'disable <connection>',
    summary: 'Begin no new payment by a connection; its payments can still be captured, refunded and cancelled',
    examples: ['connections disable con_0123'],
    opens: 'service',
  }),
  check: command(
    {
      usage: 'check <connection>',
      summary: 'Ask the processor about its account of a connection, and exit 1 if something needs attention',
      examples: ['connections check con_0123', 'connections check con_0123 --script --transcript run.json'],
      rules: [
        'Exits 1 if something needs attention, or a step of the script fails.',
        'After a run of the script without a failure the connection has burnProven, and “not found” is certain after a fence; a later run that fails takes that back. Refused in live mode.',
      ],
      settings: [...STORE_SETTINGS, 'host', 'port', 'publicUrl'],
      options: {
        script: flag('try with test money what the fences of the connection rely on, and record whether it holds'),
        transcript: value('<file>', 'where its requests and responses go, without secrets; otherwise to the output'),
      },
      opens: 'service',
    },
    ({ script, transcript }) => {
      if (transcript !== undefined && script !== true) throw new WrongUsage('--transcript needs --script.');
    },
  ),
  reconcile: command({
    usage: 'reconcile <connection>',
    summary:
      'Read the payments of a connection at its processor, record what was moved there, and exit 1 if one differs',
    examples: ['connections reconcile con_0123 --since 2026-11-01'],
    rules: ['Exits 1 if a payment differs or was not read.'],
    json: '{payments, agree, booked, differ, unread, waiting, notShown}',
    settings: [...STORE_SETTINGS, 'sandboxUrl'],
    options: { since: needed('<day>', 'payments that were created on this day (UTC) or later', parseDay) },
    opens: 'service',
  }),
};

const WEEK_MS = 7 * 86_400_000;

export const routing = {
  set: command({
    usage: 'set <file>',
    summary: 'Set the rules of a JSON file, which apply to every payment from now on',
    examples: ['routing set rules.json'],
    rules: ['Exits 1 with a line for each mistake and its place.'],
    options: { account: ACCOUNT },
    opens: 'service',
  }),
  clear: command({
    usage: 'clear',
    summary: 'Remove the rules: from now on a payment goes to the connection at which its token is good',
    examples: ['routing clear'],
    rules: ['Takes effect from the next payment on.'],
    json: '{version}, 0 if there were never any rules',
    options: { account: ACCOUNT },
    opens: 'service',
  }),
  show: command({
    usage: 'show',
    summary: 'The rules as a table, and who set which version when',
    examples: ['routing show', 'routing show --json'],
    rules: ['--json has the rules as their file.'],
    json: '{rules, versions}; rules is null without any',
    options: { account: ACCOUNT },
    opens: 'service',
  }),
  test: command(
    {
      usage: 'test [file]',
      summary:
        "What the rules of a file would have chosen for the account's own past payments, or what a payment of one session would do; it calls nobody",
      examples: [
        'routing test rules.json',
        'routing test rules.json --since 30d',
        'routing test --session cs_0123',
        'routing test rules.json --session cs_0123 --method IDEAL',
      ],
      rules: [
        'Calls nobody, and reads up to 100,000 payments of the account.',
        'With --session: by the rules of the file, otherwise by those of the account. The method is not entered yet, so a rule about a network does not match, and no connection lacks a token of the card.',
        'Each node has its own circuits; this command has none.',
      ],
      json: '{payments, elsewhere, rules, isCut}; with --session the DryRun of the API, {allowed, operation, error, rule, amount, currencyCode, charged, connection, fallbacks}',
      options: {
        since: valueOr('<duration>', 'how far back', parseDuration, WEEK_MS, '7d'),
        session: value('<id>', 'one client session in place of past payments'),
        method: value('<method>', 'what the session is paid with; PAYMENT_CARD without it', parseMethod),
        account: ACCOUNT,
      },
      opens: 'service',
    },
    ({ file, session, method }) => {
      if (file === undefined && session === undefined)
        throw new WrongUsage('Name a file of rules, or a client session with --session.');
      if (method !== undefined && session === undefined) throw new WrongUsage('--method needs --session.');
    },
  ),
};
