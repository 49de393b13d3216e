// The commands find, getMore, killCursors, count, aggregate and distinct.
import { aggregate as mingoAggregate } from 'mingo';
import { decode, encode, isRecord } from '../bson/elements.ts';
import { compareValues } from '../bson/order.ts';
import type { Filter } from '../query/filter.ts';
import { candidates } from '../query/plan.ts';
import { compileProjection } from '../query/projection.ts';
import { sortDocuments, sortFields } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Field, Index } from '../storage/index.ts';
import type { Store } from '../storage/store.ts';
import { type Command, filterOf, type Handler, namespaceOf, numberOf } from './command.ts';
import { badValue, CommandError } from './command-error.ts';
import { cursorReply } from './cursor-reply.ts';

const FIRST_BATCH = 101;

export interface Query {
  readonly filter: Filter;
  readonly sort: readonly Field[];
  readonly skip: number;
  readonly limit: number;
  readonly hint?: Index | undefined;
}

/** The matching documents, in order. A limit of 0 means no limit. */
export function matching(store: Store, namespace: string, { filter, sort, skip, limit, hint }: Query): Buffer[] {
  const collection = store.collection(namespace);
  if (collection === undefined) return [];
  const { docs, sorted, matches } = candidates(collection, filter, sort, hint);
  const wanted = limit === 0 ? Number.POSITIVE_INFINITY : skip + limit;
  const found: Buffer[] = [];
  for (const doc of docs) {
    if (!matches(doc)) continue;
    found.push(doc);
    if (sorted && found.length >= wanted) break;
  }
  if (sorted && skip === 0) return found;
  return (sorted ? found : sortDocuments(found, sort)).slice(skip, limit === 0 ? undefined : wanted);
}

const refuseCollation = ({ body }: Command): void => {
  if (body['collation'] !== undefined) throw badValue('collations are not served here');
};

/** As in the real server, a hint must name an index, unless the collection does not exist. */
function hintedIndex(hint: unknown, collection: Collection | undefined): Index | undefined {
  if (hint === undefined || collection === undefined || (isRecord(hint) && hint['$natural'] !== undefined))
    return undefined;
  const named = (index: Index): boolean =>
    isRecord(hint) ? JSON.stringify(index.spec.key) === JSON.stringify(hint) : index.spec.name === hint;
  const index = [...collection.indexes.values()].find(named);
  if (index !== undefined) return index;
  throw badValue(
    'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
  );
}

export const find: Handler = (command, store) => {
  refuseCollation(command);
  const { body } = command;
  const namespace = namespaceOf(command);
  const limit = numberOf(body['limit'], 0);
  const query = {
    filter: filterOf(body['filter']),
    sort: sortFields(body['sort']),
    skip: numberOf(body['skip'], 0),
    limit: Math.abs(limit),
    hint: hintedIndex(body['hint'], store.collection(namespace)),
  };
  const found = matching(store, namespace, query);
  const project = compileProjection(body['projection']);
  const docs = project === undefined ? found : found.map(project);
  const batch = store.cursors.begin(
    namespace,
    docs,
    numberOf(body['batchSize'], FIRST_BATCH),
    body['singleBatch'] === true || limit < 0,
  );
  return cursorReply(namespace, 'firstBatch', batch);
};

export const getMore: Handler = ({ body, database }, store) => {
  const namespace = `${database}.${String(body['collection'])}`;
  const cursorId = Number(body['getMore']);
  const batch = store.cursors.more(cursorId, namespace, numberOf(body['batchSize'], Number.POSITIVE_INFINITY));
  if (batch === undefined) throw new CommandError(43, 'CursorNotFound', `cursor id ${cursorId} not found`);
  return cursorReply(namespace, 'nextBatch', batch);
};

export const killCursors: Handler = ({ body }, store) => {
  const ids: readonly unknown[] = Array.isArray(body['cursors']) ? body['cursors'] : [];
  const cursorsKilled = ids.filter((id) => store.cursors.kill(Number(id)));
  return encode({
    cursorsKilled,
    cursorsNotFound: ids.filter((id) => !cursorsKilled.includes(id)),
    cursorsAlive: [],
    cursorsUnknown: [],
    ok: 1,
  });
};

export const count: Handler = (command, store) => {
  const { body } = command;
  const namespace = namespaceOf(command);
  const query = {
    filter: filterOf(body['query']),
    sort: [],
    skip: numberOf(body['skip'], 0),
    limit: Math.abs(numberOf(body['limit'], 0)),
  };
  const everything = Object.keys(query.filter).length + query.skip + query.limit === 0;
  return encode({
    n: everything ? (store.collection(namespace)?.size ?? 0) : matching(store, namespace, query).length,
    ok: 1,
  });
};

function byMingo(docs: readonly Buffer[], stages: readonly Filter[]): Record<string, unknown>[] {
  try {
    return mingoAggregate(docs.map(decode), [...stages]);
  } catch (error) {
    throw badValue(error instanceof Error ? error.message : String(error));
  }
}

const isCount = (stages: readonly Filter[]): boolean => {
  const group = stages[0]?.['$group'];
  return (
    stages.length === 1 &&
    isRecord(group) &&
    isRecord(group['n']) &&
    group['n']['$sum'] === 1 &&
    !isRecord(group['_id']) &&
    Object.keys(group).length === 2
  );
};

/** A first `$match` uses the indexes, and counting is done here. mingo does the other stages. */
export const aggregate: Handler = (command, store) => {
  refuseCollation(command);
  const { body } = command;
  const namespace = namespaceOf(command);
  const pipeline: Filter[] = Array.isArray(body['pipeline']) ? body['pipeline'].filter(isRecord) : [];
  const first = pipeline[0]?.['$match'];
  const filter = isRecord(first) ? first : {};
  const stages = isRecord(first) ? pipeline.slice(1) : pipeline;
  const found = matching(store, namespace, { filter, sort: [], skip: 0, limit: 0 });
  const docs = isCount(stages)
    ? found.length === 0
      ? []
      : [encode({ _id: Object(stages[0]?.['$group'])._id, n: found.length })]
    : byMingo(found, stages).map(encode);
  const options = isRecord(body['cursor']) ? body['cursor'] : {};
  return cursorReply(
    namespace,
    'firstBatch',
    store.cursors.begin(namespace, docs, numberOf(options['batchSize'], FIRST_BATCH), false),
  );
};

export const distinct: Handler = (command, store) => {
  const { body } = command;
  const path = String(body['key']);
  const found = matching(store, namespaceOf(command), { filter: filterOf(body['query']), sort: [], skip: 0, limit: 0 });
  const groups = byMingo(found, [{ $unwind: `$${path}` }, { $group: { _id: `$${path}` } }]);
  return encode({ values: groups.map((group) => group['_id']).sort(compareValues), ok: 1 });
};
