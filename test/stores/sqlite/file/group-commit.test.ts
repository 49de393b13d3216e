// The group-commit writer: many requests in one durable transaction, each answered for itself, whatever happens to the
// thread.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Database, openDatabase, prepareRows } from '../../../../src/stores/sqlite/file/database.ts';
import { CommitRefused, GroupCommit } from '../../../../src/stores/sqlite/file/group-commit.ts';
import { besides } from '../../../../src/stores/sqlite/file/thread.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import type { World } from '../../../../src/world.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { nodeArguments, scriptBeside } from '../../../support/script.ts';
import { until } from '../../../support/until.ts';

type Writer = GroupCommit<number | string, number>;

const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (fault: unknown) => fault,
  );

describe('the group-commit writer', () => {
  let directory: string;
  let file: string;
  let reported: unknown[];
  let writer: Writer;
  let reader: Database;

  const writerOf = (world: World): Writer =>
    new GroupCommit({
      file,
      handler: besides('./test-handler', import.meta.url),
      isReply: (reply): reply is number => typeof reply === 'number',
      world,
      report: (fault) => reported.push(fault),
    });
  const numbers = (): readonly number[] => {
    const rows = prepareRows<readonly [number]>(reader, 'SELECT number FROM numbers ORDER BY place').all();
    return rows.map(([number]) => number);
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-writer-'));
    file = join(directory, 'numbers.db');
    reported = [];
    writer = writerOf(calmWorld);
    reader = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 });
  });
  afterEach(async () => {
    await writer.close();
    if (reader.isOpen) reader.close();
    await rm(directory, { recursive: true });
  });

  it('commits simultaneous requests at once, in order: with the first reply all are there', async () => {
    const replies = Array.from({ length: 100 }, (_, n) => writer.submit(n));
    expect(await replies[0]).to.equal(1);
    expect(numbers()).to.deep.equal(Array.from({ length: 100 }, (_, n) => n));
    expect(await Promise.all(replies)).to.deep.equal(Array.from({ length: 100 }, (_, n) => n + 1));
  });

  it('gives the space of its WAL back when nothing is written for a while', async () => {
    const resting = writerOf({ ...calmWorld, sleep: (ms, signal) => calmWorld.sleep(Math.min(ms, 20), signal) });
    await Promise.all(Array.from({ length: 500 }, (_, n) => resting.submit(n)));
    await until(async () => (await stat(`${file}-wal`)).size === 0);
    expect(numbers()).to.have.length(500);
    expect(await resting.submit(1_000)).to.equal(501);
    await resting.close();
    expect(reported).to.deep.equal([]);
  });

  it('takes more than one batch holds, and requests too big to share one', async () => {
    const many = Array.from({ length: 1_300 }, (_, n) => writer.submit(n));
    const big = Array.from({ length: 4 }, (_, n) => writer.submit(2_000 + n, 3 * 1024 * 1024));
    await Promise.all([...many, ...big]);
    expect(numbers()).to.have.length(1_304);
  });

  it('refuses a request whose handling throws, undoes its writes, and writes its neighbours', async () => {
    const [one, negative, text, doubled, two] = [1, -1, 'two', 1, 2].map((request) => writer.submit(request));
    expect(await faultOf(negative ?? never))
      .to.be.instanceOf(CommitRefused)
      .and.include({ message: 'written, then refused' });
    expect(await faultOf(text ?? never)).to.include({ message: 'not a number' });
    expect(await faultOf(doubled ?? never)).to.be.instanceOf(CommitRefused);
    expect([await one, await two]).to.deep.equal([1, 2]);
    expect(numbers()).to.deep.equal([1, 2]);
    expect(await faultOf(writer.submit('wrong reply'))).to.be.instanceOf(TypeError);
  });

  it('tells the handler to forget when another connection wrote, and not for its own commits', async () => {
    await writer.submit(1);
    const before = await writer.submit('forgotten');
    await writer.submit(2);
    expect(await writer.submit('forgotten')).to.equal(before);
    reader.exec('INSERT INTO numbers (number) VALUES (77)');
    expect(await writer.submit('forgotten')).to.equal(before + 1);
  });

  it('waits while another connection holds the lock, and writes when that is gone', async () => {
    await writer.submit(1);
    reader.exec('BEGIN IMMEDIATE');
    const waiting = writer.submit(2);
    await calmWorld.sleep(100, new AbortController().signal);
    expect(numbers()).to.deep.equal([1]);
    reader.exec('COMMIT');
    expect(await waiting).to.equal(2);
  });

  it('does not know the outcome of a dying thread’s requests; the next request gets a new thread', async () => {
    await writer.submit(1);
    const [died, neighbour] = [faultOf(writer.submit('die')), faultOf(writer.submit(2))];
    await calmWorld.sleep(1, new AbortController().signal);
    const queued = writer.submit(3);
    for (const fault of [await died, await neighbour]) {
      expect(fault).to.be.instanceOf(StoreUnavailable);
      expect(fault).to.include({ outcomeUnknown: true });
    }
    expect(await queued).to.equal(2);
    expect(numbers()).to.deep.equal([1, 3]);
    expect(reported).to.have.length(1);
  });

  it('says that nothing was written when the disk is full, and continues when there is room again', async () => {
    await writer.submit(1);
    const [full, neighbour] = [faultOf(writer.submit('fill the disk')), faultOf(writer.submit(2))];
    for (const fault of [await full, await neighbour]) {
      expect(fault).to.be.instanceOf(StoreUnavailable);
      expect(fault).to.include({ outcomeUnknown: false });
    }
    expect(numbers()).to.deep.equal([1]);
    await writer.submit('empty the disk');
    expect(await writer.submit(3)).to.equal(2);
  });

  it('does not know the outcome of requests whose commit fails, and commits the next ones', async () => {
    await writer.submit(1);
    const [failed, neighbour] = [faultOf(writer.submit('fail at the commit')), faultOf(writer.submit(2))];
    for (const fault of [await failed, await neighbour]) {
      expect(fault).to.be.instanceOf(StoreUnavailable);
      expect(fault).to.include({ outcomeUnknown: true });
    }
    expect(numbers()).to.deep.equal([1]);
    expect(await writer.submit(3)).to.equal(2);
  });

  it('does not know the outcome of requests whose file is gone at the commit, and writes nothing after it', async () => {
    await writer.submit(1);
    const fault = await faultOf(writer.submit('lose the file'));
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(fault).to.include({ outcomeUnknown: true });
    const next = await faultOf(writer.submit(2));
    expect(next).to.be.instanceOf(StoreUnavailable);
    expect(next).to.include({ outcomeUnknown: false });
  });

  it('makes no file in the place of one that was deleted before a thread opens it again', async () => {
    await writer.submit(1);
    await faultOf(writer.submit('die'));
    await rm(file);
    expect(await faultOf(writer.submit(2))).to.be.instanceOf(StoreUnavailable);
    expect(await faultOf(stat(file))).to.have.property('code', 'ENOENT');
  });

  it('has SQLite sync its log at every commit', async () => {
    const FULL = 2;
    expect(await writer.submit('synchronous')).to.equal(FULL);
  });

  it('gives up a batch that the disk does not answer, refuses others meanwhile, and goes on when it answers', async () => {
    let speed = 1;
    const hurried: World = {
      ...calmWorld,
      monotonic: () => calmWorld.monotonic() * speed,
      sleep: (ms, signal) => calmWorld.sleep(ms / 100, signal),
    };
    const impatient = writerOf(hurried);
    await impatient.submit(1); // the thread's start takes its time
    speed = 1_000; // from here on ten seconds are ten milliseconds
    const hanging = faultOf(impatient.submit('hang'));
    await new Promise((resolve) => setImmediate(resolve));
    const queued = faultOf(impatient.submit(2));
    expect(await hanging)
      .to.be.instanceOf(StoreUnavailable)
      .and.include({ outcomeUnknown: true });
    expect(await queued)
      .to.be.instanceOf(StoreUnavailable)
      .and.include({ outcomeUnknown: false });
    expect(await faultOf(impatient.submit(3)))
      .to.be.instanceOf(StoreUnavailable)
      .and.include({ outcomeUnknown: false });
    speed = 1;
    await writeFile(`${file}.go`, '');
    await until(async () => (await faultOf(impatient.submit(4))) === undefined);
    expect(numbers()).to.deep.equal([1, 4]);
    await rm(`${file}.go`);
    speed = 1_000;
    const closed = faultOf(impatient.submit('hang'));
    await impatient.close();
    expect(await closed).to.include({ outcomeUnknown: true });
    await writeFile(`${file}.go`, '');
  });

  it('does not end its process when it is closed while the thread is in the middle of a call', async () => {
    const child = nodeArguments(scriptBeside('./closing-child', import.meta.url), directory);
    const { stdout } = await promisify(execFile)(process.execPath, child);
    expect(stdout).to.equal('alive\n');
  });

  it('is unavailable, with nothing written, on a file that is not a database', async () => {
    reader.close();
    await rm(file);
    await writeFile(file, 'this is not a database, and longer than a header of one hundred bytes '.repeat(9));
    const fault = await faultOf(writer.submit(1));
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(fault).to.include({ outcomeUnknown: false });
  });

  it('finishes submitted requests when it is closed, and refuses later ones', async () => {
    const submitted = [writer.submit(1), writer.submit(2)];
    await writer.close();
    expect(await Promise.all(submitted)).to.deep.equal([1, 2]);
    expect(await faultOf(writer.submit(3))).to.be.instanceOf(StoreUnavailable);
    expect(numbers()).to.deep.equal([1, 2]);
  });

  it('refuses more than it can hold instead of growing without end', async () => {
    const outcomes = Array.from({ length: 20_100 }, (_, n) => faultOf(writer.submit(n)));
    const refused = (await Promise.all(outcomes)).filter((fault) => fault !== undefined);
    expect(refused).to.have.length(100);
    expect(refused[0]).to.be.instanceOf(StoreUnavailable).and.include({ outcomeUnknown: false });
  });
});

const never = Promise.resolve('this request was not submitted');
