// A log that has lost its end, beside stores that have seen it longer: nothing is appended to it before a person has
// accepted the loss, which is then on record.
import { copyFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { EXIT } from '../../src/cli/exit.ts';
import { truncateWal } from '../../src/stores/sqlite/file/busy.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { openEventStoreDbLoopback } from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { quickMain } from './built.ts';
import { Place } from './processes.ts';

/** Everything that was committed is in the file itself then. Each version of Node does so at another time. */
async function intoFile(file: string): Promise<void> {
  const options = { file, mustExist: true, synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 1_024 } as const;
  const database = await openDatabase(options);
  truncateWal(database);
  database.close();
}

/** Copies of the log and of the keys, beside the data directory. */
async function copyInto(data: string, name: 'older' | 'newer'): Promise<void> {
  const to = join(data, '..', name);
  await mkdir(to);
  for (const file of ['events.db', 'keys.db']) {
    await intoFile(join(data, file));
    await copyFile(join(data, file), join(to, file));
  }
}

const SHORTER = /the event log ends at position (\d+), but [^.]+ seen it up to position (\d+)/i;

describe('counterfoil on an older copy of the log', () => {
  // Files are replaced under the commands: each of them is a process of its own, so that none holds an older file open.
  let place: Place;
  let log: string;
  let keys: string;
  const put = async (copies: 'older' | 'newer', at: string): Promise<void> => {
    for (const rest of ['-wal', '-shm']) await rm(`${at}${rest}`, { force: true });
    await copyFile(join(place.dir, copies, basename(at)), at);
  };
  const streams = async (): Promise<string> => (await place.run('audit streams')).stdout;

  /** A store, of which a command has seen more than the older copies have. */
  const base = new Place(quickMain());
  before(async () => {
    const its = join(base.dir, 'data');
    await (await base.serve()).end('SIGTERM');
    await copyInto(its, 'older');
    expect((await base.run('accounts create --name Later')).code).to.equal(0);
    await copyInto(its, 'newer');
  });
  after(() => base.remove());
  beforeEach(async () => {
    place = new Place(quickMain());
    // what is beside these two files is empty, and goes when this process lets go of them
    const filter = (path: string): boolean => !/(?:events|keys)\.db-/.test(path);
    await cp(base.dir, place.dir, { recursive: true, filter });
    [log, keys] = [join(place.dir, 'data/events.db'), join(place.dir, 'data/keys.db')];
    await put('older', log);
  });
  afterEach(() => place.remove());

  it('refuses every command that could append, with both positions, and appends nothing', async () => {
    const before = await streams();
    for (const command of [
      'projections rebuild payments',
      'projections rebuild --all',
      'accounts create --name Another',
      'accounts list',
      'sandbox clock advance 1h',
      'secrets rotate',
      'secrets rewrap',
    ]) {
      const { code, stderr } = await place.run(command);
      expect(code, command).to.equal(EXIT.refused);
      const [, end, seen] = SHORTER.exec(stderr) ?? [];
      expect(Number(seen), `${command}: ${stderr}`).to.be.greaterThan(Number(end));
      expect(stderr, command).to.include('Put the newer log back').and.to.include('--accept-shorter-log');
    }
    const refused = await place.begin('serve --port 0').ended();
    expect([refused.code, SHORTER.test(refused.stderr)], refused.stderr).to.deep.equal([EXIT.refused, true]);
    expect(await streams()).to.equal(before);
    // people who look for the loss can look
    expect((await place.run('projections list')).code).to.equal(0);
    await put('newer', log);
    expect((await place.run('accounts list')).stdout).to.include('Later');
  });

  it('refuses where only the keys of personal data have seen more', async () => {
    for (const rest of ['', '-wal', '-shm']) await rm(join(place.dir, `data/read-models.db${rest}`), { force: true });
    const { code, stderr } = await place.run('accounts create --name Another');
    expect([code, SHORTER.test(stderr)], stderr).to.deep.equal([EXIT.refused, true]);
    expect(stderr).to.include('the key store has seen');
  });

  it('refuses an empty log that no store has been created in, beside stores that have seen one', async () => {
    await rm(log);
    const refused = await place.begin('serve --port 0').ended();
    expect(refused.code).to.equal(EXIT.refused);
    expect(refused.stderr).to.match(/the event log is empty, but [^.]+ seen it up to position \d+/i);
    expect(await streams()).to.include('No streams.');
  });

  it('refuses a backup into a directory that has seen more, and into a new one', async () => {
    await put('newer', log);
    const out = join(place.dir, 'backup');
    expect((await place.run(`backup --out ${out}`)).code).to.equal(0);
    await put('older', log);
    for (const directory of [out, join(place.dir, 'another')]) {
      const { code, stderr } = await place.run(`backup --out ${directory}`);
      expect([code, SHORTER.test(stderr)], stderr).to.deep.equal([EXIT.refused, true]);
    }
    await put('older', keys);
    const { stderr } = await place.run(`backup --out ${out}`);
    expect(stderr).to.match(SHORTER).and.to.include(out);
  });

  it('goes on with --accept-shorter-log, which is on record with both positions, and builds the read models again', async () => {
    const serving = await place.serve('--accept-shorter-log');
    await serving.end('SIGTERM');
    const { stdout } = await place.run('audit streams --prefix act-');
    const [stream] = /act-act_\w+/.exec(stdout) ?? [];
    const [event] = (await place.run(`audit show ${stream} --jsonl`)).stdout.split('\n');
    const { type, data, metadata } = JSON.parse(event ?? '');
    expect([type, metadata.actor.kind]).to.deep.equal(['ShorterLogAccepted', 'operator']);
    expect(Number(data.seen)).to.be.greaterThan(Number(data.end));
    // nothing of the lost events is left, and nothing is in the way any longer
    expect((await place.run('accounts list')).stdout).not.to.include('Later');
    expect((await place.run('accounts create --name Next')).code).to.equal(0);
    expect((await place.run('projections rebuild accounts')).stderr).not.to.include('differ');
    await (await place.serve()).end('SIGTERM');
    expect((await place.run('audit verify')).code).to.equal(0);
  });

  it('goes on with a command that rebuilds, in the same way', async () => {
    const { code, stderr } = await place.run('projections rebuild --all --accept-shorter-log');
    expect(code, stderr).to.equal(0);
    expect(await streams()).to.match(/act-act_\w+/);
    expect((await place.run('accounts list')).stdout).not.to.include('Later');
  });
});

describe('counterfoil on an EventStoreDB that was restored from an older backup', () => {
  const place = new Place(quickMain());
  after(() => place.remove());

  it('refuses to append, and goes on with --accept-shorter-log', async () => {
    const directory = await mkdtemp(join(place.dir, 'events'));
    const backup = join(place.dir, 'backup');
    const events = await openEventStoreDbLoopback({ directory });
    try {
      const env = {
        COUNTERFOIL_SECRET: Buffer.alloc(32, 6).toString('base64url'),
        COUNTERFOIL_EVENT_STORE: events.url,
      };
      const run = (command: string) => place.run(command, { env });
      await (await place.serve('', env)).end('SIGTERM');
      await events.kill();
      await cp(directory, backup, { recursive: true });
      await events.start();
      expect((await run('accounts create --name Later')).code).to.equal(0);
      await events.kill();
      await rm(directory, { recursive: true });
      await cp(backup, directory, { recursive: true });
      await events.start();
      for (const command of ['projections rebuild accounts', 'accounts create --name Another']) {
        const { code, stderr } = await run(command);
        expect([code, SHORTER.test(stderr)], stderr).to.deep.equal([EXIT.refused, true]);
      }
      await (await place.serve('--accept-shorter-log', env)).end('SIGTERM');
      expect((await run('audit streams --prefix act-')).stdout).to.match(/act-act_\w+/);
      expect((await run('accounts list')).stdout).not.to.include('Later');
    } finally {
      await events.kill();
    }
  });
});
