// The worker of differencesOf: reads both generations by one connection of its own, a page for each request.
import { existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { DocumentPair } from '../read-models.ts';
import { type Database, prepareRows } from './file/database.ts';
import { FileGone } from './file/opened-file.ts';
import { givesWay } from './file/thread.ts';
import { openForUpkeep } from './read-model-connection.ts';
import type { DifferencesAnswer, DifferencesPlan, DifferencesRequest } from './read-model-differences.ts';
import { quoted } from './read-model-sql.ts';

const plan: DifferencesPlan = workerData;
/** Each page sees the newest commits; all of its documents may differ. */
const DOCUMENTS_A_PAGE = 500;

type Row = readonly [id: string, oldRevision: number | null, oldText: string | null, revision: number | null, text: string | null];

function* pagesOf(database: Database): Generator<{ readonly made: number; readonly pairs: readonly DocumentPair[] }> {
  const [made, old] = [`main.${quoted(plan.table)}`, `old.${quoted(plan.table)}`];
  const inRange = 'WHERE one.id > ? AND one.id <= ?';
  const changed = `SELECT one.id, other.revision, other.doc, one.revision, one.doc FROM ${made} AS one LEFT JOIN ${old} AS other USING (id)
    ${inRange} AND (one.revision IS NOT other.revision OR one.doc IS NOT other.doc) ORDER BY one.id`;
  for (const { count, pairs } of pairsIn(database, made, changed)) yield { made: count, pairs };
  const missing = `SELECT one.id, one.revision, one.doc, NULL, NULL FROM ${old} AS one
    ${inRange} AND NOT EXISTS (SELECT 1 FROM ${made} AS other WHERE other.id = one.id) ORDER BY one.id`;
  for (const { pairs } of pairsIn(database, old, missing)) if (pairs.length > 0) yield { made: 0, pairs };
}

/** What `select` finds among the documents of `table`, range by range. */
function* pairsIn(
  database: Database,
  table: string,
  select: string,
): Generator<{ readonly count: number; readonly pairs: DocumentPair[] }> {
  const range = prepareRows<readonly [count: number, upTo: string | null]>(
    database,
    `SELECT count(*), max(id) FROM (SELECT id FROM ${table} WHERE id > ? ORDER BY id LIMIT ${DOCUMENTS_A_PAGE})`,
  );
  const rows = prepareRows<Row>(database, select);
  for (let after = ''; ; ) {
    const [count = 0, upTo = null] = range.get(after) ?? [];
    if (upTo === null) return;
    yield { count, pairs: rows.all(after, upTo).map(pairOf) };
    after = upTo;
  }
}

const pairOf = ([id, oldRevision, oldText, revision, text]: Row): DocumentPair => ({
  id,
  old: oldRevision === null || oldText === null ? undefined : { id, revision: oldRevision, text: oldText },
  made: revision === null || text === null ? undefined : { id, revision, text },
});

async function open(): Promise<Database> {
  const database = await openForUpkeep(plan.made);
  if (!existsSync(plan.old)) throw new FileGone(plan.old); // attaching would make an empty one
  database.prepare('ATTACH DATABASE ? AS old').run(plan.old);
  return database;
}

givesWay();
let database: Database | undefined;
let pages: ReturnType<typeof pagesOf> | undefined;

async function answer(): Promise<DifferencesAnswer> {
  try {
    database ??= await open();
    pages ??= pagesOf(database);
    const { value: page } = pages.next();
    return { page: page ?? undefined };
  } catch (fault) {
    return { fault: String(fault) };
  }
}

parentPort?.on('message', async (request: DifferencesRequest) => {
  if (request === 'next') return parentPort?.postMessage(await answer());
  database?.close();
  parentPort?.close(); // nothing else holds the thread
});
