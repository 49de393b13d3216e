// A file that others write, too: their commits are noticed by whatever this thread is told next, with as few looks as
// that takes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Database, openDatabase, type Statement } from '../../../src/stores/sqlite/file/database.ts';
import { SharedFile } from '../../../src/stores/sqlite/shared-file.ts';
import { calmWorld } from '../../support/calm-world.ts';

describe('a file of read models that others write, too,', () => {
  let directory: string;
  let own: Database;
  let foreign: Database;
  let looks: number;
  let noticed: number;
  let file: SharedFile;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-shared-'));
    const name = join(directory, 'read-models.db');
    const options = { file: name, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 } as const;
    own = await openDatabase(options);
    foreign = await openDatabase(options);
    own.exec('CREATE TABLE documents (id TEXT)');
    noticed = 0;
    file = new SharedFile(
      name,
      counting(own, () => {
        looks += 1;
      }),
      {
        world: calmWorld,
        onGone: () => new Error('gone'),
        onForeignCommit: () => {
          noticed += 1;
        },
      },
    );
    looks = 0;
  });
  afterEach(async () => {
    own.close();
    foreign.close();
    await rm(directory, { recursive: true });
  });

  const write = (by: Database): void => by.exec("INSERT INTO documents VALUES ('one')");

  it('is looked at once for all that is begun together', () => {
    for (let request = 0; request < 10; request += 1) file.look();
    expect(looks).to.equal(1);
  });

  it('is gone once it was deleted, even if a process still has it open', async () => {
    await rm(file.name);
    for (let time = 0; time < 2; time += 1) expect(() => file.look()).to.throw('gone');
  });

  it('is looked at again in the next turn, which may know of a commit', async () => {
    file.look();
    write(foreign);
    await nextTurn();
    file.look();
    expect([looks, noticed]).to.deep.equal([2, 1]);
  });

  it('is looked at again for a caller that waited for a promise', async () => {
    file.look();
    write(foreign);
    await Promise.resolve();
    file.look();
    expect([looks, noticed]).to.deep.equal([2, 1]);
  });

  it('is looked at again after a commit of this thread, through whatever connection', () => {
    const other = new SharedFile(file.name, foreign, {
      world: calmWorld,
      onGone: () => new Error('gone'),
      onForeignCommit: () => undefined,
    });
    file.look();
    other.transaction(() => write(foreign));
    file.look();
    expect([looks, noticed]).to.deep.equal([2, 1]);
  });

  it('is looked at again by a transaction, after it has the lock', () => {
    file.look();
    write(foreign);
    file.transaction(() => expect(noticed).to.equal(1));
  });
});

/** The database; `onLook` is called at each reading of its version. */
const counting = (database: Database, onLook: () => void): Database => ({
  isOpen: true,
  get isTransaction() {
    return database.isTransaction;
  },
  exec: (sql) => database.exec(sql),
  close: () => database.close(),
  prepare<Row>(sql: string): Statement<Row> {
    const statement = database.prepare<Row>(sql);
    if (!sql.includes('data_version')) return statement;
    return {
      run: (...values) => statement.run(...values),
      all: (...values) => statement.all(...values),
      iterate: (...values) => statement.iterate(...values),
      setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
      get(...values) {
        onLook();
        return statement.get(...values);
      },
    };
  },
});
