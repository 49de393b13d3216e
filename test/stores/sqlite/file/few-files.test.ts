// A database that cannot be opened because the process may open no more files.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { nodeArguments, scriptBeside } from '../../../support/script.ts';

describe('opening a database at the limit on open files', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'counterfoil-few-files-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('fails with the limit as its reason, and no warning of Node is printed', () => {
    const child = nodeArguments(scriptBeside('./few-files-child', import.meta.url), join(directory, 'a.db'));
    const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, ...child];
    const { stdout, stderr } = spawnSync('/bin/sh', limited, { encoding: 'utf8' });
    // One file is enough for the database, and not for its WAL.
    expect(stdout).to.match(/^(EMFILE: .*\n){2,}$/);
    expect(stderr).to.equal('');
  });
});
