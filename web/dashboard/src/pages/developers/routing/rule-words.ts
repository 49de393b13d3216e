// Rules of routing in words, and the lines in which two versions differ.
import { nameOfMethod } from '../../../parts/method-text.tsx';
import { moneyText } from '../../../parts/money.tsx';
import { statusWords } from '../../../parts/status-badge.tsx';
import type { Rules, Target } from './routing-queries.ts';
import type { WhenRow } from './rule-rows.ts';

type When = Rules['rules'][number]['when'];
export type Question = keyof WhenRow;

export const QUESTIONS: { readonly [Q in Question]: string } = {
  currencyCode: 'Currency',
  amount: 'Amount',
  methodType: 'Method',
  network: 'Network',
  initiator: 'Begun by',
  metadata: 'Metadata',
};

export const INITIATORS: { readonly [initiator: string]: string } = {
  customer: 'the customer',
  merchant: 'you, without the customer',
};

/** `SUSPECTED_FRAUD` as `Suspected fraud`. */
export const refusalWords = (code: string): string => statusWords(code).replace(/\bcvc\b/i, 'CVC');

/** "Currency EUR or USD", for each question that a rule asks. */
export function whenWords({
  currencyCode,
  amount,
  methodType,
  network,
  initiator,
  metadata = {},
}: When): readonly string[] {
  const words = [
    listed(QUESTIONS.currencyCode, currencyCode),
    amount && rangeWords(amount, currencyCode?.length === 1 ? currencyCode[0] : undefined),
    listed(QUESTIONS.methodType, methodType?.map(nameOfMethod)),
    listed(QUESTIONS.network, network?.map(nameOfMethod)),
    listed(
      QUESTIONS.initiator,
      initiator?.map((one) => INITIATORS[one] ?? one),
    ),
    ...Object.entries(metadata).map(([key, values]) => listed(`Metadata ${key}`, values)),
  ].filter((one) => one !== undefined);
  return words.length === 0 ? ['Every payment'] : words;
}

const listed = (what: string, values: readonly unknown[] | undefined): string | undefined =>
  values && `${what} ${values.map(String).join(' or ')}`;

/** In the currency of the rule, where it names one; otherwise in minor units. */
function rangeWords(
  { gte, lt }: { readonly gte?: number; readonly lt?: number },
  currencyCode: string | undefined,
): string {
  const words = (amount: number): string =>
    currencyCode === undefined ? `${amount} minor units` : moneyText({ amount, currencyCode });
  if (gte === undefined) return `Amount below ${words(lt ?? 0)}`;
  return lt === undefined ? `Amount from ${words(gte)}` : `Amount from ${words(gte)} to below ${words(lt)}`;
}

/** The part of all weights: "90%". */
export function percentOf(weight: number, use: readonly { readonly weight: number }[]): string {
  const total = use.reduce((sum, one) => sum + one.weight, 0);
  return total === 0 ? '0%' : `${Math.round((weight / total) * 1_000) / 10}%`;
}

/** "90% eu, 10% us; then us" */
export function targetWords({ use, then }: Target): string {
  const drawn = use.filter(({ weight }) => weight > 0);
  const first = drawn
    .map(({ connection, weight }) => (drawn.length === 1 ? connection : `${percentOf(weight, use)} ${connection}`))
    .join(', ');
  return then.length === 0 ? first : `${first}; then ${then.join(', ')}`;
}

export const END_WORDS: { readonly [end: string]: string | undefined } = {
  NOT_SENT: 'a request that was not sent',
  REFUSED: 'a request that the processor refused',
  SOFT: 'a soft decline',
};

export function fallbackWords({ fallbackOn, never, mostAttempts }: Rules): string {
  if (fallbackOn.length === 0 || mostAttempts < 2) return 'No second account is asked after a refusal.';
  const ends = fallbackOn.map((end) => END_WORDS[end] ?? end).join(' or ');
  const except = never.length === 0 ? '' : ` Never after: ${never.map(refusalWords).join(', ').toLowerCase()}.`;
  return `After ${ends} the next account is asked, up to ${mostAttempts} in all.${except}`;
}

export const fileOf = (rules: Rules | null | undefined): string =>
  rules == null ? '' : JSON.stringify(rules, null, 2);

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'cut';
  readonly text: string;
}

/** The lines of both texts in order, each marked: the longest common lines stay. */
export function diffOf(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const common = old.map(() => new Array<number>(now.length + 1).fill(0));
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const line = common[row];
      if (line !== undefined)
        line[column] =
          old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const [left, right] = [old[row], now[column]];
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left });
      row += 1;
      column += 1;
    } else if (left !== undefined && (right === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: 'removed', text: left });
      row += 1;
    } else {
      lines.push({ kind: 'added', text: right ?? '' });
      column += 1;
    }
  }
  return lines;
}

/** Lines that stay the same around a change. */
const AROUND = 3;

/** The changes with the lines around them; what is left out is one line. */
export function changesIn(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = (place: number): boolean =>
    lines.slice(Math.max(0, place - AROUND), place + AROUND + 1).some(({ kind }) => kind !== 'same');
  return lines.flatMap((line, place): readonly DiffLine[] => {
    if (isNear(place)) return [line];
    return place === 0 || isNear(place - 1) ? [{ kind: 'cut', text: '…' }] : [];
  });
}
