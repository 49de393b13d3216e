// Two signals: the first asks, the second ends the process at once, whatever its threads are at.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { nodeArguments, scriptBeside } from '../support/script.ts';

describe('a process that is interrupted', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`ends by the second ${signal}, though a thread of it is in the middle of a call to SQLite`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'counterfoil-interrupt-'));
      const script = nodeArguments(scriptBeside('./interrupt-child', import.meta.url), directory);
      const child = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
        const ended = once(child, 'exit');
        expect((await lines.next()).value).to.equal('busy');
        child.kill(signal);
        expect((await lines.next()).value).to.equal(signal);
        child.kill(signal);
        expect(await ended).to.deep.equal([null, signal]);
      } finally {
        child.kill('SIGKILL');
        await rm(directory, { recursive: true });
      }
    });
});
