// Bundles the built command line for tests that start it hundreds of times: one file in place of 700, compiled
// beforehand. Threads and handlers are in the same folder, where the bundle finds them as in dist/.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const OUT = 'dist/command-line';
/** Native code, and packages that start threads from files of their own. */
const EXTERNAL = ['@node-rs/argon2', '@photostructure/sqlite', 'pino', 'pino-pretty'];
const common = {
  outdir: OUT,
  bundle: true,
  platform: 'node',
  target: 'node20',
  keepNames: true,
  external: EXTERNAL,
  logLevel: 'warning',
};
/** The modules of threads, compiled. */
export const THREADS = [
  'audit/chains-handler.js',
  'journal/keyed-events-worker.js',
  'processors/sandbox/ledger/ledger-handler.js',
  'projections/threads/fold-handler.js',
  'stores/sqlite/append-handler.js',
  'stores/sqlite/file/commit-thread.js',
  'stores/sqlite/key-thread.js',
  'stores/sqlite/read-model-builder-worker.js',
  'stores/sqlite/read-model-checkpointer-worker.js',
  'stores/sqlite/read-model-cleaner-worker.js',
  'stores/sqlite/spread-worker.js',
];
const threads = { ...common, splitting: true, format: 'esm' };
// The tests' own services start the same threads, each from its place.
const COMPILED = 'dist/tests/src';
const places = { outdir: COMPILED, outbase: COMPILED, allowOverwrite: true };

export const BUNDLES = [
  {
    ...common,
    entryPoints: { 'main.bundle': 'test/cli/command-host.mjs' },
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    supported: { 'dynamic-import': false },
    // Modules look for files beside their own, as if they stood in dist/.
    define: { 'import.meta.url': 'urlBesideTheBundle' },
    banner: { js: "const urlBesideTheBundle = require('node:url').pathToFileURL(__dirname + '/main.js').href;" },
  },
  { ...threads, entryPoints: THREADS.map((path) => join('dist', path)), entryNames: '[name]' },
  { ...threads, ...places, entryPoints: THREADS.map((path) => join(COMPILED, path)) },
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const bundle of BUNDLES) await build(bundle);
  copyFileSync('test/support/cached-script.cjs', join(OUT, 'main.cjs'));
  await compileBeforehand();
}

/** Starts a service once, and lets it keep the machine code of what that took. */
async function compileBeforehand() {
  const dir = mkdtempSync(join(tmpdir(), 'counterfoil-bundle-'));
  const args = [resolve(OUT, 'main.cjs'), 'serve', '--port', '0', '--json', '--log-level', 'warn'];
  const child = spawn(process.execPath, args, {
    cwd: dir,
    env: { PATH: process.env.PATH, KEEP_CODE_CACHE: 'yes' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
    if (printed.endsWith('\n')) child.kill('SIGTERM');
  });
  const code = await new Promise((done) => child.once('close', done));
  rmSync(dir, { recursive: true });
  if (code !== 0 || !existsSync(join(OUT, 'main.bundle.cache')))
    throw new Error(`serve of the bundle ended with ${code}: ${printed}`);
}
