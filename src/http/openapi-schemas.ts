// The schemas of an OpenAPI document: zod schemas with an id become components that are referred to, the others are written in place.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { described, opened } from './openapi-described.ts';

type JsonSchema = { readonly [name: string]: unknown };

export class Schemas {
  readonly #components = new Map<string, JsonSchema>();

  /** The schema, or a reference to its component. `io`: the form in requests (defaults are optional), or in answers. */
  add(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const shown = io === 'output' ? opened : (definition: JsonSchema) => definition;
    const definitions = Object.entries($defs).map(([name, definition]) => [name, described(name, shown(definition, name))] as const);
    const names = new Map(definitions.map(([name, definition]) => [name, this.#nameFor(name, definition, io)]));
    for (const [name, definition] of definitions) this.#components.set(names.get(name) ?? name, referringTo(names, definition));
    return referringTo(names, described('', shown(root)));
  }

  /** The members of a part of a request that is no body. */
  inline(schema: z.ZodType): JsonSchema {
    return this.add(schema, 'input');
  }

  all(): { readonly [name: string]: JsonSchema } {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The form in requests may differ from the form in answers under one id; then it has a name of its own. */
  #nameFor(name: string, definition: object, io: 'input' | 'output'): string {
    const known = this.#components.get(name);
    if (known === undefined) return name;
    const same = isDeepStrictEqual(known, referringTo(new Map(), definition));
    return same ? name : `${name}${io === 'input' ? 'Input' : 'Output'}`;
  }
}

const DEFINITION = '#/$defs/';

/** A copy whose references point into the document's components. */
function referringTo(names: ReadonlyMap<string, string>, schema: object): JsonSchema {
  const copied = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copied);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, key === '$ref' ? renamed(member) : copied(member)]));
  };
  const renamed = (reference: unknown): unknown => {
    if (typeof reference !== 'string' || !reference.startsWith(DEFINITION)) return reference;
    const name = reference.slice(DEFINITION.length);
    return `#/components/schemas/${names.get(name) ?? name}`;
  };
  return Object.fromEntries(Object.entries(schema).map(([key, member]) => [key, key === '$ref' ? renamed(member) : copied(member)]));
}
