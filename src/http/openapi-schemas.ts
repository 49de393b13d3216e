// The schemas of an OpenAPI document: zod schemas with an id become components that are referred to, the others are
// written in place. Members get their words, and the enumerations of answers are opened.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { MEMBERS } from './openapi-words.ts';

/** `post`: as `input`, and a null member counts as absent (contract §1). */
type Form = 'input' | 'post' | 'output';

export class Schemas {
  readonly #components = new Map<string, JsonSchema>();
  readonly #audience: Audience;

  constructor(audience: Audience) {
    this.#audience = audience;
  }

  /**
   * The schema, or a reference to its component. `form`: that of requests (defaults are optional), or that of answers.
   */
  add(schema: z.ZodType, form: Form): JsonSchema {
    const io = form === 'output' ? form : 'input';
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: asOfToday });
    const shown = (definition: JsonSchema, name = ''): JsonSchema => this.#shown(definition, name, form);
    const definitions = Object.entries($defs).map(([name, definition]) => [name, shown(definition, name)] as const);
    const names = this.#namesFor(definitions, form);
    for (const [name, definition] of definitions)
      this.#components.set(names.get(name) ?? name, referringTo(names, definition));
    return referringTo(names, shown(root));
  }

  #shown(definition: JsonSchema, name: string, form: Form): JsonSchema {
    if (form === 'output') return described(name, opened(definition, this.#audience, name));
    const words = described(name, definition);
    return form === 'post' && this.#audience !== 'dashboard' ? nullable(words) : words;
  }

  /** The members of a part of a request other than the body. */
  inline(schema: z.ZodType): JsonSchema {
    return this.add(schema, 'input');
  }

  all(): { readonly [name: string]: JsonSchema } {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * One id may have several forms; those that come later have a name of their own, and so has each schema that refers
   * to one of them.
   */
  #namesFor(definitions: readonly (readonly [string, JsonSchema])[], form: Form): ReadonlyMap<string, string> {
    let names: ReadonlyMap<string, string> = new Map();
    for (const _ of definitions) {
      const next = new Map(
        definitions.map(([name, definition]) => [name, this.#nameFor(name, referringTo(names, definition), form)]),
      );
      if (isDeepStrictEqual(next, names)) break;
      names = next;
    }
    return names;
  }

  #nameFor(name: string, definition: JsonSchema, form: Form): string {
    const known = this.#components.get(name);
    return known === undefined || isDeepStrictEqual(known, definition) ? name : `${name}${SUFFIX[form]}`;
  }
}

/** A recorded object keeps what an older node does not know; the description has the members of this version. */
function asOfToday({
  zodSchema,
  jsonSchema,
}: {
  readonly zodSchema: unknown;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  if (zodSchema instanceof z.ZodObject && typeof jsonSchema.additionalProperties === 'object')
    jsonSchema.additionalProperties = false;
  delete jsonSchema['carried'];
}

const SUFFIX = { input: 'Input', post: 'Post', output: 'Output' } as const;
const DEFINITION = '#/$defs/';

/** A copy whose references point into the document's components. */
function referringTo(names: ReadonlyMap<string, string>, schema: object): JsonSchema {
  const copied = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copied);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, key === '$ref' ? renamed(member) : copied(member)]),
    );
  };
  const renamed = (reference: unknown): unknown => {
    if (typeof reference !== 'string' || !reference.startsWith(DEFINITION)) return reference;
    const name = reference.slice(DEFINITION.length);
    return `#/components/schemas/${names.get(name) ?? name}`;
  };
  return Object.fromEntries(
    Object.entries(schema).map(([key, member]) => [key, key === '$ref' ? renamed(member) : copied(member)]),
  );
}

/**
 * The dashboard is made with its routes, so it knows every value; programs of merchants meet later ones, those that
 * manage their account too.
 */
export type Audience = 'merchants' | 'management' | 'dashboard';
type JsonSchema = { readonly [name: string]: unknown };

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

/** See answers/shapes.ts: they stay beside the values. */
const VALUE_WORDS = 'x-enumDescriptions';

/** The schema of `name` (a component, or '' for one in place) with words on every member; its own words count first. */
function described(name: string, schema: JsonSchema): JsonSchema {
  return copied(schema, name);
}

/**
 * An answer's schema in which the enumerations that may grow name the values of today and allow others, and objects
 * allow more members.
 */
function opened(schema: JsonSchema, audience: Audience, member?: string): JsonSchema {
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
function nullable(schema: JsonSchema): JsonSchema {
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
