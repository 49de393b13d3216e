// The plan of a query: indexes change the speed of an answer, never the answer.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { Query } from 'mingo';
import { decode, encode } from '../bson/elements.ts';
import { matching } from '../commands/reads.ts';
import type { Collection } from '../storage/collection.ts';
import { indexSpec, Store } from '../storage/store.ts';
import { sortFields } from './sort.ts';

const value = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('a', 'b', 'c'));
const row = fc.record(
  { _id: fc.integer({ min: 0, max: 40 }).map(String), a: value, b: value, c: value },
  { requiredKeys: ['_id'] },
);
const range = fc
  .record({ $gt: value, $gte: value, $lt: value, $lte: value }, { requiredKeys: [] })
  .filter((one) => Object.keys(one).length > 0);
const condition = fc.oneof(
  value,
  range,
  fc.array(value, { maxLength: 4 }).map(($in) => ({ $in })),
  fc.oneof(value, fc.constant(null)).map(($ne) => ({ $ne })),
  fc.boolean().map(($exists) => ({ $exists })),
);
const flat = fc.dictionary(fc.constantFrom('a', 'b', 'c', '_id'), condition, { maxKeys: 3, noNullPrototype: true });
const filter = fc.oneof(
  flat,
  fc.tuple(flat, fc.array(flat, { minLength: 1, maxLength: 3 })).map(([plain, $or]) => ({ ...plain, $or })),
  fc.array(flat, { minLength: 1, maxLength: 3 }).map(($and) => ({ $and })),
);
const direction = fc.constantFrom(1, -1);
const keys = fc.dictionary(fc.constantFrom('a', 'b', 'c'), direction, { minKeys: 1, noNullPrototype: true });
const sort = fc.tuple(keys, direction).map(([by, last]) => ({ ...by, _id: last }));

describe('the plan of a query', () => {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-plan-'));
  let store: Store;
  before(async () => {
    store = await Store.open(directory);
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  const fill = (name: string, rows: readonly object[], indexes: readonly object[]): Collection => {
    store.drop(name);
    const collection = store.made(name);
    // The test reads the indexes before it inserts the last rows, so that it covers both ways to fill them.
    const half = rows.length >> 1;
    for (const one of rows.slice(0, half)) put(collection, one);
    for (const key of indexes) {
      collection.createIndex(indexSpec({ key, name: JSON.stringify(key) }), encode({}));
      expect(collection.indexes.get(JSON.stringify(key))?.usable).to.equal(true);
    }
    for (const one of rows.slice(half)) put(collection, one);
    return collection;
  };
  const put = (collection: Collection, one: object): void => {
    const id = String(Object(one)._id);
    const doc = encode(one);
    if (collection.get(id) === undefined) collection.insert(id, doc);
    else collection.replace(id, doc);
  };

  it('gives the same answer in the same order with and without indexes', () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 60 }),
        fc.array(keys, { maxLength: 3 }),
        filter,
        sort,
        fc.nat(10),
        fc.nat(3),
        (rows, indexes, where, by, limit, skip) => {
          fill('db.with', rows, indexes);
          fill('db.without', rows, []);
          const query = { filter: where, sort: sortFields(by), skip, limit };
          expect(matching(store, 'db.with', query).map(decode)).to.deep.equal(
            matching(store, 'db.without', query).map(decode),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('matches the same documents as mingo', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), filter, (rows, where) => {
        const collection = fill('db.with', rows, [{ a: 1, b: -1 }]);
        const found = matching(store, 'db.with', { filter: where, sort: [], skip: 0, limit: 0 }).map(
          (doc) => decode(doc)['_id'],
        );
        const expected = Array.from(collection.all(), decode).filter((doc) => new Query(where).test(doc));
        expect(found.sort()).to.deep.equal(expected.map((doc) => doc['_id']).sort());
      }),
      { numRuns: 500 },
    );
  });
});
