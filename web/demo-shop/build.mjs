// Builds the demo shop into dist/web/shop: its server as one file that imports packages only, and what it serves as
// assets/.
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SOURCE = fileURLToPath(new URL('src/', import.meta.url));

/** `out`: the folder, which is replaced. */
export async function buildShop(out) {
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, 'assets'), { recursive: true });
  const common = { bundle: true, format: 'esm', logLevel: 'warning' };
  await build({
    ...common,
    entryPoints: [join(SOURCE, 'server.ts')],
    outdir: out,
    platform: 'node',
    target: 'node20',
    packages: 'external',
  });
  const scripts = ['checkout.ts', 'order.ts'].map((name) => join(SOURCE, 'browser', name));
  await build({ ...common, entryPoints: scripts, outdir: join(out, 'assets'), minify: true, target: 'es2022' });
  for (const name of ['style.css', 'icon.svg']) await copyFile(join(SOURCE, name), join(out, 'assets', name));
}
