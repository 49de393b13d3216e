// The schemas of an OpenAPI document: zod schemas with an id become components that are referred to, the others are
// written in place.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Audience, described, type JsonSchema, nullable, opened } from './openapi-described.ts';

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
