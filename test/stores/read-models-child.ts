// A process for the tests of the embedded read models: writes documents, prints acknowledged ones, or holds the lock.

import type { Collection } from '../../src/stores/read-models.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { builtRows, type Order, type OrderKey, row } from '../contract/read-models.suite.ts';
import { calmWorld } from '../support/calm-world.ts';
import { printed } from '../support/printed.ts';

const [what = '', file = '', ...rest] = process.argv.slice(2);

export const shared: Collection<Order, OrderKey> = {
  name: 'shared',
  version: 1,
  keys: { shop: ({ shop }) => shop, total: ({ total }) => total, open: ({ open }) => open },
  indexes: [['shop', 'total']],
};

/** Raises `ids` documents `rounds` times; prints `<id> <revision>` when the store took it. */
async function write(ids: number, rounds: number): Promise<void> {
  const store = await openSqliteReadModels({ file, world: calmWorld, report: (fault) => console.error(fault) });
  for (let revision = 0; revision < rounds; revision += 1) {
    const rows = Array.from({ length: ids }, (_, n) =>
      row(`id-${n}`, revision, { shop: 's', total: process.pid, text: 'x'.repeat(300) }),
    );
    const written = await Promise.all(rows.map((one) => store.write(shared, [one])));
    for (const id of written.flat()) await printed(`${id} ${revision}`);
  }
  await store.close();
}

async function lock(): Promise<void> {
  const database = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000, cacheKiB: 64 });
  database.exec('BEGIN IMMEDIATE');
  await printed('locked');
  process.stdin.resume(); // until it is told to end, or its parent is gone
  process.stdin.once('end', () => database.close());
}

async function buildAndHang(): Promise<void> {
  const store = await openSqliteReadModels({ file, world: calmWorld, report: (fault) => console.error(fault) });
  const builder = await store.build({ ...shared, generation: 1 });
  for (let n = 0; n < 20; n += 1) await builder.write(builtRows(shared, row(`id-${n}`, 0, { shop: 's' })));
  await builder.get(['id-0']);
  await printed('building');
  process.stdin.resume();
}

if (what === 'write') await write(Number(rest[0]), Number(rest[1]));
if (what === 'lock') await lock();
if (what === 'build') await buildAndHang();
