// A run of the tests, of which one process dies after its tests: by a rejection that nobody awaits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './root.ts';
import { scriptBeside } from './script.ts';

const DIES = "it('passes', () => { setTimeout(() => Promise.reject(new Error('nobody awaits it')), 300); });";
const LIVES = "it('lives', (done) => { setTimeout(done, 1_500); });";

describe('a run of the tests', () => {
  it('has failed when one of its processes died, though each test passed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'counterfoil-mocha-'));
    try {
      const files = [join(directory, 'dies.test.cjs'), join(directory, 'lives.test.cjs')];
      await writeFile(files[0] ?? '', DIES);
      await writeFile(files[1] ?? '', LIVES);
      const { execArgv, path } = scriptBeside('./mocha-hooks', import.meta.url);
      const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
      const { MOCHA_WORKER_ID: _of, ...env } = process.env;
      const args = ['--no-config', '--parallel', '--jobs', '2', '--require', path, ...files];
      const run = spawn(process.execPath, [mocha, ...args], {
        cwd: ROOT,
        env: { ...env, NODE_OPTIONS: execArgv.join(' ') },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let told = '';
      run.stderr.setEncoding('utf8').on('data', (text: string) => {
        told += text;
      });
      expect(await once(run, 'close')).to.deep.equal([1, null]);
      expect(told).to.contain('nobody awaits it').and.to.contain('The run has not come to its end');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
