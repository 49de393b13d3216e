// The keys of an index that a real MongoDB looks at for each shape of find that the service asks: at most ten for each
// row.
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { z } from 'zod';
import { indexOf, type StoredKey, type StoredRow, storedKey } from '../../src/stores/mongodb/stored-row.ts';
import { isList } from '../../src/stores/query-index.ts';
import { givenIn } from '../support/given-server.ts';
import { randomFrom } from '../support/load.ts';
import { FINDS } from '../support/service-finds.ts';
import { type Shape, shapeRecorder } from '../support/shape-recorder.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

const ROWS = 20_000;
const KEYS_A_ROW = 10;
const Explained = z.object({ executionStats: z.object({ totalKeysExamined: z.number(), nReturned: z.number() }) });

describe('A find of the service in MongoDB', () => {
  let server: ServerUnderTest | undefined;
  let client: MongoClient | undefined;
  before(function () {
    if (givenIn('MONGODB') !== undefined) return;
    process.stdout.write('left out: only a real server counts the keys that it looks at, and MONGODB_URL names none\n');
    this.skip();
  });
  after(async () => {
    await client?.close();
    await server?.dispose();
  });

  it('looks at ten keys of an index for each row at most', async () => {
    server = await startServer();
    client = await MongoClient.connect(server.loopback.url);
    const recorder = shapeRecorder();
    for (const ask of Object.values(FINDS)) await ask(recorder);
    // Conditions that are checked row by row are bounded by what documents are like, which rows of chance are not.
    const shapes = [...recorder.shapes.values()].filter(
      ({ index, beside }) => index !== undefined && beside.length === 0,
    );
    const dear: string[] = [];
    for (const model of new Set(shapes.map((shape) => shape.model))) {
      const its = shapes.filter((shape) => shape.model === model);
      const collection = client.db().collection<StoredRow>(model);
      await collection.createIndexes((its[0]?.asked.indexes ?? []).map(indexOf));
      await collection.insertMany(rowsFor(its));
      for (const { text, asked } of its) {
        const { filter, sort, hint } = asked.query;
        const options = { sort, skip: asked.skip, limit: asked.limit, ...(hint !== undefined && { hint }) };
        const { executionStats: seen } = Explained.parse(
          await collection.find(filter, options).explain('executionStats'),
        );
        const most = KEYS_A_ROW * Math.max(1, seen.nReturned + asked.skip);
        if (seen.totalKeysExamined > most)
          dear.push(`${text}: ${seen.totalKeysExamined} keys for ${seen.nReturned} rows`);
      }
    }
    expect(shapes.length).to.be.greaterThan(40);
    expect(dear).to.deep.equal([]);
  });
});

/** Rows of chance, in which every asked value is frequent, other values too, and keys are missing. */
function rowsFor(shapes: readonly Shape[]): readonly StoredRow[] {
  const random = randomFrom(7);
  const asked = new Map<string, Set<StoredKey>>();
  for (const key of shapes[0]?.asked.indexes.flat() ?? []) asked.set(key, new Set());
  for (const { where } of shapes.map((shape) => shape.asked))
    for (const [key, condition] of Object.entries(where))
      for (const value of isList(condition) ? condition : [condition.from, condition.to])
        if (value !== undefined) asked.get(key)?.add(storedKey(value));
  return Array.from({ length: ROWS }, (_, n) => {
    const k: Record<string, StoredKey> = {};
    for (const [key, values] of asked) {
      const one = [...values][Math.floor(random() * values.size)];
      const other =
        typeof one === 'string' ? `other-${Math.floor(random() * 100)}` : Math.floor(random() * 1_000_000_000);
      const chance = random();
      if (chance < 0.9) k[key] = one === undefined || chance < 0.3 ? other : one;
    }
    return { _id: `row_${n}`, r: 0, t: '{}', k };
  });
}
