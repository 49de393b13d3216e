// Fills the file of a new generation: documents are made text here, written in a worker, and indexed last.
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../sqlite/thread.ts';
import type { Builder, Collection, Stored } from '../read-models.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { closeBuilt, openForBuilding } from './read-model-connection.ts';
import type { Cell } from './read-model-sql.ts';
import { isDocOf, type Shape, shapeOf } from './read-model-table.ts';

/** Batches that may wait for the worker; `write` waits when there are more. */
const BATCHES_WAITING = 4;

export interface BuildPlan {
  readonly file: string;
  readonly create: readonly string[];
  readonly get: string;
  readonly upsert: string;
}
export type BuildRequest =
  | { readonly call: number; readonly kind: 'write'; readonly rows: readonly (readonly Cell[])[] }
  | { readonly call: number; readonly kind: 'get'; readonly ids: readonly string[] }
  | { readonly call: number; readonly kind: 'finish' };
export interface BuildAnswer {
  readonly call: number;
  readonly found: readonly { readonly id: string; readonly revision: number; readonly text: string }[];
  readonly fault?: string;
}
type Ask = BuildRequest extends infer Request ? (Request extends BuildRequest ? Omit<Request, 'call'> : never) : never;

/** Begins `<file>.building`, which becomes `<file>` when it is finished. */
export function buildFile<Doc extends object, K extends string>(of: Collection<Doc, K>, file: string): Builder<Doc> {
  const shape = shapeOf(of);
  const building = new Building(`${file}.building`, shape);
  return {
    get: async (ids) =>
      (await building.ask({ kind: 'get', ids })).found.map(({ id, revision, text }) => {
        const doc: unknown = JSON.parse(text);
        if (typeof doc !== 'object' || doc === null || !isDocOf(of, doc)) throw new TypeError(`the document ${id} is not an object`);
        return { id, revision, doc };
      }),
    write: (rows: readonly Stored<Doc>[]) =>
      building.write(rows.map(({ id, revision, doc }) => [id, revision, JSON.stringify(doc), ...shape.cellsOf(doc)])),
    finish: async () => {
      await building.finish();
      await publish(`${file}.building`, file);
    },
    abort: async () => {
      await building.abort();
      for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(`${file}.building${suffix}`, { force: true });
    },
  };
}

/** Its bytes, then its name, are made durable: whoever sees the name sees the whole file, whatever happens to the power. */
async function publish(building: string, file: string): Promise<void> {
  const bytes = await open(building, 'r');
  await bytes.sync().finally(() => bytes.close());
  await rename(building, file);
  const directory = await open(dirname(file), 'r');
  await directory.sync().finally(() => directory.close());
}

class Building {
  readonly #file: string;
  readonly #shape: Shape;
  readonly #calls = new Map<number, { readonly resolve: (answer: BuildAnswer) => void; readonly reject: (fault: unknown) => void }>();
  #worker: Worker | undefined;
  #call = 0;
  #writes: Promise<unknown>[] = [];

  constructor(file: string, shape: Shape) {
    this.#file = file;
    this.#shape = shape;
  }

  async ask(request: Ask): Promise<BuildAnswer> {
    const worker = this.#started();
    this.#call += 1;
    const call = this.#call;
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
      const message: BuildRequest = { call, ...request };
      worker.postMessage(message);
    });
  }

  async write(rows: readonly (readonly Cell[])[]): Promise<void> {
    const written = this.ask({ kind: 'write', rows });
    written.catch(() => undefined); // seen below, a few calls later
    this.#writes.push(written);
    if (this.#writes.length > BATCHES_WAITING) await this.#writes.shift();
  }

  async finish(): Promise<void> {
    if (this.#worker === undefined) return this.#finishEmpty();
    await Promise.all(this.#writes);
    await this.ask({ kind: 'finish' });
    await this.abort();
  }

  async abort(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#refuse(new StoreUnavailable('The build was given up'));
  }

  /** Nothing was written: a worker would take longer to start than the file to make. */
  async #finishEmpty(): Promise<void> {
    const database = await openForBuilding(this.#file);
    for (const sql of this.#shape.create) database.exec(sql);
    await closeBuilt(database, this.#file);
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const { create, sentences } = this.#shape;
    const plan: BuildPlan = { file: this.#file, create, get: sentences.get, upsert: sentences.upsert };
    const worker = startThread('./read-model-builder-worker', import.meta.url, { name: 'read-model build', workerData: plan });
    worker.on('message', (answer: BuildAnswer) => {
      const call = this.#calls.get(answer.call);
      this.#calls.delete(answer.call);
      if (answer.fault === undefined) call?.resolve(answer);
      else call?.reject(new StoreUnavailable(`${this.#file}: ${answer.fault}`));
    });
    worker.on('error', (cause) =>
      this.#refuse(new StoreUnavailable(`${this.#file}: the worker that builds it has failed: ${String(cause)}`, { cause })),
    );
    this.#worker = worker;
    return worker;
  }

  #refuse(fault: StoreUnavailable): void {
    for (const { reject } of this.#calls.values()) reject(fault);
    this.#calls.clear();
  }
}
