// Bundles the compiled stand-ins of EventStoreDB and MongoDB, which tests start hundreds of times, each into a script with the code that V8 kept.
// A bundle lies beside the module that it is made of, and scriptBeside (support/script.ts) prefers it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const STAND_INS = ['eventstoredb-loopback/main', 'mongodb-loopback/main'].map((name) => join('dist/tests/test/support', name));

for (const path of STAND_INS) {
  await build({
    entryPoints: [`${path}.js`],
    outfile: `${path}.bundle.cjs`,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    keepNames: true,
    logLevel: 'warning',
  });
  copyFileSync('test/support/cached-script.cjs', `${path}.cjs`);
  await compileBeforehand(path);
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
  if (code !== 0 || !existsSync(`${path}.bundle.cache`)) throw new Error(`the bundle of ${dirname(path)} ended with ${code}`);
}
