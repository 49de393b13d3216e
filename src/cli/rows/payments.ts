// counterfoil payments, agreements, customers and notifications
import { ACCOUNT, command, flag, needed, STORE_SETTINGS, value, valueOr } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { parseWholeNumber } from '../values.ts';

const MOST_CHARACTERS = 1_000;

function checkText(name: string, text: string, most: number): void {
  const length = [...text].length;
  if (text.trim() === '' || length > most) throw new WrongUsage(`${name} needs 1 to ${most} characters.`);
  if (/[\p{Surrogate}\0]/u.test(text)) throw new WrongUsage(`${name} holds characters that cannot be stored.`);
}

function parseOutcome(text: string): 'succeeded' | 'failed' {
  if (text === 'succeeded' || text === 'failed') return text;
  throw new WrongUsage(`--as is ${JSON.stringify(text)}: allowed is succeeded or failed.`);
}

export const payments = {
  show: command({
    usage: 'show <id>',
    summary: 'One payment, with its history and its unresolved attempts and dispute responses',
    examples: ['payments show pay_0123'],
    opens: 'service',
  }),
  list: command({
    usage: 'list',
    summary: 'Payments, newest first',
    examples: ['payments list --status AUTHORIZED,SETTLED', 'payments list --unknown'],
    rules: [
      '--unknown lists payments by their next look-up, then those that only an operator can close; a call in progress is not unknown.',
    ],
    options: {
      status: value('<a,b>', 'only these statuses'),
      unknown: flag(
        'only payments with an unknown outcome (including dispute responses), by their next look-up, and payments that only an operator can close',
      ),
      limit: valueOr('<n>', 'how many at most', parseWholeNumber(1, 1_000), 20),
      account: ACCOUNT,
    },
    opens: 'service',
  }),
  resolve: command(
    {
      usage: 'resolve <id>',
      summary: 'Resolve an unknown outcome manually, as an event',
      examples: [
        'payments resolve pay_0123 --as succeeded --evidence "statement of 3 May, line 17" --transaction txn_987',
        'payments resolve pay_0123 --as failed --evidence "asked their support, ticket 4711"',
      ],
      settings: [...STORE_SETTINGS, 'sandboxUrl'],
      options: {
        as: needed(
          '<outcome>',
          'succeeded: it happened as requested; failed: it did not happen, or never arrived',
          parseOutcome,
        ),
        evidence: needed('<text>', 'the source of your knowledge, which is recorded permanently'),
        attempt: value(
          '<id>',
          'which attempt or dispute response, OVER_REFUNDED or DIFFERS, if several are open; `payments show` lists them',
        ),
        transaction: value('<id>', "the processor's own id of the success, if it is not recorded yet"),
      },
      opens: 'service',
    },
    ({ as, evidence, transaction }) => {
      checkText('--evidence', evidence, MOST_CHARACTERS);
      if (transaction !== undefined) checkText('--transaction', transaction, 255);
      if (as === 'failed' && transaction !== undefined)
        throw new WrongUsage('--transaction belongs to a success and cannot be combined with --as failed.');
    },
  ),
};

export const agreements = {
  show: command({
    usage: 'show <id>',
    summary: 'One agreement: terms, consent, and its newest periods with their payments',
    examples: ['agreements show agr_0123'],
    opens: 'service',
  }),
  list: command({
    usage: 'list',
    summary: 'Agreements, newest first',
    examples: ['agreements list --status SUSPENDED', 'agreements list --customer customer-1'],
    options: {
      status: value('<a>', 'only this status'),
      customer: value('<id>', 'only those of this customer'),
      limit: valueOr('<n>', 'how many at most', parseWholeNumber(1, 100), 20),
      account: ACCOUNT,
    },
    opens: 'service',
  }),
};

export const customers = {
  erase: command({
    usage: 'erase <id>',
    summary: "Erase a customer's personal data for good; the log, its proofs and the books stay as they are",
    examples: ['customers erase customer-1', 'customers erase customer-1 --when-over'],
    rules: ['Works with or without a running service, and exits 1 with the payments that are in the way.'],
    json: '{customerId, erasedAt, payments, sessions, instrumentsDeleted, keysDestroyed, filesCleaned}; filesCleaned is null for MongoDB',
    options: {
      account: ACCOUNT,
      whenOver: flag('wait while a payment of the customer is open or disputed, instead of refusing'),
    },
    opens: 'service',
  }),
};

export const notifications = {
  parked: command({
    usage: 'parked',
    summary:
      'Parked notifications, oldest first: those without a known payment, retried for 30 days, and those that contradict one with the same id',
    examples: ['notifications parked'],
    options: { limit: valueOr('<n>', 'how many at most', parseWholeNumber(1, 999), 100) },
    opens: 'service',
  }),
  retry: command({
    usage: 'retry <id>',
    summary: 'Retry a parked notification now; exits 1 if it stays parked',
    examples: ['notifications retry 0f3a5c7e'],
    opens: 'service',
  }),
  discard: command({
    usage: 'discard <id>',
    summary: 'Discard a parked notification permanently; its content is never applied',
    examples: ['notifications discard 0f3a5c7e'],
    opens: 'service',
  }),
};
