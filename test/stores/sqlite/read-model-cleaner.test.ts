// The thread that rewrites read-model files, while another thread moves their WALs into them.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../../src/stores/sqlite/file/database.ts';
import { Checkpointer } from '../../../src/stores/sqlite/read-model-checkpointer.ts';
import { cleanFiles } from '../../../src/stores/sqlite/read-model-cleaner.ts';
import { calmWorld } from '../../support/calm-world.ts';

/** More than lies between two checkpoints: the next commit starts one. */
const MUCH = 8 * 1024 * 1024;

describe('the rewriting of read-model files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-cleaner-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('leaves no text in them that was deleted or overwritten', async () => {
    const file = join(directory, 'read-models.db');
    const database = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 });
    database.exec('CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)');
    database.exec("INSERT INTO texts VALUES (1, 'deleted-text'), (2, 'overwritten-text'), (3, 'kept-text')");
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.exec("DELETE FROM texts WHERE id = 1; UPDATE texts SET text = '' WHERE id = 2");
    const holds = async () => {
      const bytes = Buffer.concat(await Promise.all([readFile(file), readFile(`${file}-wal`)]));
      return ['deleted-text', 'overwritten-text', 'kept-text'].filter((text) => bytes.includes(text));
    };
    expect(await holds()).to.have.length(3);
    await cleanFiles([file]);
    expect(await holds()).to.deep.equal(['kept-text']);
    database.close();
  });

  it('empties their WALs, whatever checkpoints are made meanwhile', async function clean() {
    const file = join(directory, 'read-models.db');
    const database = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 });
    database.exec('CREATE TABLE texts (text TEXT)');
    const faults: unknown[] = [];
    const checkpointer = new Checkpointer({ world: calmWorld, report: (fault) => faults.push(fault) });
    for (let round = 0; round < 10; round += 1) {
      database.exec('INSERT INTO texts VALUES (hex(randomblob(500000)))');
      let isClean = false;
      const cleaned = cleanFiles([file]).finally(() => {
        isClean = true;
      });
      while (!isClean) {
        checkpointer.wrote(file, MUCH, 1);
        await new Promise(setImmediate);
      }
      await cleaned;
      expect((await stat(`${file}-wal`)).size, `round ${round}`).to.equal(0);
    }
    await checkpointer.close();
    database.close();
    expect(faults).to.deep.equal([]);
  });
});
