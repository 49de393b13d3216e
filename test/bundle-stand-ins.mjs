// Bundles compiled scripts that tests start often: the stand-ins of EventStoreDB and MongoDB with the code that V8
// kept, others unchanged. A bundle is next to its module, and scriptBeside (support/script.ts) prefers it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const STAND_INS = ['eventstoredb-loopback/main', 'mongodb-loopback/main'].map((name) =>
  join('dist/tests/test/support', name),
);
const OTHERS = [
  'cli/copy-child',
  'crash/builds/starting-child',
  'crash/steps/stopping-child',
  'processors/sandbox/child',
  'projections/engine/engine-child',
  'stores/event-child',
  'stores/eventstoredb-child',
  'stores/read-models-child',
].map((name) => join('dist/tests/test', name));
const common = { bundle: true, platform: 'node', target: 'node20', keepNames: true, logLevel: 'warning' };
/** The folder of this file contains the stores' threads as files. */
const COMMAND_LINE = 'dist/command-line/main.cjs';

/** `root`: the folder that the bundles will be in. */
export const bundlesIn = (root) => [
  ...OTHERS.map((path) => ({
    ...common,
    entryPoints: [`${path}.js`],
    outfile: `${path}.mjs`,
    format: 'esm',
    external: ['@node-rs/argon2', '@photostructure/sqlite', 'pino', 'pino-pretty'],
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, COMMAND_LINE)).href) },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })),
  ...STAND_INS.map((path) => ({
    ...common,
    entryPoints: [`${path}.js`],
    outfile: `${path}.bundle.cjs`,
    format: 'cjs',
  })),
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const bundle of bundlesIn(process.cwd())) await build(bundle);
  for (const path of STAND_INS) {
    copyFileSync('test/support/cached-script.cjs', `${path}.cjs`);
    await compileBeforehand(path);
  }
}

/** Starts it once, and lets it keep the machine code of what that took. */
async function compileBeforehand(path) {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-stand-in-'));
  const child = fork(`${path}.cjs`, ['0', directory], { env: { ...process.env, KEEP_CODE_CACHE: 'yes' } });
  await once(child, 'message');
  const ended = once(child, 'exit');
  child.disconnect();
  const [code] = await ended;
  rmSync(directory, { recursive: true });
  if (code !== 0 || !existsSync(`${path}.bundle.cache`))
    throw new Error(`the bundle of ${dirname(path)} ended with ${code}`);
}
