// The embedded read models: the contract of every store, and the cases that only files and several processes can show.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { Collection, Query } from '../../src/stores/read-models.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { openSqliteReadModels, type SqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { logProjectionContract } from '../contract/log-projection.suite.ts';
import {
  builtRows,
  type Order,
  type OrderKey,
  ordersOf,
  type ReadModelsUnderTest,
  readModelsContract,
  row,
} from '../contract/read-models.suite.ts';
import { calmWorld } from '../support/calm-world.ts';
import { nodeArguments, scriptBeside } from '../support/script.ts';
import { until } from '../support/until.ts';
import { shared } from './read-models-child.ts';

const open = (directory: string): Promise<SqliteReadModels> =>
  openSqliteReadModels({
    file: join(directory, 'data', 'read-models.db'),
    world: calmWorld,
    report: (fault) => {
      throw fault;
    },
  });
const temporary = (): Promise<string> => mkdtemp(join(tmpdir(), 'counterfoil-read-models-'));

const childOf = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, nodeArguments(scriptBeside('./read-models-child', import.meta.url), ...args), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });

async function linesOf(child: ChildProcess): Promise<readonly string[]> {
  const lines: string[] = [];
  if (child.stdout === null) throw new Error('the child has no stdout');
  const exited = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) lines.push(line);
  expect((await exited)[0]).to.equal(0);
  return lines;
}

async function firstLineOf(child: ChildProcess): Promise<void> {
  if (child.stdout !== null) await once(child.stdout, 'data');
}

const openInDirectory = async (): Promise<ReadModelsUnderTest> => {
  const directory = await temporary();
  const opened = [await open(directory)];
  const [store] = opened;
  if (store === undefined) throw new Error('not opened');
  return {
    store,
    another: async () => {
      const other = await open(directory);
      opened.push(other);
      return other;
    },
    dispose: async () => {
      for (const one of opened) await one.close();
      await rm(directory, { recursive: true });
    },
  };
};
readModelsContract('the sqlite store', openInDirectory);
logProjectionContract('the sqlite store', openInDirectory);

describe('the sqlite store', () => {
  let directory: string;
  let store: SqliteReadModels;
  beforeEach(async () => {
    directory = await temporary();
    store = await open(directory);
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });
  const file = (): string => join(directory, 'data', 'read-models.db');

  it('keeps its documents when it is opened again', async () => {
    const orders = ordersOf();
    await store.write(orders, [row('a', 4, { shop: 's', total: 2 })]);
    await store.close();
    store = await open(directory);
    expect(await store.get(orders, ['a'])).to.deep.equal([row('a', 4, { shop: 's', total: 2 })]);
  });

  it('writes the rows of one turn of the event loop in one transaction', async () => {
    const orders = ordersOf();
    await store.write(orders, [row('first', 0)]);
    const other = await open(directory);
    await other.count(orders);
    const seen: number[] = [];
    const writes = Array.from({ length: 50 }, (_, n) =>
      store.write(orders, [row(`id-${n}`, 0)]).then(async () => seen.push(await other.count(orders))),
    );
    await Promise.all(writes);
    expect(new Set(seen)).to.deep.equal(new Set([51]));
    await other.close();
  });

  it('gives the space of its WAL back when nothing is written for a while', async () => {
    const orders = ordersOf();
    const soon = {
      ...calmWorld,
      sleep: (ms: number, signal: AbortSignal) => calmWorld.sleep(Math.min(ms, 20), signal),
    };
    const resting = await openSqliteReadModels({
      file: file(),
      world: soon,
      report: (fault) => expect.fail(String(fault)),
    });
    for (let n = 0; n < 100; n += 1)
      await resting.write(orders, [row(`id-${n}`, 0, { shop: 's', text: 'x'.repeat(1_000) })]);
    await until(async () => (await stat(`${file()}-wal`)).size === 0);
    expect(await resting.count(orders)).to.equal(100);
    await resting.close();
  });

  it('never shows half of a call', async () => {
    const orders = ordersOf();
    const other = await open(directory);
    const pairs = Array.from({ length: 200 }, (_, revision) =>
      store.write(orders, [row('a', revision), row('b', revision)]),
    );
    for (let look = 0; look < 50; look += 1) {
      const [a, b] = await other.get(orders, ['a', 'b']);
      expect(a?.revision).to.equal(b?.revision);
      await new Promise((turn) => setImmediate(turn));
    }
    await Promise.all(pairs);
    await other.close();
  });

  describe('along its indexes', () => {
    const orders: Collection<Order, OrderKey> = ordersOf();
    const plan = async (query: Query<OrderKey>): Promise<string> => (await store.explain(orders, query)).join('; ');
    const newest = { by: 'total', descending: true } as const;

    it('sorts no page, so that it costs the same at any size', async () => {
      const pages: readonly Query<OrderKey>[] = [
        { where: { shop: ['s'] }, order: newest, limit: 20 },
        { where: { shop: ['s'] }, order: newest, after: { key: 5, id: 'x' }, limit: 20 },
        { where: { shop: ['s'], total: { from: 1, to: 9 } }, order: newest, after: { key: 5, id: 'x' }, limit: 20 },
        { where: { shop: ['s'], open: [true] }, order: newest, after: { key: 5, id: 'x' }, limit: 20 },
        { where: {}, order: { by: 'total', descending: false }, after: { key: 5, id: 'x' }, limit: 20 },
      ];
      for (const page of pages) {
        expect(await plan(page)).to.match(/USING INDEX/);
        expect(await plan(page)).not.to.match(/TEMP B-TREE|^SCAN orders-\d+$/);
      }
    });

    it('picks the index that has the most of the fixed keys', async () => {
      expect(await plan({ where: { shop: ['s'], open: [true] }, order: newest, limit: 20 })).to.contain(
        ':shop,open,total',
      );
    });

    it('merges the pieces of several values, and reads none of them to its end', async () => {
      const merged = await plan({ where: { shop: ['s', 't'] }, order: newest, after: { key: 5, id: 'x' }, limit: 20 });
      expect(merged)
        .to.match(/^MERGE/)
        .and.to.contain(':shop,total');
      expect(merged).not.to.contain('TEMP B-TREE');
    });

    it('starts a page where the cursor is', async () => {
      expect(await plan({ where: { shop: ['s'] }, order: newest, after: { key: 5, id: 'x' }, limit: 20 })).to.contain(
        '(key_total,id)<(?,?)',
      );
    });
  });

  describe('after another connection has written', () => {
    let directory: string;
    let one: SqliteReadModels;
    let other: SqliteReadModels;
    const orders = ordersOf();
    beforeEach(async () => {
      directory = await temporary();
      one = await open(directory);
      other = await open(directory);
      await one.write(orders, [row('a', 0, { total: 1 }), row('b', 0, { total: 1 })]);
      await other.get(orders, ['a', 'b']);
    });
    afterEach(async () => {
      await Promise.all([one.close(), other.close()]);
      await rm(directory, { recursive: true });
    });

    it('answers at once from a document that it left alone, without parsing it again', async () => {
      const before = other.peek(orders, 'a')?.doc;
      await one.write(orders, [row('b', 1, { total: 2 })]);
      expect(other.peek(orders, 'a')?.doc).to.equal(before).and.not.to.equal(undefined);
      expect((await other.get(orders, ['a']))[0]?.doc).to.equal(before);
    });

    it('does not answer at once from a document that it changed, and reads it', async () => {
      await one.write(orders, [row('b', 1, { total: 2 })]);
      expect(other.peek(orders, 'b')).to.equal(undefined);
      expect(await other.get(orders, ['b'])).to.deep.equal([row('b', 1, { total: 2 })]);
      expect(other.peek(orders, 'b')).to.deep.equal(row('b', 1, { total: 2 }));
    });

    it('sees a document that was changed or removed in the file by hand, at the same revision', async () => {
      const database = await openDatabase({
        file: join(directory, 'data', 'read-models.db'),
        synchronous: 'normal',
        busyTimeoutMs: 1_000,
        cacheKiB: 64,
      });
      const [table] = database
        .prepare<{ readonly name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'orders%'")
        .all();
      const text = JSON.stringify(row('a', 0, { total: 7 }).doc);
      database.prepare(`UPDATE "${table?.name}" SET doc = ? WHERE id = 'a'`).run(text);
      database.exec(`DELETE FROM "${table?.name}" WHERE id = 'b'`);
      database.close();
      expect([other.peek(orders, 'a'), other.peek(orders, 'b')]).to.deep.equal([undefined, undefined]);
      expect(await other.get(orders, ['a', 'b'])).to.deep.equal([row('a', 0, { total: 7 })]);
    });

    it('takes a newer write of its own after one of the other', async () => {
      await one.write(orders, [row('a', 1, { total: 2 })]);
      expect(await other.write(orders, [row('a', 1, { total: 3 })])).to.deep.equal([]);
      expect(await other.get(orders, ['a'])).to.deep.equal([row('a', 1, { total: 2 })]);
      expect(await other.write(orders, [row('a', 2, { total: 3 })])).to.deep.equal(['a']);
      expect(await one.get(orders, ['a'])).to.deep.equal([row('a', 2, { total: 3 })]);
    });
  });

  describe('with another process', () => {
    it('waits for its lock without holding up the event loop', async () => {
      const orders = ordersOf();
      await store.write(orders, [row('a', 0)]);
      const child = childOf('lock', file());
      await firstLineOf(child);
      let turns = 0;
      let isWritten = false;
      const written = store.write(orders, [row('a', 1)]).then((ids) => {
        isWritten = true;
        return ids;
      });
      while (turns < 50) {
        await calmWorld.sleep(2, new AbortController().signal);
        turns += 1;
      }
      expect(isWritten).to.equal(false);
      expect((await store.get(orders, ['a']))[0]?.revision).to.equal(0);
      child.stdin?.end();
      expect(await written).to.deep.equal(['a']);
      if (child.exitCode === null) await once(child, 'exit');
    });

    it('ends with every acknowledged write of both, each revision from one of them', async () => {
      const children = [childOf('write', file(), '10', '60'), childOf('write', file(), '10', '60')];
      const taken = (await Promise.all(children.map(linesOf))).flat();
      expect(new Set(taken).size, 'a revision was acknowledged as written twice').to.equal(taken.length);
      const rows = await store.find(shared, { where: { shop: ['s'] }, limit: 100 });
      expect(rows.map(({ revision }) => revision)).to.deep.equal(Array.from({ length: 10 }, () => 59));
    });

    it('closes in a process that has nothing else to do, in the middle of a checkpoint', async () => {
      const written = await linesOf(childOf('write', file(), '5000', '1'));
      expect(written).to.have.length(5_000);
    });

    it('starts over where a build was killed', async () => {
      const child = childOf('build', file());
      await firstLineOf(child);
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await store.generations('shared')).to.deep.equal([]);
      const builder = await store.build({ ...shared, generation: 2 });
      await builder.write(builtRows(shared, row('b', 0, { shop: 's' })));
      await builder.finish();
      expect((await readdir(join(directory, 'data'))).filter((name) => name.includes('building'))).to.deep.equal([]);
      expect(await store.generations('shared')).to.deep.equal([2]);
    });

    it('drops all that a build left which was killed at its end, when its file got a write-ahead log', async () => {
      const building = join(directory, 'data', 'read-models.shared.1.db.building');
      const database = await openDatabase({ file: building, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 100 });
      database.exec('CREATE TABLE t (a)');
      await store.drop('shared', 1); // as the process does that finds its builder dead
      database.close();
      expect((await readdir(join(directory, 'data'))).filter((name) => name.includes('building'))).to.deep.equal([]);
    });
  });

  it('keeps the write-ahead log short under a long run of writes', async () => {
    const orders = ordersOf();
    const text = 'x'.repeat(20_000);
    for (let revision = 0; revision < 60; revision += 1) {
      await Promise.all(
        Array.from({ length: 50 }, (_, n) => store.write(orders, [row(`id-${n}`, revision, { text })])),
      );
    }
    const { size } = await stat(`${file()}-wal`);
    expect(size / 2 ** 20, 'MiB of WAL after 60 MiB of documents').to.be.below(50);
  });
});
