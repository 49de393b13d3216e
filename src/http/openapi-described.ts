// Puts words on the members of a schema, and opens the enumerations of answers.
import { MEMBERS } from './openapi-words.ts';

type JsonSchema = { readonly [name: string]: unknown };

/** Members of answers whose values will become more (contract §4): a client has to keep working when one is new. */
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

/** The schema of `name` (a component, or '' for one in place) with words on every member; its own words count first. */
export function described(name: string, schema: JsonSchema): JsonSchema {
  return copied(schema, name);
}

/** An answer's schema in which the enumerations that may grow name the values of today and allow others. */
export function opened(schema: JsonSchema, member?: string): JsonSchema {
  if (member !== undefined && OPEN.has(member) && Array.isArray(schema['enum'])) {
    const { enum: known, type, ...rest } = schema;
    return { ...rest, anyOf: [{ type, enum: known }, { type: 'string' }] };
  }
  return mapped(schema, (inner, of) => opened(inner, of));
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

/** A copy in which `change` was asked about each schema inside; with the member's name where it is one of `properties`. */
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

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null && !Array.isArray(value);
