// The worker of buildFile: the only one that has the unfinished file open.
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { packedRows } from '../packed-rows.ts';
import type { Key } from '../read-models.ts';
import { BYTES_A_SYNC } from './file/database.ts';
import { lowerThreadPriority } from './file/priority.ts';
import type { BuildAnswer, BuildPlan, BuildRequest } from './read-model-builder.ts';
import { closeBuilt, openForBuilding } from './read-model-connection.ts';
import { type Cell, cell } from './read-model-sql.ts';

/**
 * Each index reads the whole table, so a table that is larger than the page cache is copied from the system's as often:
 * with 80,000 payments that was two thirds of the making of their indexes. SQLite maps 2 GiB at most, and reads the
 * rest.
 */
const MAPPED_BYTES = 2 ** 31;

const plan: BuildPlan = workerData;
lowerThreadPriority();
const database = await openForBuilding(plan.file);
const file = openSync(plan.file, 'r+');
let unsynced = 0;
const [createTable, ...createIndexes] = plan.create;
database.exec(createTable ?? '');
const get = database.prepare<{ readonly id: string; readonly revision: number; readonly doc: string }>(plan.get);
const upsert = database.prepare(plan.upsert);
const upsertBytes = database.prepare(plan.upsertBytes);

function find(ids: readonly string[]): BuildAnswer['found'] {
  return ids.flatMap((wanted) => {
    const row = get.get(wanted);
    return row === undefined ? [] : [{ id: row.id, revision: row.revision, text: row.doc }];
  });
}

function wrote(bytes: number): void {
  unsynced += bytes;
  if (unsynced >= BYTES_A_SYNC) sync();
}

function sync(): void {
  fdatasyncSync(file);
  unsynced = 0;
}

const packedCell = (key: Key | null): Cell => (key === null ? null : cell(key));

async function run(request: BuildRequest): Promise<BuildAnswer['found']> {
  switch (request.kind) {
    case 'get':
      return find(request.ids);
    case 'write':
      database.exec('BEGIN');
      for (const cells of request.rows) upsert.run(...cells);
      database.exec('COMMIT');
      wrote(request.rows.reduce((sum, cells) => sum + String(cells.at(-1)).length, 0)); // the texts of the documents
      return [];
    case 'write-packed':
      database.exec('BEGIN');
      for (const { id, revision, keys, text } of packedRows(request.rows))
        upsertBytes.run(id, revision, ...keys.map(packedCell), text);
      database.exec('COMMIT');
      wrote(request.rows.byteLength);
      return [];
    case 'finish':
      sync();
      database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
      for (const sql of createIndexes) {
        database.exec(sql);
        sync();
      }
      await closeBuilt(database, plan.file);
      return [];
    case 'end':
      if (database.isOpen) database.close();
      closeSync(file);
      parentPort?.close(); // nothing else holds the thread
      return [];
    default:
      return request satisfies never;
  }
}

async function answer(request: BuildRequest): Promise<BuildAnswer> {
  const { call } = request;
  try {
    return { call, found: await run(request) };
  } catch (fault) {
    return { call, found: [], fault: String(fault) };
  }
}

parentPort?.on('message', async (request: BuildRequest) => parentPort?.postMessage(await answer(request)));
