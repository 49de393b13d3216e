// The worker of buildFile: the only one that has the unfinished file open.
import { parentPort, workerData } from 'node:worker_threads';
import type { BuildAnswer, BuildPlan, BuildRequest } from './read-model-builder.ts';
import { closeBuilt, openForBuilding } from './read-model-connection.ts';

const plan: BuildPlan = workerData;
const database = await openForBuilding(plan.file, plan.pageSize);
const [createTable, ...createIndexes] = plan.create;
database.exec(createTable ?? '');
const get = database.prepare<{ readonly id: string; readonly revision: number; readonly doc: string }>(plan.get);
const upsert = database.prepare(plan.upsert);

function find(ids: readonly string[]): BuildAnswer['found'] {
  return ids.flatMap((wanted) => {
    const row = get.get(wanted);
    return row === undefined ? [] : [{ id: row.id, revision: row.revision, text: row.doc }];
  });
}

async function run(request: BuildRequest): Promise<BuildAnswer['found']> {
  switch (request.kind) {
    case 'get':
      return find(request.ids);
    case 'write':
      database.exec('BEGIN');
      for (const cells of request.rows) upsert.run(...cells);
      database.exec('COMMIT');
      return [];
    case 'finish':
      for (const sql of createIndexes) database.exec(sql);
      await closeBuilt(database, plan.file);
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
