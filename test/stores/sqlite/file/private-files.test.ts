// Stored data is closed to other users of the machine, whether or not a secret was generated beside it.
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../../../src/stores/sqlite/file/database.ts';
import { leaveOut } from '../../../support/left-out.ts';

describe('an embedded database', () => {
  it('that root makes belongs to the owner of its directory, the WAL too', async () => {
    if (process.geteuid?.() !== 0) leaveOut('only root gives files to others');
    const directory = await mkdtemp(join(tmpdir(), 'counterfoil-owner-'));
    try {
      await chown(directory, 12_345, 12_346);
      const file = join(directory, 'read-models.db');
      const database = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 100 });
      database.exec('CREATE TABLE t (a)');
      const owners = await Promise.all([file, `${file}-wal`].map((path) => stat(path)));
      database.close();
      expect(owners.map(({ uid, gid }) => [uid, gid])).to.deep.equal([
        [12_345, 12_346],
        [12_345, 12_346],
      ]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('and its directory are made for their owner alone, the WAL too', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'counterfoil-private-'));
    try {
      const file = join(directory, 'data', 'events.db');
      const database = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 100 });
      database.exec('CREATE TABLE t (a)');
      const modes = await Promise.all(
        [join(directory, 'data'), file, `${file}-wal`].map(async (path) => (await stat(path)).mode & 0o777),
      );
      database.close();
      expect(modes).to.deep.equal([0o700, 0o600, 0o600]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
