// Builds everything that runs in a browser into dist/web: `npm run build` calls it after the service is compiled, because the types of
// the dashboard's client come from the service's own description of its routes. A new project is a line in PROJECTS.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { build } from 'vite';
import { buildCheckout } from './checkout-sdk/build.mjs';
import { compressTexts } from './compress.mjs';
import { buildShop } from './demo-shop/build.mjs';
import { buildDocs } from './docs/build.mjs';
import { inputsOf, isBuilt } from './unchanged.mjs';

const WEB = fileURLToPath(new URL('.', import.meta.url));
const OUT = join(WEB, '../dist/web');

/** Folders of web/ with a vite.config.mjs, each built into the folder of dist/web that it names. */
const PROJECTS = [{ folder: 'dashboard', out: 'dashboard' }];

const API_TYPES = join(WEB, 'dashboard/src/app/api-types.d.ts');

/** Shapes that the sandbox owns, and that come to its routes as parts. */
const sandboxShapes = async () => {
  const { FaultPlan: faultPlan, FaultReport: faultReport } = await import('../dist/processors/sandbox/rules/fault-plan.js');
  return { faultPlan, faultReport };
};

/** Stands in for all other parts of the service: a description asks no handler, so none of them is ever called. */
const partsWith = (shapes) => {
  const part = new Proxy(() => part, { get: (_, name) => shapes[name] ?? part });
  return part;
};

async function makeApiTypes() {
  const { openapi } = await import('../dist/http/openapi.js');
  const { dashboardRoutes } = await import('../dist/http/routes/dashboard/all.js');
  const types = astToString(await openapiTypescript(openapi(dashboardRoutes(partsWith(await sandboxShapes())), 'dashboard')));
  const text = `// Made by web/build.mjs from the description of the dashboard's routes.\n${types}`;
  // Left alone where it is the same, so that editors and the compiler see no change.
  const before = await readFile(API_TYPES, 'utf8').catch(() => '');
  if (before !== text) await writeFile(API_TYPES, text);
}

async function buildAll() {
  await makeApiTypes();
  for (const { folder, out } of PROJECTS) {
    const root = join(WEB, folder);
    const outDir = join(OUT, out);
    await build({ root, configFile: join(root, 'vite.config.mjs'), logLevel: 'warn', build: { outDir, emptyOutDir: true } });
    await compressTexts(outDir, { pages: false });
  }
  await buildDocs(join(OUT, 'docs'));
  await compressTexts(join(OUT, 'docs'), { pages: true });
  await buildCheckout(join(OUT, 'checkout'));
  await compressTexts(join(OUT, 'checkout'), { pages: false });
  await buildShop(join(OUT, 'shop'));
}

/** Beside dist/web, whose folders are served. */
const STAMP = join(WEB, '../dist/.web-inputs');
const MADE = ['dashboard/index.html', 'docs/index.html', 'checkout', 'shop'].map((path) => join(OUT, path));
const inputs = inputsOf(join(WEB, '..'));
if (!isBuilt(STAMP, inputs, [API_TYPES, ...MADE])) {
  await rm(STAMP, { force: true });
  await buildAll();
  await writeFile(STAMP, inputs);
}
