// The key store in MongoDB: one collection, next to the read models, that several nodes share.
import { type Collection, MongoServerError } from 'mongodb';
import type { KeyStore, SeenEnd, WrappedKey } from '../key-store.ts';
import { collectionOf } from './collection-of.ts';
import { connect, defaultTimings, type MongoDbTimings } from './connection.ts';
import { unavailable } from './faults.ts';

/** `k`: the wrapped key; `d`: when it was destroyed, ms. */
interface KeyRow {
  readonly _id: string;
  readonly k?: string;
  readonly d?: number;
}

/** The one row of another collection: the keys are listed and counted. */
interface SeenEndRow {
  readonly _id: 'seen';
  readonly log: string;
  readonly position: string;
}

interface MongoDbKeyStoreOptions {
  /** As of the read models. */
  readonly url: string;
  readonly timings?: MongoDbTimings;
}

const DUPLICATE = 11_000;

/**
 * Opens the collection `keys`. Writes wait for the majority and its journals; reads show what the majority has, from
 * the primary. Throws as openMongoDbReadModels does.
 */
export async function openMongoDbKeyStore({
  url,
  timings = defaultTimings,
}: MongoDbKeyStoreOptions): Promise<KeyStore> {
  const connection = await connect(url, timings);
  const { where } = connection;
  const keys = collectionOf<KeyRow>('keys', () => connection.database);
  const ends = collectionOf<SeenEndRow>('keys-seen', () => connection.database);
  const asking = async <T>(work: (of: Collection<KeyRow>) => Promise<T>): Promise<T> => {
    try {
      return await connection.watched(() => work(keys()));
    } catch (fault) {
      throw unavailable(where, fault);
    }
  };
  await asking((of) => of.createIndex({ d: 1 }, { sparse: true }));
  const get = (ids: readonly string[]): Promise<WrappedKey[]> =>
    asking(async (of) => (await of.find({ _id: { $in: [...ids] } }).toArray()).map(keyOf));
  return {
    get,
    async putIfAbsent(id, wrapped) {
      await asking((of) =>
        of.insertOne({ _id: id, k: wrapped }).catch((fault: unknown) => {
          if (!(fault instanceof MongoServerError && fault.code === DUPLICATE)) throw fault;
        }),
      );
      return (await get([id]))[0] ?? { id, wrapped };
    },
    async destroy(ids, at) {
      if (ids.length === 0) return;
      await asking((of) =>
        of.bulkWrite(
          ids.flatMap((_id) => [
            { updateOne: { filter: { _id }, update: { $setOnInsert: { d: at } }, upsert: true } },
            { updateOne: { filter: { _id, d: { $exists: false } }, update: { $set: { d: at }, $unset: { k: '' } } } },
          ]),
        ),
      );
    },
    async rewrap(changes) {
      if (changes.length === 0) return;
      await asking((of) =>
        of.bulkWrite(
          changes.map(({ id, from, to }) => ({
            updateOne: { filter: { _id: id, k: from }, update: { $set: { k: to } } },
          })),
        ),
      );
    },
    destroyed: () => asking((of) => of.countDocuments({ d: { $gte: 0 } }, { hint: { d: 1 } })),
    seenEnd: () =>
      asking(async (): Promise<SeenEnd | undefined> => {
        const row = await ends().findOne({ _id: 'seen' });
        return row === null ? undefined : { log: row.log, position: BigInt(row.position) };
      }),
    async noteEnd({ log, position }) {
      const row = { log, position: String(position) };
      await asking(() =>
        ends().bulkWrite([{ updateOne: { filter: { _id: 'seen' }, update: { $set: row }, upsert: true } }]),
      );
    },
    list: (after, limit) =>
      asking(async (of) =>
        (
          await of
            .find({ _id: { $gt: after } })
            .sort({ _id: 1 })
            .limit(limit)
            .toArray()
        ).map(keyOf),
      ),
    close: () => connection.close(),
  };
}

const keyOf = ({ _id, k, d }: KeyRow): WrappedKey => ({
  id: _id,
  wrapped: k,
  ...(d !== undefined && { destroyedAt: d }),
});
