// Makes the types of the dashboard's client and of the merchants' client, from the service's own description of its routes. It is the first
// step of the build, before anything is compiled: the merchants' client is compiled with the service.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The subjects that a merchant's backend calls. */
const TAGS = ['Client sessions', 'Events', 'Payment instruments', 'Payments'];

/** The format that stands for "any other text" in an enumeration of an answer. */
const OPEN = 'open-enumeration';
/** What the types are made by, besides the description: a change here makes them anew. */
const MADE_AS = await readFile(fileURLToPath(import.meta.url));

const ROUTES = join(ROOT, 'dist/routes.mjs');
await build({
  stdin: {
    contents: `
      export { openapi } from './http/openapi.ts';
      export { allRoutes } from './http/routes/all.ts';
      export { dashboardRoutes } from './http/routes/dashboard/all.ts';
      export { FaultPlan as faultPlan, FaultReport as faultReport } from './processors/sandbox/rules/fault-plan.ts';`,
    resolveDir: join(ROOT, 'src'),
  },
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  outfile: ROUTES,
});
// The shapes of the fault plan are the sandbox's own, and come to its routes as parts.
const { openapi, allRoutes, dashboardRoutes, faultPlan, faultReport } = await import(ROUTES);

/** Stands in for all parts of the service: a description asks no handler, so none of them is ever called. */
const parts = new Proxy(() => parts, { get: (_, name) => ({ faultPlan, faultReport })[name] ?? parts });

await makeTypes('web/dashboard/src/app/api-types.d.ts', openapi(dashboardRoutes(parts), 'dashboard'));
await makeTypes('src/client/api-types.ts', JSON.stringify(merchantsPart(JSON.parse(openapi(allRoutes(parts))))), {
  isOpen: true,
  immutable: true,
});

/** Leaves the file alone where its types are those of the document, so that editors and the compiler see no change. */
async function makeTypes(path, document, { isOpen = false, ...options } = {}) {
  const source = createHash('sha256').update(MADE_AS).update(document).digest('hex');
  const firstLine = `// Made by web/api-types.mjs of the description with the SHA-256 ${source}: change the routes, not this file.\n`;
  const before = await readFile(join(ROOT, path), 'utf8').catch(() => '');
  if (before.startsWith(firstLine)) return;
  const { default: openapiTypescript, astToString } = await import('openapi-typescript');
  const {
    default: { factory, SyntaxKind },
  } = await import('typescript');
  const text = factory.createKeywordTypeNode(SyntaxKind.StringKeyword);
  // `string & {}` beside literals keeps the literals: an editor offers them, and any other value is allowed.
  const open = factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])]);
  const transform = ({ format }) => (format === OPEN ? open : undefined);
  const parsed = JSON.parse(document);
  const tree = await openapiTypescript(isOpen ? openEnumerations(parsed) : parsed, { ...options, transform });
  await writeFile(join(ROOT, path), `${firstLine}${astToString(tree)}`);
}

/** Marks the second of `anyOf: [an enumeration, any string]`, the form of an enumeration that may grow (contract §1). */
function openEnumerations(value) {
  if (Array.isArray(value)) return value.map(openEnumerations);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, openEnumerations(member)]));
  const { anyOf } = members;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || JSON.stringify(anyOf[1]) !== '{"type":"string"}') return members;
  return { ...members, anyOf: [anyOf[0], { type: 'string', format: OPEN }] };
}

/** The operations of TAGS and the webhooks, with the components that they reach. */
function merchantsPart({ paths, components, webhooks, ...rest }) {
  const kept = Object.entries(paths).flatMap(([path, operations]) => {
    const ours = Object.entries(operations).filter(([, { tags }]) => tags.some((tag) => TAGS.includes(tag)));
    return ours.length === 0 ? [] : [[path, Object.fromEntries(ours)]];
  });
  const reached = new Set();
  const reach = (value) => {
    for (const [, kind, name] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      if (reached.has(`${kind}/${name}`)) continue;
      reached.add(`${kind}/${name}`);
      reach(components[kind]?.[name]);
    }
  };
  reach(kept);
  reach(webhooks);
  const left = Object.entries(components).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => reached.has(`${kind}/${name}`))),
  ]);
  return { ...rest, webhooks, paths: Object.fromEntries(kept), components: Object.fromEntries(left) };
}
