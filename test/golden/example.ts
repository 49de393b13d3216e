// An event of a type that no scenario has, with data made of its schema: the golden log gets one of each type and
// version.
import { z } from 'zod';
import { AWKWARD_NAMES, AWKWARD_TEXT, MAX } from './scenarios/awkward.ts';

interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: { readonly [name: string]: JsonSchema };
}

/** Every member that there may be, with values that have broken readers of logs. */
export function exampleData(schema: z.ZodObject): unknown {
  const json: JsonSchema = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { reused: 'inline' })));
  return madeOf(json);
}

function madeOf({
  type,
  const: only,
  enum: [first] = [],
  anyOf,
  oneOf = anyOf,
  items = {},
  properties,
}: JsonSchema): unknown {
  if (only !== undefined) return only;
  if (first !== undefined) return first;
  if (oneOf?.[0] !== undefined) return madeOf(oneOf[0]);
  switch (type) {
    case 'string':
      return AWKWARD_TEXT;
    case 'number':
    case 'integer':
      return MAX;
    case 'boolean':
      return true;
    case 'array':
      return [madeOf(items)];
    case 'object':
      return properties === undefined
        ? AWKWARD_NAMES
        : Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, madeOf(of)]));
    default:
      return null; // any JSON
  }
}
