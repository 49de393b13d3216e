// Files of the embedded stores that are damaged or deleted, before a start and under a running process.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { compiledMain } from '../cli/built.ts';
import type { Answer, Client } from '../support/load-client.ts';
import { card } from '../support/node.ts';
import { DataDirectory, type ServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const PAYMENTS = 12;
const WITHIN_MS = 30_000;

const Session = z.looseObject({ clientToken: z.string() });
const Token = z.looseObject({ token: z.string() });
const Paid = z.looseObject({ id: z.string() });
const Page = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })), nextCursor: z.string().nullish() });
const Projections = z.looseObject({ data: z.array(z.looseObject({ name: z.string(), lagEvents: z.number() })) });

describe('files of the embedded stores', () => {
  let directory: DataDirectory;
  let running: ServiceProcess;
  beforeEach(async () => {
    directory = new DataDirectory();
    running = await directory.serve();
    for (let n = 0; n < PAYMENTS; n += 1) expect((await pay(running.client)).status).to.equal(200);
  });
  afterEach(() => directory.remove());

  const file = (pattern: RegExp): string =>
    join(directory.dir, readdirSync(directory.dir).find((name) => pattern.test(name)) ?? 'none');
  /** Resolves when every read model's checkpoint is at the end of the log. */
  const untilKept = (): Promise<void> =>
    until(async () =>
      Projections.parse(await directory.place.json('projections list')).data.every(({ lagEvents }) => lagEvents === 0),
    );
  const isReady = async ({ client }: ServiceProcess): Promise<boolean> =>
    (await client.call('GET', '/health/ready')).status === 200;
  const listed = async ({ client }: ServiceProcess): Promise<number> =>
    Page.parse((await client.call('GET', '/payments')).body).data.length;

  const payments = (): string => file(/^read-models\.payments\.\d+\.db$/);
  /**
   * Kills the process while the newest writes of the read model are only in its WAL, and returns the number of
   * payments. A file that rests for some seconds has all of its WAL, even if a reader kept the WAL from being emptied:
   * then another payment is created.
   */
  async function killedWithWal(): Promise<number> {
    for (let made = PAYMENTS + 1; ; made += 1) {
      expect((await pay(running.client)).status).to.equal(200);
      await untilKept();
      await running.serving.end('SIGKILL');
      if ((await markIn(payments(), [''])) < (await markIn(payments(), ['', '-wal']))) return made;
      running = await directory.serve();
      await until(() => isReady(running));
    }
  }

  it('that lost the end of a read model in a damaged WAL are built again before the node is ready', async () => {
    const made = await killedWithWal();
    overwrite(`${payments()}-wal`, 0);
    running = await directory.serve();
    await until(() => isReady(running));
    expect(await listed(running)).to.equal(made);
    // Where another process still has the file open, its index of the WAL holds, and a reader meets the damage in place
    // of the loss.
    expect(running.serving.stderr()).to.match(/The read model payments (has lost documents|is damaged).+being rebuilt/);
  });

  it('that hold a read model are built again when its file is deleted under the running process', async () => {
    await untilKept();
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(`${file(/^read-models\.payments\.\d+\.db$/)}${suffix}`, { force: true });
    await until(async () => /The read model payments is (gone|damaged)/.test(running.serving.stderr()));
    await until(() => isReady(running));
    await until(async () => (await running.client.call('GET', '/payments')).status === 200);
    expect(await listed(running)).to.equal(PAYMENTS);
    expect((await pay(running.client)).status).to.equal(200);
    expect(await listed(running)).to.equal(PAYMENTS + 1);
    expect(running.client.faults.filter((fault) => / 500 /.test(fault))).to.deep.equal([]);
  });

  it('that hold a read model are built again when an empty file takes its place under the running process', async () => {
    await untilKept();
    const path = payments();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    writeFileSync(path, '');
    await until(() => /The read model payments is (gone|damaged)/.test(running.serving.stderr()));
    await until(() => isReady(running));
    await until(async () => (await running.client.call('GET', '/payments')).status === 200);
    expect(await listed(running)).to.equal(PAYMENTS);
    expect(running.client.faults.filter((fault) => / 500 /.test(fault))).to.deep.equal([]);
  });

  it('that hold a read model and were deleted are built again by an operator while no process runs', async () => {
    await running.serving.end('SIGTERM');
    const path = file(/^read-models\.payments\.\d+\.db$/);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    const { code, stdout, stderr } = await directory.place.run('projections rebuild payments');
    expect(code).to.equal(1);
    expect(stdout).to.match(new RegExp(`payments +${PAYMENTS} .+DIFFERENT, swapped`));
    expect(stderr).to.contain('The read model payments is gone: there is nothing to compare the new one with.');
    expect(stderr).to.contain(
      `${PAYMENTS} documents differ from the live ones. The read model built from the log is live now.`,
    );
    expect((await directory.place.run('projections rebuild payments')).stdout).to.match(
      new RegExp(`payments +${PAYMENTS} .+equal, swapped`),
    );
  });

  it('that hold a read model are built again when their pages cannot be read', async () => {
    await running.serving.end('SIGTERM');
    const path = file(/^read-models\.payments\.\d+\.db$/);
    await checkpointed(path);
    overwrite(path, 0.2);
    running = await directory.serve();
    await until(
      async () =>
        (await running.client.call('GET', '/payments')).status === 200 && (await listed(running)) === PAYMENTS,
    );
    expect(running.serving.stderr()).to.match(/The read model payments (is damaged|has lost documents)/);
    expect(running.client.faults.filter((fault) => / 500 /.test(fault))).to.deep.equal([]);
  });

  it('that hold the log, once deleted, make every write a 503', async () => {
    const before = await pay(running.client);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory.dir, `events.db${suffix}`), { force: true });
    expect((await running.client.call('POST', '/client-session', ORDER)).status).to.equal(503);
    await until(async () => !(await isReady(running)));
    expect((await running.client.call('GET', '/health/ready')).text).to.contain('the event store has been unavailable');
    expect(running.serving.stderr()).to.match(/events\.db was deleted or replaced/);
    expect(before.status).to.equal(200);
    expect(existsSync(join(directory.dir, 'events.db')), 'an empty log was made').to.equal(false);
  });

  it('that are deleted with their directory make every request a 503, and the directory is not made again', async () => {
    rmSync(directory.dir, { recursive: true });
    await until(async () => !(await isReady(running)));
    await until(async () => (await running.client.call('GET', '/payments')).status === 503);
    expect((await running.client.call('POST', '/client-session', ORDER)).status).to.equal(503);
    expect((await running.client.call('GET', '/health/live')).status).to.equal(200);
    expect(existsSync(directory.dir)).to.equal(false);
  });

  it('that hold the sandbox and are truncated end a start with one line that names the remedy', async () => {
    await running.serving.end('SIGTERM');
    await checkpointed(join(directory.dir, 'sandbox.db'));
    truncateSync(join(directory.dir, 'sandbox.db'), 5_000);
    const { code, stderr } = await directory.place.run('serve --port 0');
    expect(code).to.equal(3);
    expect(linesIn(stderr)).to.have.length(1);
    expect(stderr).to.match(/sandbox\.db is damaged\. Restore a backup of the file, or move it elsewhere/);
  });

  it('that exceed the limit on open files end a start with one line that says how many to allow', async () => {
    await running.serving.end('SIGTERM');
    // where it is met differs: in a module of the program, in a package's own description; with more files a start
    // may get through, and then says how many it needs
    for (const files of [40, 56, 64]) {
      const serve = `ulimit -n ${files}; exec "${process.execPath}" "${compiledMain()}" serve --port 0`;
      const { status, stderr } = spawnSync('/bin/sh', ['-c', serve], {
        cwd: directory.place.dir,
        encoding: 'utf8',
        timeout: WITHIN_MS,
      });
      expect(status, `${files} files: ${stderr}`).to.equal(3);
      expect(linesIn(stderr)).to.have.length(1);
      expect(stderr).to.contain('ulimit -n 1024');
    }
  });
});

/** What keeps a process from mounting a disk of its own: the rights of root, or a container's rules. */
const WITHOUT_MOUNT = canMount() ? '' : ' (left out: this process may not mount a tmpfs)';

describe('files of read models on a disk of their own', () => {
  let directory: DataDirectory;
  let disk: string;
  beforeEach(() => {
    directory = new DataDirectory();
    disk = join(directory.place.dir, 'disk');
    mkdirSync(disk);
  });
  afterEach(() => directory.remove());

  it(`that is full make writes a 503 within seconds, and with room no payment that was answered is missing${WITHOUT_MOUNT}`, async function full() {
    if (WITHOUT_MOUNT !== '') return this.skip();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'none', disk]);
    try {
      const { client, serving } = await directory.serve({
        COUNTERFOIL_READ_MODELS: `sqlite:${join(disk, 'read-models.db')}`,
      });
      expect((await pay(client)).status).to.equal(200);
      fill(join(disk, 'ballast'));
      // The first payments are answered from their folds; when no document was taken for 2 s, nothing more is written.
      const paid: string[] = [];
      for (;;) {
        const { status, body } = await client.call('POST', '/client-session', ORDER);
        if (status === 503) break;
        const done = await payFor(client, Session.parse(body).clientToken);
        expect(done.status).to.be.oneOf([200, 503]);
        if (done.status === 200) paid.push(Paid.parse(done.body).id);
      }
      expect((await client.call('GET', '/health/ready')).text).to.contain('the read models have accepted no writes');
      expect(serving.stderr()).to.contain('disk is full');
      rmSync(join(disk, 'ballast'));
      await until(async () => (await client.call('GET', '/health/ready')).status === 200);
      expect(await allPayments(client))
        .to.include.members(paid)
        .and.have.length(paid.length + 1);
      expect(client.faults.filter((fault) => !/: 503 .*(Not ready|Nothing was changed)/.test(fault))).to.deep.equal([]);
      await serving.end('SIGTERM');
      const rebuilt = await directory.place.run('projections rebuild payments', {
        env: { COUNTERFOIL_READ_MODELS: `sqlite:${join(disk, 'read-models.db')}` },
      });
      expect(rebuilt.stdout).to.match(new RegExp(`payments +${paid.length + 1} .+equal, swapped`));
    } finally {
      execFileSync('umount', ['--lazy', disk]);
    }
  });
});

function canMount(): boolean {
  const here = mkdtempSync(join(tmpdir(), 'counterfoil-mount-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', here]).status === 0;
  if (isMounted) spawnSync('umount', [here]);
  rmSync(here, { recursive: true });
  return isMounted;
}

/** Writes into a file until its disk takes not one page more. */
function fill(path: string): void {
  const opened = openSync(path, 'w');
  for (const size of [1_048_576, 4_096])
    try {
      for (;;) writeSync(opened, Buffer.alloc(size));
    } catch {
      // there is no room for so much
    }
  closeSync(opened);
}

const ORDER = { orderId: 'o', currencyCode: 'EUR', amount: 1000 };

/** The ids of every payment in the list: a fast disk lets through more than a page in two seconds. */
async function allPayments(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; ) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = Page.parse((await client.call('GET', `/payments?limit=100${from}`)).body);
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
}

async function pay(client: Client): Promise<Answer> {
  const { clientToken } = Session.parse((await client.call('POST', '/client-session', ORDER)).body);
  return payFor(client, clientToken);
}

/** The answer to the payment, or to the card's token if that is refused. */
async function payFor(client: Client, clientToken: string): Promise<Answer> {
  const made = await client.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', card());
  if (made.status === 503) return made;
  return client.call('POST', '/payments', { clientToken, paymentMethodToken: Token.parse(made.body).token });
}

/** Moves all of a database from its WAL into its file. */
async function checkpointed(path: string): Promise<void> {
  const database = await openDatabase({ file: path, synchronous: 'full', busyTimeoutMs: 1_000, cacheKiB: 64 });
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Overwrites a file's bytes from a fraction of its length on. */
/** The high-water mark in a copy of a read model's file that has these parts of it; 0 before the first. */
async function markIn(path: string, parts: readonly string[]): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-mark-'));
  const copy = join(directory, 'copy.db');
  // The last process that closes a file moves all of its WAL into it, and deletes the WAL.
  for (const part of parts) if (existsSync(`${path}${part}`)) copyFileSync(`${path}${part}`, `${copy}${part}`);
  const database = await openDatabase({ file: copy, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 });
  const isMarked = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'high_water'").get() !== undefined;
  const row = isMarked ? database.prepare<{ readonly mark: number }>('SELECT mark FROM high_water').get() : undefined;
  database.close();
  rmSync(directory, { recursive: true });
  return row?.mark ?? 0;
}

function overwrite(path: string, from: number): void {
  const { size } = statSync(path);
  const start = Math.max(4_096, Math.floor(size * from));
  const opened = openSync(path, 'r+');
  writeSync(opened, Buffer.alloc(size - start, 0x5a), 0, size - start, start);
  closeSync(opened);
}

const linesIn = (text: string): readonly string[] => text.trim().split('\n');
