// The thread that moves WALs into files: each of several callers that ask about one file gets its answer.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../../src/stores/sqlite/file/database.ts';
import { Checkpointer } from '../../../src/stores/sqlite/read-model-checkpointer.ts';
import { calmWorld } from '../../support/calm-world.ts';

/** More than lies between two checkpoints: the next commit starts one. */
const MUCH = 8 * 1024 * 1024;

describe('the checkpoints of read-model files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-checkpoints-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('are forgotten for everyone who asks while one is under way', async () => {
    const file = join(directory, 'read-models.db');
    const database = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 });
    const faults: unknown[] = [];
    const checkpointer = new Checkpointer({ world: calmWorld, report: (fault) => faults.push(fault) });
    checkpointer.wrote(file, MUCH, 1);
    await Promise.all([checkpointer.forget(file), checkpointer.forget(file), checkpointer.forget(file)]);
    await checkpointer.close();
    database.close();
    expect(faults).to.deep.equal([]);
  });
});
