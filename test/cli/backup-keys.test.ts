// A backup looks for every key that its log names, however old the event is: what a command sees in the newest events
// is another look (test/cli/damaged-keys.test.ts).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type MadeBackup, makeBackup } from '../../src/cli/backup/make-backup.ts';
import { OldKeyStore } from '../../src/cli/open/keys-of-log.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { faultOf } from '../contract/store-under-test.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

describe('a backup of a log whose key store misses a key', () => {
  let http: HttpService;
  let directory = '';
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-backup-keys-'));
  });
  after(async () => {
    await http.stop();
    await rm(directory, { recursive: true });
  });

  const keysFile = (): string => join(http.directory, 'keys.db');
  const backUp = (into: string): Promise<MadeBackup> => {
    const { events, secrets, world } = http.stores;
    return makeBackup(join(directory, into), {
      source: { kind: 'sqlite', file: join(http.directory, 'events.db') },
      dataDir: http.directory,
      events,
      keys: { file: keysFile() },
      secrets,
      world,
      report: (fault) => expect.fail(String(fault)),
      signal: new AbortController().signal,
    });
  };
  /** A session of a customer, without the key that it was recorded under. */
  const loseKeyOf = async (customerId: string): Promise<void> => {
    const database = await openDatabase({ file: keysFile(), synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 64 });
    const ids = (): readonly unknown[] => database.prepare('SELECT id FROM keys').all();
    const known = new Set(ids().map((row) => JSON.stringify(row)));
    await http.shop.session({ customerId, customer: { firstName: 'Ada' } });
    const added = ids().filter((row) => !known.has(JSON.stringify(row)));
    expect(added).to.have.lengthOf(1);
    database.prepare('DELETE FROM keys WHERE id = ?').run(Object(added[0]).id);
    database.close();
  };

  it('says so in a new directory, and fails in the directory of a whole backup', async () => {
    expect((await backUp('whole')).keysFault).to.equal(undefined);
    await loseKeyOf('c-1');
    const made = await backUp('new');
    expect(made.keysFault).to.be.instanceOf(OldKeyStore);
    expect(made.keysFault?.message).to.include('it misses 1 key that events name');
    expect(await faultOf(backUp('whole'))).to.be.instanceOf(OldKeyStore);
  });
});
