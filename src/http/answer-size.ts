// No JSON answer is larger than a mebibyte: pages end early, and a single value that is too large loses the ends of its
// texts and lists (contract §1).
import type { Refusal } from './errors.ts';
import { found, type Reply } from './route.ts';

export const MOST_ANSWER_BYTES = 1_048_576;
/** For the members besides the items of a page, its cursor among them. */
const ROOM_BYTES = 16_384;

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

interface Fitting<Item> {
  readonly items: readonly Item[];
  /** The JSON of each. */
  readonly texts: readonly string[];
  /** True if an item had no room. */
  readonly isCut: boolean;
}

/**
 * The first rows whose answers have room in one answer, at least one. `besides`: bytes of JSON that the answer has
 * without them.
 */
export function fitting<Row, Item>(rows: readonly Row[], itemOf: (row: Row) => Item, besides = 0): Fitting<Item> {
  const items: Item[] = [];
  const texts: string[] = [];
  let left = MOST_ANSWER_BYTES - ROOM_BYTES - besides;
  for (const row of rows) {
    const item = itemOf(row);
    const text = JSON.stringify(item);
    left -= Buffer.byteLength(text) + 1;
    if (left < 0 && items.length > 0) return { items, texts, isCut: true };
    items.push(item);
    texts.push(text);
  }
  return { items, texts, isCut: false };
}

/**
 * A page of the rows that fit. `moreOf`: its other members, by how many rows it shows, and whether that is less than
 * there are.
 */
export function page<Row, Item, More extends object>(
  rows: readonly Row[],
  itemOf: (row: Row) => Item,
  moreOf: (shown: number, isCut: boolean) => More,
): Reply<{ readonly data: Item[] } & More> {
  const { items, texts, isCut } = fitting(rows, itemOf);
  const more = moreOf(items.length, isCut);
  const others = JSON.stringify(more).slice(1, -1);
  // Each item is written once: to measure it, and for the answer.
  const text = `{"data":[${texts.join(',')}]${others === '' ? '' : `,${others}`}}`;
  return { ...found({ data: [...items], ...more }), text };
}

/** An answer that steps make of their number: the same with fewer of them until it fits. */
export async function fewer<Answer extends { readonly data: unknown }>(
  most: number,
  answerWith: (steps: number) => Promise<Answer | Refusal>,
): Promise<Reply<Answer> | Refusal> {
  for (let steps = most; ; steps = Math.ceil(steps / 2)) {
    const answer = await answerWith(steps);
    if (!('data' in answer)) return answer;
    const text = JSON.stringify(answer);
    if (steps === 1 || Buffer.byteLength(text) <= MOST_ANSWER_BYTES) return { ...found(answer), text };
  }
}

/** Characters of a text and items of a list that are kept, from the mildest cut to the hardest. */
const CUTS: readonly (readonly [characters: number, items: number])[] = [
  [10_000, 1_000],
  [1_000, 200],
  [200, 40],
];

/**
 * The value itself where its JSON has at most `most` bytes; otherwise without the ends of its long texts and lists,
 * which say so.
 */
export function cutTo(value: unknown, most: number): unknown {
  if (bytesOf(value) <= most) return value;
  for (const [characters, items] of CUTS) {
    const cut = shortened(value, characters, items);
    if (bytesOf(cut) <= most) return cut;
  }
  return 'Too large to show here.';
}

export const cutText = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters)}… (${text.length - characters} more characters)`;

function shortened(value: unknown, characters: number, items: number): unknown {
  if (typeof value === 'string') return cutText(value, characters);
  if (Array.isArray(value)) {
    const kept = value.slice(0, items).map((one) => shortened(one, characters, items));
    return value.length <= items ? kept : [...kept, `… (${value.length - items} more items)`];
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const kept = members
    .slice(0, items)
    .map(([name, one]) => [cutText(name, characters), shortened(one, characters, items)] as const);
  return Object.fromEntries(
    members.length <= items ? kept : [...kept, ['…', `${members.length - items} more members`]],
  );
}
