// Builds everything that runs in a browser into dist/web. `npm run build` calls it last, after the types of the
// dashboard's client are generated (api-types.mjs). A new project is a line in PROJECTS.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

async function buildAll() {
  for (const { folder, out } of PROJECTS) {
    const root = join(WEB, folder);
    const outDir = join(OUT, out);
    await build({
      root,
      configFile: join(root, 'vite.config.mjs'),
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    });
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
if (!isBuilt(STAMP, inputs, MADE)) {
  await rm(STAMP, { force: true });
  await buildAll();
  await writeFile(STAMP, inputs);
}
