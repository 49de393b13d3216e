// The handler that the tests of the group-commit writer run on its thread: adds a number, or fails on request.
import { existsSync, rmSync } from 'node:fs';
import { prepareRows } from '../../../../src/stores/sqlite/file/database.ts';
import type { OpenHandler } from '../../../../src/stores/sqlite/file/handler.ts';

export const openHandler: OpenHandler = (database) => {
  database.exec('CREATE TABLE IF NOT EXISTS numbers (place INTEGER PRIMARY KEY, number INTEGER NOT NULL UNIQUE)');
  database.exec('PRAGMA foreign_keys = ON');
  database.exec(
    'CREATE TABLE IF NOT EXISTS owed (place INTEGER REFERENCES numbers (place) DEFERRABLE INITIALLY DEFERRED)',
  );
  const add = database.prepare('INSERT INTO numbers (number) VALUES (?)');
  const count = prepareRows<readonly [number]>(database, 'SELECT count(*) FROM numbers');
  const file = prepareRows<readonly [number, string, string]>(database, 'PRAGMA database_list').get()?.[2];
  const synchronous = prepareRows<readonly [number]>(database, 'PRAGMA synchronous');
  let forgotten = 0;
  return {
    forget: () => {
      forgotten += 1;
    },
    handle: (request) => {
      if (request === 'die') process.exit(3); // of a thread: ends the thread
      if (request === 'forgotten') return forgotten;
      if (request === 'wrong reply') return 'not a number';
      if (request === 'fill the disk')
        database.exec('PRAGMA max_page_count = 1; CREATE TABLE more (x); CREATE TABLE evenMore (x)');
      if (request === 'empty the disk') database.exec('PRAGMA max_page_count = 1000000');
      if (request === 'empty the disk') return 0;
      if (request === 'fail at the commit') database.exec('INSERT INTO owed VALUES (-1)');
      if (request === 'fail at the commit') return 0;
      if (request === 'lose the file') rmSync(String(file));
      if (request === 'lose the file') return 0;
      if (request === 'synchronous') return synchronous.get()?.[0];
      if (request === 'hang') return hangUntil(`${file}.go`);
      if (request === 'busy') while (!existsSync(`${file}.go`)) count.get();
      if (request === 'busy') return 0;
      if (typeof request !== 'number') throw new TypeError('not a number');
      add.run(request);
      if (request < 0) throw new RangeError('written, then refused');
      return count.get()?.[0];
    },
  };
};

/** As a disk that does not answer, until there is such a file. */
function hangUntil(file: string): number {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(file)) Atomics.wait(nothing, 0, 0, 5);
  return 0;
}
