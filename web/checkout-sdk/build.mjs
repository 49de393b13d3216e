// Builds the checkout: the SDK's two files with their types, the card frame's page, and the page of payment links.
// Called by web/build.mjs.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const common = { root: ROOT, configFile: false, logLevel: 'warn', publicDir: false };
const TARGET = ['chrome111', 'firefox121', 'safari16.4'];

/** `file` in sdk/v1, from an entry of src/sdk. */
const buildSdk = (out, entry, format, file) =>
  build({
    ...common,
    build: {
      outDir: join(out, 'sdk/v1'),
      emptyOutDir: false,
      target: TARGET,
      reportCompressedSize: false,
      lib: { entry: join(ROOT, 'src/sdk', entry), formats: [format], name: 'counterfoilScript', fileName: () => file },
      minify: true,
    },
  });

/** The files that hold the public types and nothing else. They may import only each other. */
const PUBLIC_TYPES = ['sdk/public.ts', 'shared/appearance-types.ts'];

/** The public types as one file for each of the two scripts: what PUBLIC_TYPES say, and the export itself. */
async function writeTypes(out) {
  const texts = await Promise.all(PUBLIC_TYPES.map((path) => readFile(join(ROOT, 'src', path), 'utf8')));
  const types = texts
    .join('\n')
    .replaceAll(/^import type \{[^}]*\} from '\.\.?\/.*\/(?:public|appearance-types)\.ts';\n/gm, '');
  if (/^import\b/m.test(types))
    throw new Error('The public types of the checkout import a file that is not one of them.');
  await writeFile(join(out, 'sdk/v1/counterfoil.d.mts'), `${types}export declare const Counterfoil: CounterfoilSdk;\n`);
  const global = 'declare global {\n  interface Window {\n    Counterfoil?: CounterfoilSdk;\n  }\n}\n';
  await writeFile(join(out, 'sdk/v1/counterfoil.d.ts'), `${types}${global}`);
}

/** `out`: the folder that becomes /checkout. */
export async function buildCheckout(out) {
  await build({
    ...common,
    base: '/checkout/frame/',
    build: {
      outDir: join(out, 'frame'),
      emptyOutDir: true,
      target: TARGET,
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rollupOptions: { input: [join(ROOT, 'index.html'), join(ROOT, 'pay.html')] },
    },
  });
  await mkdir(join(out, 'sdk/v1'), { recursive: true });
  await buildSdk(out, 'counterfoil.ts', 'es', 'counterfoil.mjs');
  await buildSdk(out, 'script.ts', 'iife', 'counterfoil.js');
  await writeTypes(out);
}
