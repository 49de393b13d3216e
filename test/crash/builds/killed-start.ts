// A first start that is killed at a stage of a build, and the next start on what it left: on a log with every type of
// event.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { dashboardOf, whenThere } from '../../../src/cli/serve/announce.ts';
import { readConfig } from '../../../src/config.ts';
import { defaultTimings } from '../../../src/projections/engine/timings.ts';
import { allProjections } from '../../../src/projections/models/all.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../../src/stores/read-models.ts';
import { plainGoldenEvents, readGoldenLog } from '../../golden/golden-log.ts';
import { besideOthers } from '../../support/calm-world.ts';
import { nodeOn } from '../../support/node.ts';
import { scriptBeside } from '../../support/script.ts';
import { until } from '../../support/until.ts';
import { closeStores, openStoresAt, type StoresAt } from '../steps/stores-at.ts';
import type { Stage } from './stage.ts';

/** Short, because the builder that was killed gives no sign of life and every start waits for it. */
const engineTimings = { ...defaultTimings, pollMs: 100, abandonedMs: 600, joinMs: 200, staleMs: 200 };

const ADDRESS = 'http://127.0.0.1:4000';

/** A log without a read model; `models`: the documents of each one, as a start builds them that is not killed. */
export interface Prepared {
  readonly at: StoresAt;
  readonly models: Models;
}

type Models = ReadonlyMap<string, readonly unknown[]>;

/** Writes the golden log into a new store, and takes the documents of a start on it that is not killed. */
export async function prepareLog(at: StoresAt): Promise<Prepared> {
  const stores = await openStoresAt(at, besideOthers, raise);
  await nodeOn({ ...stores, readModels: memoryReadModels() });
  for (const { stream, revision, id, type, data, metadata } of plainGoldenEvents(await readGoldenLog()))
    if (stream !== 'store-0') await stores.events.append(stream, revision - 1, [{ id, type, data, metadata }]);
  const { service } = await nodeOn(stores);
  const models = await modelsOf(service.readModels);
  for (const [name, rows] of models) expect(rows, name).not.to.deep.equal([]);
  await closeStores(stores);
  return { at, models };
}

/**
 * Kills a start at the stage, and starts again: ready, with an address for the dashboard, and the read models of a
 * start that was not killed.
 */
export async function killAndStartAgain({ at, models }: Prepared, stage: Stage): Promise<void> {
  await killAt(at, stage);
  const told = `killed when ${stage.model} was ${stage.stage}`;
  const stores = await openStoresAt(at, besideOthers, raise);
  const { service, reported } = await nodeOn(stores, { engineTimings });
  const over = new AbortController();
  const following = service.projections.run(over.signal);
  try {
    const starting = { service, config: readConfig({}, {}), world: besideOthers, report: () => undefined };
    expect(await whenThere(starting, over.signal, () => dashboardOf(starting, ADDRESS, undefined))).to.equal(
      `${ADDRESS}/dashboard/`,
    );
    await until(() => service.readiness().ready);
    expect(await modelsOf(service.readModels), told).to.deep.equal(models);
    expect(reported.map(String), told).to.deep.equal([]);
  } finally {
    over.abort();
    await following;
    await closeStores(stores);
  }
}

async function modelsOf(readModels: ReadModels): Promise<Models> {
  const models = new Map<string, readonly unknown[]>();
  for (const { name, open } of allProjections) {
    const rows = await open(
      async (of): Promise<readonly unknown[]> => readModels.find(of, { where: {}, limit: 1_000 }),
    );
    models.set(name, rows);
  }
  return models;
}

async function killAt(at: StoresAt, stage: Stage): Promise<void> {
  const { path, execArgv } = scriptBeside('./starting-child', import.meta.url);
  const child = fork(path, [JSON.stringify({ at, stage })], { execArgv: [...execArgv] });
  const gone = once(child, 'exit');
  const [told] = await Promise.race([once(child, 'message'), gone.then(([code]) => [`ended with ${code}`])]);
  child.kill('SIGKILL');
  await gone;
  expect(told).to.equal('reached');
}

function raise(fault: unknown): void {
  throw fault;
}
