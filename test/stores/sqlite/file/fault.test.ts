// The kinds of SQLite faults, however the statement was run.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../../../src/stores/sqlite/file/database.ts';
import { sqliteFault } from '../../../../src/stores/sqlite/file/fault.ts';

describe('a fault of SQLite', () => {
  it('of a damaged page is damage, whether one row is asked for or all', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'counterfoil-fault-'));
    const file = join(directory, 'damaged.db');
    const options = { file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 } as const;
    const made = await openDatabase(options);
    made.exec('CREATE TABLE t (a TEXT); INSERT INTO t VALUES (zeroblob(9000)); PRAGMA wal_checkpoint(TRUNCATE)');
    made.close();
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0x5a, 4_096));
    const database = await openDatabase(options);
    const statement = database.prepare('SELECT a FROM t');
    expect([kindOf(() => statement.get()), kindOf(() => statement.all()), kindOf(() => statement.run())]).to.deep.equal(
      ['corrupt', 'corrupt', 'corrupt'],
    );
    database.close();
    await rm(directory, { recursive: true });
  });
});

function kindOf(work: () => unknown): string | undefined {
  try {
    work();
    return 'none';
  } catch (fault) {
    return sqliteFault(fault);
  }
}
