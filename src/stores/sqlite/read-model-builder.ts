// Fills the file of a new generation: documents are made text here, written in a worker, and indexed last.
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Builder, BuiltRow, Collection } from '../read-models.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { endThread, startThread } from './file/thread.ts';
import { closeBuilt, openForBuilding } from './read-model-connection.ts';
import { type Cell, cell } from './read-model-sql.ts';
import { type Shape, shapeOf } from './read-model-table.ts';

/** Batches that may wait for the worker; `write` waits when there are more. */
const BATCHES_WAITING = 4;

export interface BuildPlan {
  readonly file: string;
  readonly create: readonly string[];
  readonly get: string;
  readonly upsert: string;
  /** The statement with the document as bytes. */
  readonly upsertBytes: string;
}
export type BuildRequest =
  | { readonly call: number; readonly kind: 'write'; readonly rows: readonly (readonly Cell[])[] }
  | { readonly call: number; readonly kind: 'write-packed'; readonly rows: ArrayBuffer }
  | { readonly call: number; readonly kind: 'get'; readonly ids: readonly string[] }
  | { readonly call: number; readonly kind: 'finish' | 'end' };
export interface BuildAnswer {
  readonly call: number;
  readonly found: readonly { readonly id: string; readonly revision: number; readonly text: string }[];
  readonly fault?: string;
}
type Ask = BuildRequest extends infer Request ? (Request extends BuildRequest ? Omit<Request, 'call'> : never) : never;

/** Begins `<file>.building`, which becomes `<file>` when it is finished. */
export function buildFile<Doc extends object, K extends string>(of: Collection<Doc, K>, file: string): Builder {
  const shape = shapeOf(of);
  const building = new Building(`${file}.building`, shape);
  return {
    get: async (ids) => (await building.ask({ kind: 'get', ids })).found,
    write: (rows) => building.write(rows),
    writePacked: (rows) => building.writePacked(rows),
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

const cellsOf = ({ id, revision, text, keys }: BuiltRow): readonly Cell[] => [id, revision, ...keys.map(cell), text];

/** Its bytes, then its name, are made durable: a visible name stands for the whole file, even after a loss of power. */
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
  readonly #calls = new Map<
    number,
    { readonly resolve: (answer: BuildAnswer) => void; readonly reject: (fault: unknown) => void }
  >();
  #worker: Worker | undefined;
  /** The fault of the worker that died. */
  #fault: StoreUnavailable | undefined;
  #call = 0;
  #writes: Promise<unknown>[] = [];

  constructor(file: string, shape: Shape) {
    this.#file = file;
    this.#shape = shape;
  }

  async ask(request: Ask, transferred: readonly ArrayBuffer[] = []): Promise<BuildAnswer> {
    if (this.#fault !== undefined) throw this.#fault; // nobody is there to answer
    const worker = this.#started();
    this.#call += 1;
    const call = this.#call;
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
      const message: BuildRequest = { call, ...request };
      worker.postMessage(message, transferred);
    });
  }

  async write(rows: readonly BuiltRow[]): Promise<void> {
    return this.#written(this.ask({ kind: 'write', rows: rows.map(cellsOf) }));
  }

  async writePacked(rows: ArrayBuffer): Promise<void> {
    return this.#written(this.ask({ kind: 'write-packed', rows }, [rows]));
  }

  async #written(written: Promise<BuildAnswer>): Promise<void> {
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
    if (worker !== undefined) await endThread<BuildRequest>(worker, { call: 0, kind: 'end' });
    this.#refuse(new StoreUnavailable('The build was aborted'));
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
    const plan: BuildPlan = {
      file: this.#file,
      create,
      get: sentences.get,
      upsert: sentences.upsert,
      upsertBytes: sentences.upsertBytes,
    };
    const worker = startThread('./read-model-builder-worker', import.meta.url, {
      name: 'read-model build',
      workerData: plan,
    });
    worker.on('message', (answer: BuildAnswer) => {
      const call = this.#calls.get(answer.call);
      this.#calls.delete(answer.call);
      if (answer.fault === undefined) call?.resolve(answer);
      else call?.reject(new StoreUnavailable(`${this.#file}: ${answer.fault}`));
    });
    worker.on('error', (cause) => {
      this.#fault = new StoreUnavailable(`${this.#file}: the worker that builds it has failed: ${String(cause)}`, {
        cause,
      });
      this.#refuse(this.#fault);
    });
    this.#worker = worker;
    return worker;
  }

  #refuse(fault: StoreUnavailable): void {
    for (const { reject } of this.#calls.values()) reject(fault);
    this.#calls.clear();
  }
}
