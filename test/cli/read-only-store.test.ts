// A snapshot of a store on a read-only file system is verified where it is.
import { execFile } from 'node:child_process';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { truncateWal } from '../../src/stores/sqlite/file/busy.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { leaveOut } from '../support/left-out.ts';
import { DataDirectory } from '../support/service-process.ts';
import { quickMain } from './built.ts';

const Verified = z.looseObject({ events: z.int(), broken: z.literal(0), damage: z.array(z.string()).length(0) });
/** `$0`: a directory that the command sees read-only, in a mount namespace of its own. */
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';

describe('a store on a read-only file system', () => {
  const directory = new DataDirectory();
  const { place } = directory;
  const at = (name: string): string => join(place.dir, name);
  after(() => directory.remove());

  const inReadOnly = (dir: string, ...command: readonly string[]) =>
    promisify(execFile)('unshare', ['-rm', 'sh', '-c', READ_ONLY, at(dir), ...command], { cwd: place.dir });

  before(async () => {
    const { serving, client } = await directory.serve();
    const customer = { firstName: 'Zerlina' };
    const body = { orderId: 'o-1', currencyCode: 'EUR', amount: 100, customerId: 'customer-1', customer };
    expect((await client.call('POST', '/client-session', body)).status).to.equal(200);
    serving.process.kill('SIGKILL');
    await serving.end('SIGKILL');
    for (const name of ['killed', 'whole']) await cp(directory.dir, at(name), { recursive: true });
    for (const name of ['events.db', 'keys.db']) {
      const options = { mustExist: true, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 1_024 } as const;
      const database = await openDatabase({ file: at(`whole/${name}`), ...options });
      truncateWal(database);
      database.close();
      for (const end of ['-wal', '-shm']) await rm(at(`whole/${name}${end}`), { force: true });
    }
  });

  for (const [what, name] of [
    ['in its files alone', 'whole'],
    ['with its write-ahead log, as a kill left it', 'killed'],
  ] as const)
    it(`is verified ${what}, and nothing is written`, async () => {
      await inReadOnly(name, 'true').catch(() =>
        leaveOut('this user cannot mount a directory read-only (unshare -rm)'),
      );
      const files = await readdir(at(name));
      const verify = [quickMain(), 'audit', 'verify', '--json', '--data-dir'];
      const { stdout, stderr } = await inReadOnly(name, process.execPath, ...verify, at(name));
      const writable = Verified.parse(await place.json('audit verify'));
      expect(Verified.parse(JSON.parse(stdout)).events, stderr).to.equal(writable.events);
      expect(stderr).to.equal('');
      expect(await readdir(at(name))).to.deep.equal(files);
    });
});
