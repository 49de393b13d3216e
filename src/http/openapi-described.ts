// Puts words on the members of a schema, and opens the enumerations of answers.
import { MEMBERS } from './openapi-words.ts';

/**
 * The dashboard is made with its routes, so it knows every value; programs of merchants meet later ones, those that
 * manage their account too.
 */
export type Audience = 'merchants' | 'management' | 'dashboard';
export type JsonSchema = { readonly [name: string]: unknown };

/**
 * Members of the dashboard's answers whose values will become more; for merchants every enumeration of an answer is
 * open (contract §1).
 */
const OPEN: ReadonlySet<string> = new Set([
  'advisedAction',
  'avsResult',
  'code',
  'cvcResult',
  'declineType',
  'errorId',
  'eventType',
  'evidence',
  'kind',
  'network',
  'PaymentStatus',
  'paymentMethodType',
  'status',
  'transactionType',
  'type',
]);

/** See answers/values.ts: they stay beside the values. */
const VALUE_WORDS = 'x-enumDescriptions';

/** The schema of `name` (a component, or '' for one in place) with words on every member; its own words count first. */
export function described(name: string, schema: JsonSchema): JsonSchema {
  return copied(schema, name);
}

/**
 * An answer's schema in which the enumerations that may grow name the values of today and allow others, and objects
 * allow more members.
 */
export function opened(schema: JsonSchema, audience: Audience, member?: string): JsonSchema {
  const isOpen = audience !== 'dashboard' || (member !== undefined && OPEN.has(member));
  if (isOpen && Array.isArray(schema['enum'])) {
    const { enum: known, type, [VALUE_WORDS]: words, ...rest } = schema;
    const today = { type, enum: known, ...(words !== undefined && { [VALUE_WORDS]: words }) };
    return { ...rest, anyOf: [today, { type: 'string' }] };
  }
  if (audience !== 'dashboard' && typeof schema['const'] === 'string') {
    const { const: known, type, ...rest } = schema;
    return { ...rest, anyOf: [{ type, const: known }, { type: 'string' }] };
  }
  const { additionalProperties, ...rest } = schema;
  const isClosed = additionalProperties === false && audience !== 'dashboard';
  return mapped(isClosed ? rest : schema, (inner, of) => opened(inner, audience, of));
}

/** The schema of a POST's body, whose members may be null except the required ones; free JSON allows it anyway. */
export function nullable(schema: JsonSchema): JsonSchema {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return mapped(schema, (inner, member) => {
    const { description, ...value } = nullable(inner);
    if (member === undefined || required.includes(member))
      return { ...value, ...(description !== undefined && { description }) };
    return { anyOf: [value, { type: 'null' }], ...(description !== undefined && { description }) };
  });
}

function copied(schema: JsonSchema, path: string): JsonSchema {
  return mapped(schema, (inner, member) => {
    if (member === undefined) return copied(inner, path);
    const at = path === '' ? member : `${path}.${member}`;
    const words = MEMBERS[at] ?? inner['description'] ?? MEMBERS[member];
    return { ...copied(inner, at), ...(words !== undefined && { description: words }) };
  });
}

const LISTS = ['anyOf', 'oneOf', 'allOf'] as const;
const INNER = ['items', 'additionalProperties'] as const;

/**
 * A copy in which `change` was asked about each schema inside; with the member's name where it is one of `properties`.
 */
function mapped(schema: JsonSchema, change: (inner: JsonSchema, member?: string) => JsonSchema): JsonSchema {
  const { properties } = schema;
  return {
    ...schema,
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, isSchema(inner) ? change(inner, name) : inner]),
      ),
    }),
    ...Object.fromEntries(
      INNER.flatMap((key) => {
        const inner = schema[key];
        return isSchema(inner) ? [[key, change(inner)]] : [];
      }),
    ),
    ...Object.fromEntries(
      LISTS.flatMap((key) => {
        const inner = schema[key];
        return Array.isArray(inner) ? [[key, inner.map((one: unknown) => (isSchema(one) ? change(one) : one))]] : [];
      }),
    ),
  };
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
