// counterfoil sandbox
import type { SettingName } from '../../settings.ts';
import { ACCOUNT, command, flag, STORE_SETTINGS, value, valueOr } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { parseDuration } from '../values.ts';

const SANDBOX_SETTINGS: readonly SettingName[] = [...STORE_SETTINGS, 'sandboxUrl'];
const CONNECTION = value('<name>', 'a further sandbox of an account, by its name or id; without it the first one');

function oneBook({ account, connection }: { account: string | undefined; connection: string | undefined }): void {
  if (account !== undefined && connection !== undefined)
    throw new WrongUsage('Name --account or --connection: a connection has one account.');
}

function parseAmount(text: string): number {
  const amount = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(amount) || amount < 1)
    throw new WrongUsage('--amount is a whole number of minor units, such as 1050 for 10.50 EUR.');
  return amount;
}

/** In words here, because the tables are of the sandbox, which no other command loads. */
const FAULT_RULES = `
The first rule that matches a call is applied to it.
  match     operation (authorization, capture, cancellation, refund, adjustment,
            look_up, tokenization), and if wanted amount, card, nth (only that
            call), chance (0 to 1, decided by the plan's seed)
  do.phase  before_send (never arrives), before_effect (arrives, no effect),
            after_effect_before_reply and during_reply (it has happened),
            after_reply (only the notification goes wrong)
  do.fault  reset, hang, slow, 429, 500, 502, 503, invalid_json, unknown_status,
            wrong_id, wrong_amount, wrong_currency; of notifications duplicate,
            delay, reorder, drop, bad_signature, unknown_payment
  do        besides: times (how often at most), delayMs, duplicate (how many
            more notifications come), drop (0 to 1), reorder (true)

A file, with an answer to the next capture that breaks off:
  {"rules": [{"match": {"operation": "capture"},
              "do": {"phase": "during_reply", "fault": "reset", "times": 1}}]}`;

export const clock = {
  show: command({
    usage: 'clock',
    summary: 'Show the business time, or move it forward (test mode)',
    examples: ['sandbox clock', 'sandbox clock advance 7d'],
  }),
  advance: command({
    usage: 'clock advance <duration>',
    summary: 'Move business time forward for the service and its sandbox; work that becomes due is done',
    examples: ['sandbox clock advance 7d', 'sandbox clock advance 30m'],
    argument: { duration: ['how far, such as 7d, 12h, 30m or 45s', parseDuration] },
  }),
};

export const sandboxBooks = {
  faults: command(
    {
      usage: 'faults [file]',
      summary: 'Inject faults into calls of an account by the rules in a JSON file',
      examples: ['sandbox faults faults.json', 'sandbox faults --show', 'sandbox faults --clear --connection second'],
      more: FAULT_RULES,
      settings: SANDBOX_SETTINGS,
      options: {
        show: flag('show the rules, which of them are used up, and how often each was applied'),
        clear: flag('remove all fault rules (test cards still misbehave)'),
        account: ACCOUNT,
        connection: CONNECTION,
      },
    },
    ({ file, show, clear }) => {
      if ([file, show, clear].filter((one) => one !== undefined).length !== 1)
        throw new WrongUsage('Name a file, or use --show or --clear.');
    },
  ),
  ledger: command(
    {
      usage: 'ledger',
      summary: "The sandbox's own books: every effect and every refusal, oldest first",
      examples: ['sandbox ledger', 'sandbox ledger --json', 'sandbox ledger --connection second'],
      settings: SANDBOX_SETTINGS,
      options: {
        account: value('<id>', 'only lines of this account at the first sandbox'),
        connection: CONNECTION,
      },
      opens: 'sandbox',
    },
    (given) => oneBook(given),
  ),
  network: command({
    usage: 'network',
    summary:
      'What the card networks saw of charges without the customer: tries, the names they carried, limits and fines',
    examples: ['sandbox network', 'sandbox network --json'],
    rules: [
      'Counts the tries in the sandbox’s own ledger again: one beyond a network’s limit, or after its “never again”, is fined.',
    ],
    settings: SANDBOX_SETTINGS,
    options: { account: value('<id>', 'only cards of this account, at all its sandboxes') },
    opens: 'sandbox',
  }),
  diff: command({
    usage: 'diff',
    summary:
      "Compare the sandbox's ledger with the read models, attempt by attempt and in the sums; exits 1 if they differ",
    examples: ['sandbox diff', 'sandbox diff --json'],
    rules: [
      'Exits 1 on any difference. Held money, as in `audit conservation`, is none; a payment whose stream cannot be read is one.',
    ],
    json: 'the difference of such a payment is {paymentId, unreadable}',
    settings: SANDBOX_SETTINGS,
    opens: 'sandbox',
  }),
};

/** The acts by their names, as operations of the processor. */
export const ACTS = { capture: 'capture', cancel: 'cancellation', refund: 'refund', raise: 'adjustment' } as const;
const isAct = (name: string): name is keyof typeof ACTS => Object.hasOwn(ACTS, name);

function parseAct(text: string): keyof typeof ACTS {
  if (isAct(text)) return text;
  throw new WrongUsage(`Allowed is ${Object.keys(ACTS).join(', ')}.`);
}

export const sandboxActs = {
  act: command(
    {
      usage: 'act <what> <payment>',
      argument: { what: ['', parseAct] },
      summary: 'Do to a payment what a person does at the acquirer itself (capture, cancel, refund, raise)',
      examples: [
        'sandbox act capture pay_0123 --amount 500',
        'sandbox act refund pay_0123 --silent',
        'sandbox act raise pay_0123 --amount 1500',
      ],
      rules: [
        'Does what a person does at the acquirer itself, in no call of the service; exits 1 if the acquirer’s rules forbid it.',
      ],
      settings: SANDBOX_SETTINGS,
      options: {
        amount: value('<minor units>', 'of a raise the new total; without it all that is possible', parseAmount),
        silent: flag('without a notification: a read of the payment finds it'),
      },
      opens: 'sandbox',
    },
    ({ what, amount }) => {
      if (what === 'raise' && amount === undefined) throw new WrongUsage('A raise needs its new total: --amount.');
      if (what === 'cancel' && amount !== undefined) throw new WrongUsage('A cancellation has no amount.');
    },
  ),
  wait: command(
    {
      usage: 'wait',
      summary:
        'Wait until every attempt is resolved and every notification is delivered; exits 1 if that takes too long',
      examples: ['sandbox wait --until-settled', 'sandbox wait --until-settled --timeout 5m'],
      settings: SANDBOX_SETTINGS,
      options: {
        untilSettled: flag('wait until nothing is unknown, pending or in transit'),
        timeout: valueOr('<duration>', 'the longest wait', parseDuration, 60_000, '60s'),
      },
      opens: 'sandbox',
    },
    ({ untilSettled }) => {
      if (untilSettled !== true) throw new WrongUsage('Name what to wait for: --until-settled.');
    },
  ),
  reset: command(
    {
      usage: 'reset',
      summary:
        'Empty the sandbox: its ledger, waiting notifications and fault rules; payments stay, and differ from the ledger afterwards',
      examples: ['sandbox reset', 'sandbox reset --account acc_0123 --yes'],
      settings: SANDBOX_SETTINGS,
      options: {
        account: value('<id>', 'only for this account, at its first sandbox; without it for all accounts'),
        connection: CONNECTION,
        yes: flag('do not ask for confirmation'),
      },
      opens: 'sandbox',
    },
    (given) => oneBook(given),
  ),
};
