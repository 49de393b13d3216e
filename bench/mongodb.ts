// Guarded writes of read models in MongoDB against the driver's bare bulkWrite on the same server. MONGODB_URL names a
// real server.
import { rm } from 'node:fs/promises';
import { connect, defaultTimings } from '../src/stores/mongodb/connection.ts';
import { openMongoDbReadModels } from '../src/stores/mongodb/read-models.ts';
import { physicalName } from '../src/stores/mongodb/stored-row.ts';
import type { Collection, Stored } from '../src/stores/read-models.ts';
import { liveWorld, newId } from '../src/world.ts';
import { openMongoDbLoopback } from '../test/support/mongodb-loopback/mongodb-loopback.ts';
import { type Bench, rowOf } from './row.ts';
import { median } from './support/patches.ts';
import { temporary } from './support/temporary.ts';

const ROWS = 200;
const BATCHES = 100;
const ROUNDS = 7;

/** A text about as large as a payment. */
interface Document {
  readonly shop: string;
  readonly total: number;
  readonly text: string;
}
const documents: Collection<Document, 'shop' | 'total'> = {
  name: 'bench-documents',
  version: 1,
  keys: { shop: ({ shop }) => shop, total: ({ total }) => total },
  indexes: [['shop', 'total']],
};

export const bench: Bench = async () => {
  const directory = await temporary();
  const given = process.env['MONGODB_URL'];
  const server = given === undefined ? await openMongoDbLoopback({ directory }) : undefined;
  const url = given ?? server?.url ?? '';
  const store = await openMongoDbReadModels({ url, world: liveWorld, report: console.error });
  // the same settings for both, so that both wait for the server's journal
  const connection = await connect(url, defaultTimings);
  const bare = connection.database.collection<{ _id: string }>('bench-bare');
  await bare.createIndex({ 'k.shop': 1, 'k.total': 1, _id: 1 });
  try {
    const [guarded, plain]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Both run in turn. Each inserts its rows first, and then raises them.
      guarded.push(await rowsPerSecond(async (rows) => void (await store.write(documents, rows))));
      plain.push(
        await rowsPerSecond(async (rows) => {
          const updates = rows.map(({ id, revision, doc }) => ({
            updateOne: {
              filter: { _id: id },
              update: { $set: { r: revision, t: JSON.stringify(doc), k: { shop: doc.shop, total: doc.total } } },
              upsert: true,
            },
          }));
          await bare.bulkWrite(updates, { ordered: false });
        }),
      );
    }
    const what = `guarded writes of read models in MongoDB, ${ROWS} at a time, against the driver's bulkWrite`;
    return [rowOf(what, median(guarded), median(plain), 0.7, 'rows/s')];
  } finally {
    await store.close();
    for (const left of [bare.collectionName, physicalName(documents)]) await connection.database.dropCollection(left);
    await connection.close();
    await server?.close();
    await rm(directory, { recursive: true });
  }
};

async function rowsPerSecond(write: (rows: readonly Stored<Document>[]) => Promise<void>): Promise<number> {
  const ids = Array.from({ length: ROWS }, () => newId(liveWorld, 'pay'));
  const startedAt = performance.now();
  for (let revision = 0; revision < BATCHES; revision += 1) {
    await write(
      ids.map((id, n) => ({ id, revision, doc: { shop: `shop-${n % 10}`, total: revision, text: 'x'.repeat(800) } })),
    );
  }
  return (ROWS * BATCHES) / ((performance.now() - startedAt) / 1_000);
}
