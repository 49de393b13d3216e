// Commands that create, list and drop collections, indexes and databases.
import { Query } from 'mingo';
import { decode, encode, isRecord } from '../bson/elements.ts';
import type { Collection } from '../storage/collection.ts';
import type { IndexSpec } from '../storage/index.ts';
import { indexSpec, type Store } from '../storage/store.ts';
import { type Command, documentsOf, filterOf, type Handler, namespaceOf, numberOf } from './command.ts';
import { CommandError, duplicateError } from './command-error.ts';
import { cursorReply } from './cursor-reply.ts';

const OK = { ok: 1 };

export const create: Handler = (command, store) => {
  const namespace = namespaceOf(command);
  if (store.collection(namespace) !== undefined)
    throw new CommandError(48, 'NamespaceExists', `Collection ${namespace} already exists.`);
  store.made(namespace);
  return encode(OK);
};

/**
 * Refuses to drop a missing collection, as servers before 7.0 do. Later ones answer ok, which is easier for a client.
 */
export const drop: Handler = (command, store) => {
  const namespace = namespaceOf(command);
  const nIndexesWas = store.collection(namespace)?.indexes.size;
  if (!store.drop(namespace)) throw new CommandError(26, 'NamespaceNotFound', 'ns not found');
  return encode({ nIndexesWas, ns: namespace, ...OK });
};

export const dropDatabase: Handler = ({ database }, store) => {
  for (const { namespace } of store.collections(database)) store.drop(namespace);
  return encode({ dropped: database, ...OK });
};

const sameKey = (a: IndexSpec, b: IndexSpec): boolean => JSON.stringify(a.key) === JSON.stringify(b.key);
const sameOptions = (a: IndexSpec, b: IndexSpec): boolean =>
  a.unique === b.unique &&
  a.sparse === b.sparse &&
  JSON.stringify(a.partialFilterExpression) === JSON.stringify(b.partialFilterExpression);

/** True if the index has to be created. Throws when a different one is in its place. */
function isNew(collection: Collection, spec: IndexSpec): boolean {
  const named = collection.indexes.get(spec.name)?.spec;
  if (spec.name === '_id_') return false;
  if (named !== undefined) {
    if (sameKey(named, spec) && sameOptions(named, spec)) return false;
    throw new CommandError(
      86,
      'IndexKeySpecsConflict',
      `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(named)}`,
    );
  }
  const other = [...collection.indexes.values()].find(
    (index) => sameKey(index.spec, spec) && sameOptions(index.spec, spec),
  );
  if (other !== undefined)
    throw new CommandError(
      85,
      'IndexOptionsConflict',
      `Index already exists with a different name: ${other.spec.name}`,
    );
  return true;
}

export const createIndexes: Handler = (command, store) => {
  const namespace = namespaceOf(command);
  const createdCollectionAutomatically = store.collection(namespace) === undefined;
  const collection = store.made(namespace);
  const numIndexesBefore = collection.indexes.size;
  for (const encoded of documentsOf(command, 'indexes')) {
    const spec = indexSpec(decode(encoded));
    if (Object.keys(spec.key).length === 0)
      throw new CommandError(67, 'CannotCreateIndex', 'Index keys cannot be empty.');
    if (!isNew(collection, spec)) continue;
    const duplicate = collection.createIndex(spec, encoded);
    if (duplicate === undefined) continue;
    const { message, details } = duplicateError(namespace, duplicate);
    throw new CommandError(
      11000,
      'DuplicateKey',
      `Index build failed: Collection ${namespace} :: caused by :: ${message}`,
      details,
    );
  }
  return encode({ numIndexesBefore, numIndexesAfter: collection.indexes.size, createdCollectionAutomatically, ...OK });
};

function existing(command: Command, store: Store): Collection {
  const namespace = namespaceOf(command);
  const collection = store.collection(namespace);
  if (collection === undefined) throw new CommandError(26, 'NamespaceNotFound', `ns does not exist: ${namespace}`);
  return collection;
}

const listed = ({
  spec: { name, key, unique, sparse, partialFilterExpression },
}: {
  readonly spec: IndexSpec;
}): Buffer =>
  encode({
    v: 2,
    key,
    name,
    ...(unique ? { unique } : {}),
    ...(sparse ? { sparse } : {}),
    ...(partialFilterExpression === undefined ? {} : { partialFilterExpression }),
  });

function listReply({ body, database }: Command, store: Store, name: string, docs: readonly Buffer[]): Buffer {
  const options = isRecord(body['cursor']) ? body['cursor'] : {};
  const namespace = `${database}.${name}`;
  return cursorReply(
    namespace,
    'firstBatch',
    store.cursors.begin(namespace, docs, numberOf(options['batchSize'], Number.POSITIVE_INFINITY), false),
  );
}

export const listIndexes: Handler = (command, store) => {
  const collection = existing(command, store);
  return listReply(
    command,
    store,
    String(command.body['listIndexes']),
    Array.from(collection.indexes.values(), listed),
  );
};

export const dropIndexes: Handler = (command, store) => {
  const collection = existing(command, store);
  const nIndexesWas = collection.indexes.size;
  const { index } = command.body;
  const asked: readonly unknown[] = Array.isArray(index) ? index : [index];
  for (const name of index === '*' ? [...collection.indexes.keys()].filter((one) => one !== '_id_') : asked) {
    const found = [...collection.indexes.values()].find(({ spec }) =>
      isRecord(name) ? JSON.stringify(spec.key) === JSON.stringify(name) : spec.name === name,
    );
    if (found === undefined) throw new CommandError(27, 'IndexNotFound', `index not found with name [${String(name)}]`);
    if (found.spec.name === '_id_') throw new CommandError(72, 'InvalidOptions', 'cannot drop _id index');
    collection.dropIndex(found.spec.name, encode({ name: found.spec.name }));
  }
  return encode({ nIndexesWas, ...OK });
};

export const listCollections: Handler = (command, store) => {
  const { body, database } = command;
  const query = new Query(filterOf(body['filter']));
  const infos = store.collections(database).map(({ namespace }) => ({
    name: namespace.slice(database.length + 1),
    type: 'collection',
    ...(body['nameOnly'] === true
      ? {}
      : { options: {}, info: { readOnly: false }, idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } }),
  }));
  return listReply(command, store, '$cmd.listCollections', infos.filter((info) => query.test(info)).map(encode));
};

export const listDatabases: Handler = (_command, store) => {
  const sizes = new Map<string, number>();
  for (const { namespace, bytes } of store.collections('')) {
    const name = namespace.slice(0, namespace.indexOf('.'));
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  }
  const databases = Array.from(sizes, ([name, sizeOnDisk]) => ({ name, sizeOnDisk, empty: sizeOnDisk === 0 }));
  return encode({ databases, totalSize: databases.reduce((total, { sizeOnDisk }) => total + sizeOnDisk, 0), ...OK });
};
