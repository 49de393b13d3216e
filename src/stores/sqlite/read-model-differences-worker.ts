// The worker of differencesOf: reads both generations by one connection of its own, a page for each request.
import { existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { Digest } from '../document-digest.ts';
import type { Differences, DocumentPair, StoredText } from '../read-models.ts';
import { type Database, prepareRows } from './file/database.ts';
import { FileGone } from './file/opened-file.ts';
import { lowerThreadPriority } from './file/priority.ts';
import { openForUpkeep } from './read-model-connection.ts';
import type { DifferencesAnswer, DifferencesPlan, DifferencesRequest } from './read-model-differences.ts';
import { quoted } from './read-model-sql.ts';

const plan: DifferencesPlan = workerData;
/** Each page sees the newest commits; all of its documents may differ. */
const DOCUMENTS_A_PAGE = 500;

type Row = readonly [
  id: string,
  oldRevision: number | null,
  oldText: string | null,
  revision: number | null,
  text: string | null,
  same: 0 | 1,
];

function* pagesOf(database: Database): Generator<Differences> {
  const [made, old] = [`main.${quoted(plan.table)}`, `old.${quoted(plan.table)}`];
  const inRange = 'WHERE one.id > ? AND one.id <= ?';
  const same = '(one.revision IS other.revision AND one.doc IS other.doc)';
  const compared = `SELECT one.id, other.revision, iif(${same}, NULL, other.doc), one.revision, one.doc, ${same}
    FROM ${made} AS one LEFT JOIN ${old} AS other USING (id) ${inRange}${plan.wantsDigest ? '' : ` AND NOT ${same}`} ORDER BY one.id`;
  for (const { count, rows } of rowsIn(database, made, compared)) yield { made: count, ...partOf(rows) };
  const missing = `SELECT one.id, one.revision, one.doc, NULL, NULL, 0 FROM ${old} AS one
    ${inRange} AND NOT EXISTS (SELECT 1 FROM ${made} AS other WHERE other.id = one.id) ORDER BY one.id`;
  for (const { rows } of rowsIn(database, old, missing)) if (rows.length > 0) yield { made: 0, ...partOf(rows) };
}

/** The rows that `select` finds among the documents of `table`, range by range. */
function* rowsIn(
  database: Database,
  table: string,
  select: string,
): Generator<{ readonly count: number; readonly rows: readonly Row[] }> {
  const range = prepareRows<readonly [count: number, upTo: string | null]>(
    database,
    `SELECT count(*), max(id) FROM (SELECT id FROM ${table} WHERE id > ? ORDER BY id LIMIT ${DOCUMENTS_A_PAGE})`,
  );
  const rows = prepareRows<Row>(database, select);
  for (let after = ''; ; ) {
    const [count = 0, upTo = null] = range.get(after) ?? [];
    if (upTo === null) return;
    yield { count, rows: rows.all(after, upTo) };
    after = upTo;
  }
}

function partOf(rows: readonly Row[]): Omit<Differences, 'made'> {
  const digest = new Digest();
  const pairs: DocumentPair[] = [];
  for (const [id, oldRevision, oldText, revision, text, same] of rows) {
    const [old, made] = [textOf(id, oldRevision, oldText), textOf(id, revision, text)];
    if (same === 1 && made !== undefined) digest.add(made);
    else pairs.push({ id, old, made });
  }
  const { lanes, documents } = digest;
  return plan.wantsDigest ? { pairs, equal: { lanes, documents } } : { pairs };
}

const textOf = (id: string, revision: number | null, text: string | null): StoredText | undefined =>
  revision === null || text === null ? undefined : { id, revision, text };

async function open(): Promise<Database> {
  const database = await openForUpkeep(plan.made);
  if (!existsSync(plan.old)) throw new FileGone(plan.old); // attaching would make an empty one
  database.prepare('ATTACH DATABASE ? AS old').run(plan.old);
  return database;
}

lowerThreadPriority();
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
