// The rules of routing as rows. Their file is the one value: rows show the parts of it that they can show, and a change
// of a row is a change of the file. Whatever rows cannot show stays in the file as it is.

interface UseRow {
  readonly connection: string;
  readonly weight: number;
}

export interface TargetRow {
  readonly use: readonly UseRow[];
  readonly then: readonly string[];
}

/** The questions of a rule whose answers are texts of a list. */
export const LISTS = ['currencyCode', 'methodType', 'network', 'initiator'] as const;
export type ListQuestion = (typeof LISTS)[number];

/** Minor units. */
export interface AmountRow {
  readonly gte?: number;
  readonly lt?: number;
}

export type MetadataRow = { readonly [key: string]: readonly string[] };

export type WhenRow = { readonly [Q in ListQuestion]?: readonly string[] } & {
  readonly amount?: AmountRow;
  readonly metadata?: MetadataRow;
};

export interface RuleRow extends TargetRow {
  readonly name: string;
  readonly when: WhenRow;
}

export const ENDS = ['NOT_SENT', 'REFUSED', 'SOFT'] as const;

export interface FallbackRow {
  readonly fallbackOn: readonly string[];
  readonly never: readonly string[];
  readonly mostAttempts: number;
}

export type JsonFile = Readonly<Record<string, unknown>>;

/** The parts of a file; undefined, or a rule without its row: rows cannot show it. */
export interface ShownFile {
  readonly rules: readonly { readonly json: unknown; readonly row?: RuleRow }[];
  readonly default: TargetRow | undefined;
  readonly fallback: FallbackRow | undefined;
}

/** Its message is for people. */
export class NotAFile extends Error {}

/** Throws NotAFile. */
export function fileIn(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (fault) {
    throw new NotAFile(`This is not JSON: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
  if (!isObject(value)) throw new NotAFile('Rules are a JSON object with the members rules and default.');
  return { ...value };
}

export const textOfFile = (file: JsonFile): string => JSON.stringify(file, null, 2);

/** Undefined: the file has no list of rules, so there is nothing that rows could show. */
export function shownFile(file: JsonFile): ShownFile | undefined {
  const { rules } = file;
  if (!Array.isArray(rules)) return undefined;
  return {
    rules: rules.map((json: unknown) => {
      const row = ruleIn(json);
      return row === undefined ? { json } : { json, row };
    }),
    default: targetIn(file['default'], []),
    fallback: fallbackIn(file),
  };
}

/** The file with other rules: each is replaced, moved or removed as a whole, and the others stay as they are. */
export const withRules = (file: JsonFile, rules: readonly unknown[]): JsonFile => ({ ...file, rules });

/** The list with the item at a place moved by one; the same list at its ends. */
export function moved<Item>(items: readonly Item[], place: number, by: -1 | 1): readonly Item[] {
  const item = items[place];
  const other = items[place + by];
  if (item === undefined || other === undefined) return items;
  return items.map((one, at) => (at === place ? other : at === place + by ? item : one));
}

/** A name that no rule has. */
export function freeName(names: readonly string[]): string {
  let number = names.length + 1;
  while (names.includes(`Rule ${number}`)) number += 1;
  return `Rule ${number}`;
}

const isObject = (value: unknown): value is JsonFile =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** True if it has no other members. */
const hasOnly = (value: JsonFile, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** `besides`: other members that it may have. */
function targetIn(value: unknown, besides: readonly string[]): TargetRow | undefined {
  if (!isObject(value) || !hasOnly(value, ['use', 'then', ...besides])) return undefined;
  const { use, then = [] } = value;
  if (!Array.isArray(use) || !isTexts(then)) return undefined;
  const rows = use.flatMap((one: unknown): readonly UseRow[] => {
    if (!isObject(one) || !hasOnly(one, ['connection', 'weight'])) return [];
    const { connection, weight } = one;
    return typeof connection === 'string' && isCount(weight) ? [{ connection, weight }] : [];
  });
  return rows.length === use.length ? { use: rows, then } : undefined;
}

function ruleIn(value: unknown): RuleRow | undefined {
  const target = targetIn(value, ['name', 'when']);
  if (target === undefined || !isObject(value)) return undefined;
  const { name } = value;
  const when = whenIn(value['when']);
  return typeof name === 'string' && when !== undefined ? { name, when, ...target } : undefined;
}

function whenIn(value: unknown): WhenRow | undefined {
  if (!isObject(value) || !hasOnly(value, [...LISTS, 'amount', 'metadata'])) return undefined;
  const { amount, metadata } = value;
  const lists: { [Q in ListQuestion]?: readonly string[] } = {};
  for (const question of LISTS) {
    const list = value[question];
    if (list === undefined) continue;
    if (!isTexts(list)) return undefined;
    lists[question] = list;
  }
  if (amount !== undefined && !isAmount(amount)) return undefined;
  if (metadata !== undefined && !isMetadata(metadata)) return undefined;
  return { ...lists, ...(amount !== undefined && { amount }), ...(metadata !== undefined && { metadata }) };
}

const isAmount = (value: unknown): value is AmountRow =>
  isObject(value) && hasOnly(value, ['gte', 'lt']) && Object.values(value).every(isCount);

const isMetadata = (value: unknown): value is MetadataRow => isObject(value) && Object.values(value).every(isTexts);

const DEFAULT_ATTEMPTS = 2;

function fallbackIn({
  fallbackOn = [],
  never = [],
  mostAttempts = DEFAULT_ATTEMPTS,
}: JsonFile): FallbackRow | undefined {
  const ends: readonly string[] = ENDS;
  if (!isTexts(fallbackOn) || !fallbackOn.every((end) => ends.includes(end))) return undefined;
  return isTexts(never) && isCount(mostAttempts) ? { fallbackOn, never, mostAttempts } : undefined;
}
