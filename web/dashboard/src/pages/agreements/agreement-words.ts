// Agreements in words: their terms, what their customers have to do, and why a try waits.
import { moneyText } from '../../parts/money.tsx';
import type { Agreement, ChargeTry, Period } from './agreement-types.ts';

const EACH = {
  DAY: ['day', 'days'],
  WEEK: ['week', 'weeks'],
  MONTH: ['month', 'months'],
  YEAR: ['year', 'years'],
} as const;

/** `€19.00 every month`, `At most €50.00 every 2 weeks, 12 times`, `Any amount in EUR`. */
export function termsText({ terms }: Pick<Agreement, 'terms'>): string {
  const { amountRule, amount, currencyCode, frequency, interval = 1, count } = terms;
  const sum = amount === undefined ? `Any amount in ${currencyCode}` : moneyText({ amount, currencyCode });
  const limited = amountRule === 'MAXIMUM' ? `At most ${sum}` : sum;
  const each =
    frequency === undefined
      ? ''
      : interval === 1
        ? ` every ${EACH[frequency][0]}`
        : ` every ${interval} ${EACH[frequency][1]}`;
  return `${limited}${each}${count === undefined ? '' : count === 1 ? ', once' : `, ${count} times`}`;
}

export const KIND_WORDS: { readonly [K in Agreement['kind']]: string } = {
  RECURRING: 'Recurring: at fixed times',
  INSTALLMENT: 'Instalments: parts of one price',
  UNSCHEDULED: 'Unscheduled: whenever the terms say',
};

export const CHANNEL_WORDS: { readonly [C in Agreement['consent']['channel']]: string } = {
  ONLINE: 'Online',
  PAPER: 'On paper',
  PHONE: 'By phone',
};

type Notice = NonNullable<Agreement['notices']>[number];

export const NOTICE_WORDS: { readonly [K in Notice['kind']]: string } = {
  PRE_NOTIFICATION: 'Notice before a charge',
  TERMS: 'Notice of new terms',
};
export const NOTICE_CHANNEL_WORDS: { readonly [C in Notice['channel']]: string } = {
  EMAIL: 'By e-mail',
  SMS: 'By SMS',
  LETTER: 'By letter',
  APP: 'In an app',
};

export const ACTION_WORDS: { readonly [A in NonNullable<Agreement['action']>]: string } = {
  AUTHENTICATE: 'The customer has to confirm with the bank',
  NEW_INSTRUMENT: 'The customer has to give another payment method',
};

/** Who retries declined periods. */
export function retryWords(retry: Agreement['retry']): string {
  if (retry === undefined || retry.policy === 'NONE') return 'Only your own calls';
  if (retry.policy === 'ADVISED') return 'By the service: as the card network says, otherwise after 1, 3, 5 and 7 days';
  return `By the service, after ${(retry.days ?? []).join(', ')} days`;
}

const BECAUSE_WORDS: { readonly [B in NonNullable<Period['because']>]: string } = {
  DECLINED: 'a day after a decline',
  NETWORK_ADVICE: 'as the card network says',
  NETWORK_LIMIT: 'the card network’s limit is used up',
  NETWORK_FORBIDS: 'the card network allows no further try',
  PERIOD_OVER: 'later periods were charged since',
};
export const becauseWords = (because: Period['because']): string | undefined => because && BECAUSE_WORDS[because];

export const REFUSED_WORDS: { readonly [R in NonNullable<ChargeTry['retryRefused']>]: string } = {
  NETWORK_LIMIT: 'The card network’s limit was used up',
  NETWORK_FORBIDS: 'The card network allows no further try',
  OUTSIDE_TERMS: 'The customer no longer agrees to it',
  NOT_POSSIBLE: 'The payment cannot be made again as it was',
};
