// The types of the Python client, made of the API's own description. `npm run python-types` writes them.
import { z } from 'zod';

/** The subjects that a merchant's backend calls, and webhooks. */
const TAGS: ReadonlySet<string> = new Set([
  'Agreements',
  'Audit',
  'Client sessions',
  'Connections',
  'Events',
  'Payment instruments',
  'Payment links',
  'Payments',
]);

interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly (string | number)[] | undefined;
  readonly const?: string | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly items?: Schema | undefined;
  readonly properties?: { readonly [name: string]: Schema } | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly required?: readonly string[] | undefined;
  readonly description?: string | undefined;
}
const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.union([z.string(), z.number()])).optional(),
    const: z.string().optional(),
    anyOf: z.array(Schema).optional(),
    items: Schema.optional(),
    properties: z.record(z.string(), Schema).optional(),
    additionalProperties: z.union([Schema, z.boolean()]).optional(),
    required: z.array(z.string()).optional(),
    description: z.string().optional(),
  }),
);
const Parameter = z.looseObject({
  name: z.string().optional(),
  in: z.string().optional(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: Schema.optional(),
});
const Document = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({ operationId: z.string(), tags: z.array(z.string()), parameters: z.array(Parameter) }),
    ),
  ),
  webhooks: z.unknown(),
  components: z.looseObject({ schemas: z.record(z.string(), Schema) }),
});

const HEAD = `"""The objects of the API as types. Amounts are in minor units, times are RFC 3339 text (contract §1).

Made by \`npm run python-types\` from the description of the API: change the routes, not this file. An enumeration of a
response is open: a later service may add values. A TypedDict is a plain dict at run time.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
`;

/** The text of `client-python/counterfoil/api_types.py`. `document`: the text of /openapi.json. */
export function pythonTypes(document: string): string {
  const { paths, webhooks, components } = Document.parse(JSON.parse(document));
  const ours = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter(({ tags }) => tags.some((tag) => TAGS.has(tag)));
  const names = reached([ours, webhooks], components.schemas);
  const filters = ours.flatMap(({ operationId, parameters }): readonly (readonly [string, Schema])[] => {
    const query = parameters.filter(({ name, in: place }) => place === 'query' && name !== 'cursor');
    return operationId.startsWith('list') && query.length > 0
      ? [[`${pascal(operationId)}Filter`, filterOf(query)]]
      : [];
  });
  const all = [...names.map((name) => [name, components.schemas[name] ?? {}] as const), ...filters];
  const classes: string[] = [];
  const aliases: string[] = [];
  /** Unions of classes, which are there before them: an alias is made when the module is read. */
  const unions: string[] = [];
  for (const [name, schema] of all) {
    if (schema.properties !== undefined) classes.push(...classesOf(name, schema));
    else if (schema.anyOf?.some(({ $ref }) => $ref !== undefined) === true)
      unions.push(`\n\n${name} = ${typeOf(schema, name, classes)}\n`);
    else aliases.push(`${name} = ${typeOf(schema, name, classes)}`);
  }
  return [HEAD, ...aliases.map((alias) => `${alias}\n`), ...classes.map((text) => `\n${text}`), ...unions].join('\n');
}

const pascal = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** The names of the schemas that a part of the description mentions, directly or indirectly, in alphabetical order. */
function reached(from: unknown, schemas: { readonly [name: string]: Schema }): readonly string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      look(schemas[name]);
    }
  };
  look(from);
  // Responses of refusals are parts of their own, so that no operation mentions their schema.
  look({ $ref: '#/components/schemas/Error' });
  return [...found].sort();
}

const filterOf = (parameters: readonly z.infer<typeof Parameter>[]): Schema => ({
  properties: Object.fromEntries(
    parameters.map(({ name = '', schema = {}, description }) => [name, { ...schema, description }]),
  ),
  required: parameters.flatMap(({ name = '', required }) => (required === true ? [name] : [])),
});

/** The class of an object, after those of the objects inside it. */
function classesOf(name: string, { properties = {}, required = [], description }: Schema): readonly string[] {
  const inner: string[] = [];
  const lines = Object.entries(properties).flatMap(([member, schema]) => {
    const type = typeOf(schema, `${name}${pascal(member)}`, inner);
    const words = schema.description === undefined ? [] : [`    # ${schema.description.replaceAll('\n', ' ')}`];
    return [...words, `    ${member}: ${required.includes(member) ? type : `NotRequired[${type}]`}`];
  });
  // A member such as `from` is not a name in Python.
  if (Object.keys(properties).some((member) => KEYWORDS.has(member))) {
    const members = lines.filter((line) => !line.trimStart().startsWith('#')).map((line) => line.trim().split(': '));
    const pairs = members.map(([member, type = '']) => `"${member}": ${quoted(type)}`);
    return [...inner, `${name} = TypedDict("${name}", {${pairs.join(', ')}})\n`];
  }
  const words = description === undefined ? [] : [`    """${description.replaceAll('\n', ' ')}"""\n`];
  const body = [...words, ...lines];
  return [...inner, `class ${name}(TypedDict):\n${body.length === 0 ? '    pass' : body.join('\n')}\n`];
}

const KEYWORDS: ReadonlySet<string> = new Set(['class', 'def', 'from', 'global', 'import', 'in', 'is', 'pass', 'with']);
/** A type as text, so that it may name a class that follows. */
const quoted = (type: string): string =>
  type.startsWith('NotRequired[') ? `NotRequired['${type.slice('NotRequired['.length, -1)}']` : `'${type}'`;

/** The type of a value. `name` is that of a class for an object without one; it is added to `classes`. */
function typeOf(schema: Schema, name: string, classes: string[]): string {
  const { $ref, type, enum: values, const: only, anyOf, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
  if (only !== undefined) return `Literal[${JSON.stringify(only)}]`;
  if (values !== undefined && type === 'string')
    return `Literal[${values.map((one) => JSON.stringify(one)).join(', ')}]`;
  if (anyOf !== undefined) return [...new Set(anyOf.map((one) => typeOf(one, name, classes)))].join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, name, classes)).join(' | ');
  if (properties !== undefined) {
    classes.push(...classesOf(name, schema));
    return name;
  }
  switch (type) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `list[${typeOf(items ?? {}, name, classes)}]`;
    case 'object':
      return typeof additionalProperties === 'object'
        ? `dict[str, ${typeOf(additionalProperties, name, classes)}]`
        : 'dict[str, Any]';
    default:
      return 'Any';
  }
}
