// The thread of BuildThread: the only one that has the unfinished files open.
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { packedRows } from '../packed-rows.ts';
import type { Key } from '../read-models.ts';
import { BYTES_A_SYNC, type Database, type Statement } from './file/database.ts';
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

const packedCell = (key: Key | null): Cell => (key === null ? null : cell(key));

/** An unfinished file. */
class BeingBuilt {
  readonly #plan: BuildPlan;
  readonly #database: Database;
  readonly #file: number;
  readonly #get: Statement<{ readonly id: string; readonly revision: number; readonly doc: string }>;
  readonly #upsert: Statement<unknown>;
  readonly #createIndexes: readonly string[];
  #unsynced = 0;

  constructor(plan: BuildPlan, database: Database) {
    this.#plan = plan;
    this.#database = database;
    this.#file = openSync(plan.file, 'r+');
    const [createTable = '', ...createIndexes] = plan.create;
    database.exec(createTable);
    this.#get = database.prepare(plan.get);
    this.#upsert = database.prepare(plan.upsert);
    this.#createIndexes = createIndexes;
  }

  find(ids: readonly string[]): BuildAnswer['found'] {
    return ids.flatMap((wanted) => {
      const row = this.#get.get(wanted);
      return row === undefined ? [] : [{ id: row.id, revision: row.revision, text: row.doc }];
    });
  }

  write(rows: ArrayBuffer): void {
    this.#database.exec('BEGIN');
    for (const { id, revision, keys, text } of packedRows(rows))
      this.#upsert.run(id, revision, ...keys.map(packedCell), text);
    this.#database.exec('COMMIT');
    this.#unsynced += rows.byteLength;
    if (this.#unsynced >= BYTES_A_SYNC) this.#sync();
  }

  async finish(): Promise<void> {
    this.#sync();
    this.#database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    for (const sql of this.#createIndexes) {
      this.#database.exec(sql);
      this.#sync();
    }
    await closeBuilt(this.#database, this.#plan.file);
  }

  leave(): void {
    if (this.#database.isOpen) this.#database.close();
    closeSync(this.#file);
  }

  #sync(): void {
    fdatasyncSync(this.#file);
    this.#unsynced = 0;
  }
}

const builds = new Map<number, BeingBuilt>();

function built({ build }: BuildRequest): BeingBuilt {
  const found = builds.get(build);
  if (found === undefined) throw new Error('the file could not be begun');
  return found;
}

async function run(request: BuildRequest): Promise<BuildAnswer['found']> {
  switch (request.kind) {
    case 'begin':
      builds.set(request.build, new BeingBuilt(request.plan, await openForBuilding(request.plan.file)));
      return [];
    case 'get':
      return built(request).find(request.ids);
    case 'write':
      built(request).write(request.rows);
      return [];
    case 'finish':
      await built(request).finish();
      return [];
    case 'leave':
      built(request).leave();
      builds.delete(request.build);
      return [];
    case 'end':
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

lowerThreadPriority();
let line: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (request: BuildRequest) => {
  line = line.then(async () => parentPort?.postMessage(await answer(request)));
});
