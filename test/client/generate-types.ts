// Makes src/client/api-types.ts of the merchants' OpenAPI document: `npm run generate` writes it, and a test compares it.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ROOT } from '../support/root.ts';

/** From the root. */
export const TYPES_FILE = 'src/client/api-types.ts';

/** The subjects that a merchant's backend calls. */
const TAGS: ReadonlySet<string> = new Set(['Client sessions', 'Events', 'Payment instruments', 'Payments']);

const FIRST_LINE =
  "// The types of the merchants' API. Generated from /openapi.json by `npm run generate`: change the routes, not this file.\n";

const Json = z.record(z.string(), z.unknown());
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ tags: z.array(z.string()) }))),
  webhooks: Json,
  components: z.record(z.string(), Json),
});

/** The generator has a TypeScript 5 of its own beside it, in web/; its parts that are used here. */
interface Generator {
  default(
    document: unknown,
    options: { readonly immutable: boolean; readonly transform: (schema: { readonly format?: string }) => unknown },
  ): Promise<unknown>;
  astToString(tree: unknown): string;
}

interface Compiler {
  readonly factory: {
    createIntersectionTypeNode(types: readonly unknown[]): unknown;
    createKeywordTypeNode(kind: number): unknown;
    createTypeLiteralNode(members: readonly unknown[]): unknown;
  };
  readonly SyntaxKind: { readonly StringKeyword: number };
}

/** `document`: the parsed answer of /openapi.json. */
export async function typesOf(document: unknown): Promise<string> {
  const fromWeb = createRequire(join(ROOT, 'web/package.json'));
  const { factory, SyntaxKind }: Compiler = fromWeb('typescript');
  const folder = dirname(fromWeb.resolve('openapi-typescript'));
  const generator: Generator = await import(pathToFileURL(join(folder, 'index.mjs')).href);
  const text = factory.createKeywordTypeNode(SyntaxKind.StringKeyword);
  // `string & {}` beside literals keeps the literals: an editor offers them, and any other value is allowed.
  const open = factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])]);
  const tree = await generator.default(openEnumerations(merchantsPart(Document.parse(document))), {
    immutable: true,
    transform: ({ format }) => (format === OPEN ? open : undefined),
  });
  return `${FIRST_LINE}${generator.astToString(tree)}`;
}

const OPEN = 'open-enumeration';

/** Marks the second of `anyOf: [an enumeration, any string]`, the form of an enumeration that may grow (contract §1). */
function openEnumerations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openEnumerations);
  const known = Json.safeParse(value);
  if (!known.success) return value;
  const members = Object.fromEntries(Object.entries(known.data).map(([name, member]) => [name, openEnumerations(member)]));
  const { anyOf } = members;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || JSON.stringify(anyOf[1]) !== '{"type":"string"}') return members;
  return { ...members, anyOf: [anyOf[0], { type: 'string', format: OPEN }] };
}

/** The operations of TAGS and the webhooks, with the components that they reach. */
function merchantsPart({ paths, components, webhooks, ...rest }: z.infer<typeof Document>): unknown {
  const kept = Object.entries(paths).flatMap(([path, operations]) => {
    const ours = Object.entries(operations).filter(([, { tags }]) => tags.some((tag) => TAGS.has(tag)));
    return ours.length === 0 ? [] : [[path, Object.fromEntries(ours)] as const];
  });
  const reached = new Set<string>();
  const reach = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      if (reached.has(`${kind}/${name}`)) continue;
      reached.add(`${kind}/${name}`);
      reach(components[kind]?.[name]);
    }
  };
  reach(kept);
  reach(webhooks);
  const left = Object.entries(components).map(
    ([kind, all]) => [kind, Object.fromEntries(Object.entries(all).filter(([name]) => reached.has(`${kind}/${name}`)))] as const,
  );
  return { ...rest, webhooks, paths: Object.fromEntries(kept), components: Object.fromEntries(left) };
}
