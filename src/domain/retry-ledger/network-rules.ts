// What the card networks say about trying again: how long after which refusal, how often, and never. Their rule books
// are not public; each row names the page from which it was read. A row is data, and dated: `doctor` warns once
// REVIEW_BY is over (contract §14).

/** The refusal of an authorization without the customer. */
export interface NetworkRefusal {
  /** As an instrument names it: VISA, MASTERCARD. */
  readonly network: string;
  /** Ours (contract §4). */
  readonly code: string;
  readonly declineType: 'SOFT' | 'HARD';
  /** The network's own codes, as they came. */
  readonly networkCode?: string | undefined;
  readonly networkAdviceCode?: string | undefined;
  readonly advice?: 'DO_NOT_RETRY' | 'RETRY_LATER' | 'UPDATE_DATA' | undefined;
}

/**
 * `wait`: the same may succeed after so long; `waitMs` is undefined where nobody names a time. `authenticate`: only
 * with the customer. `other`: not with this method as it is. `never`: not with this card again. `withdrawn`: the
 * customer allows no charge any longer; `isForAll`: by no agreement with this merchant.
 */
export type NetworkWord =
  | { readonly kind: 'wait'; readonly waitMs?: number }
  | { readonly kind: 'withdrawn'; readonly isForAll?: true }
  | { readonly kind: 'authenticate' | 'other' | 'never' };

interface WordRule {
  readonly network: string;
  /** The response code of the network, or its advice. */
  readonly by: 'networkCode' | 'networkAdviceCode';
  readonly codes: readonly string[];
  readonly word: NetworkWord;
  readonly source: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The day, in UTC, from which somebody has to read the sources again. */
export const REVIEW_BY = '2027-06-01';

const VISA_CATEGORIES = 'checkout.com, Visa response code categories; 57 since 25 October 2026';
const ADVICE_CODES = 'docs.everonet.com, Mastercard merchant advice codes';

const visa = (codes: readonly string[], word: NetworkWord): WordRule => ({
  network: 'VISA',
  by: 'networkCode',
  codes,
  word,
  source: VISA_CATEGORIES,
});
const mastercard = (code: string, word: NetworkWord, source = ADVICE_CODES): WordRule => ({
  network: 'MASTERCARD',
  by: 'networkAdviceCode',
  codes: [code],
  word,
  source,
});
const after = (waitMs: number): NetworkWord => ({ kind: 'wait', waitMs });

export const WORD_RULES: readonly WordRule[] = [
  visa(['R0'], { kind: 'withdrawn' }),
  visa(['R1', 'R3'], { kind: 'withdrawn', isForAll: true }),
  visa(['04', '07', '12', '14', '15', '41', '43', '46', '57'], { kind: 'never' }),
  visa(['54', '55', '82', 'N7'], { kind: 'other' }),
  mastercard('01', { kind: 'other' }),
  mastercard('02', after(72 * HOUR_MS)),
  mastercard('03', { kind: 'never' }),
  mastercard('21', { kind: 'withdrawn', isForAll: true }),
  mastercard('24', after(HOUR_MS)),
  mastercard('25', after(DAY_MS)),
  mastercard('26', after(2 * DAY_MS)),
  mastercard('27', after(4 * DAY_MS)),
  mastercard('28', after(6 * DAY_MS)),
  mastercard('29', after(8 * DAY_MS)),
  mastercard('30', after(10 * DAY_MS)),
  mastercard('40', { kind: 'never' }, 'developer.paypal.com, Braintree merchant advice codes'),
  mastercard('41', { kind: 'never' }, 'developer.paypal.com, Braintree merchant advice codes'),
];

interface TryLimit {
  readonly network: string;
  /** Tries that may be declined within the time, over all connections of an account. */
  readonly most: number;
  readonly withinMs: number;
  /** Tries of another amount do not count. */
  readonly sameAmount?: true;
  readonly source: string;
}

export const TRY_LIMITS: readonly TryLimit[] = [
  {
    network: 'VISA',
    most: 20,
    withinMs: 30 * DAY_MS,
    sameAmount: true,
    source: 'checkout.com, 10 September 2026: 20 in 30 days; 15 before 19 May 2025 (support.cardpointe.com)',
  },
  { network: 'MASTERCARD', most: 10, withinMs: DAY_MS, source: 'developers.tabapay.com, payzu: excessive attempts' },
  {
    network: 'MASTERCARD',
    most: 35,
    withinMs: 30 * DAY_MS,
    source: 'developers.tabapay.com, payzu: excessive attempts',
  },
];

/** The longest time of a limit: what is older counts for none. */
export const LONGEST_LIMIT_MS = Math.max(...TRY_LIMITS.map(({ withinMs }) => withinMs));

const EVERY_NETWORK: { readonly [code: string]: NetworkWord } = {
  AUTHENTICATION_REQUIRED: { kind: 'authenticate' },
  AUTHORIZATION_REVOKED: { kind: 'withdrawn' },
};

/** What to do after a refusal: by the network's own codes, otherwise by ours, by the advice, by the type. */
export function wordOn(refusal: NetworkRefusal): NetworkWord {
  const rule = WORD_RULES.find(
    ({ network, by, codes }) => network === refusal.network && codes.includes(refusal[by] ?? ''),
  );
  if (rule !== undefined) return rule.word;
  const { code, advice, declineType } = refusal;
  const word = Object.hasOwn(EVERY_NETWORK, code) ? EVERY_NETWORK[code] : undefined;
  if (word !== undefined) return word;
  if (advice === 'RETRY_LATER') return { kind: 'wait' };
  return advice === 'DO_NOT_RETRY' || advice === 'UPDATE_DATA' || declineType === 'HARD'
    ? { kind: 'other' }
    : { kind: 'wait' };
}

/** True if the network takes no further try with the card, whatever the agreement. */
export const endsCard = (word: NetworkWord): boolean =>
  word.kind === 'never' || (word.kind === 'withdrawn' && word.isForAll === true);
