// Fills the files of new generations: packed rows are written in one thread for all that are built, and indexed last.
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Builder, Collection } from '../read-models.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { endThread, startThread } from './file/thread.ts';
import { closeBuilt, openForBuilding } from './read-model-connection.ts';
import { shapeOf } from './read-model-table.ts';

/** Batches of a build that may wait for the thread; `write` waits when there are more. */
const BATCHES_WAITING = 4;

export interface BuildPlan {
  readonly file: string;
  readonly create: readonly string[];
  readonly get: string;
  /** With the document as bytes. */
  readonly upsert: string;
}
/** `build`: the number of the file that is meant. */
export type BuildRequest = { readonly call: number; readonly build: number } & BuildWork;
type BuildWork =
  | { readonly kind: 'begin'; readonly plan: BuildPlan }
  | { readonly kind: 'write'; readonly rows: ArrayBuffer }
  | { readonly kind: 'get'; readonly ids: readonly string[] }
  | { readonly kind: 'finish' | 'leave' | 'end' };
export interface BuildAnswer {
  readonly call: number;
  readonly found: readonly { readonly id: string; readonly revision: number; readonly text: string }[];
  readonly fault?: string;
}

/** Begins `<file>.building`, which becomes `<file>` when it is finished. */
export function buildFile<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  file: string,
  thread = new BuildThread(),
): Builder {
  const { create, sentences } = shapeOf(of);
  const plan = { file: `${file}.building`, create, get: sentences.get, upsert: sentences.upsertBytes };
  const building = new Building(plan, thread);
  return {
    get: (ids) => building.get(ids),
    write: (rows) => building.write(rows),
    finish: async () => {
      await building.finish();
      await publish(plan.file, file);
    },
    abort: async () => {
      await building.leave();
      for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(`${plan.file}${suffix}`, { force: true });
    },
  };
}

/** Its bytes, then its name, are made durable: a visible name stands for the whole file, even after a loss of power. */
async function publish(building: string, file: string): Promise<void> {
  const bytes = await open(building, 'r');
  await bytes.sync().finally(() => bytes.close());
  await rename(building, file);
  const directory = await open(dirname(file), 'r');
  await directory.sync().finally(() => directory.close());
}

class Building {
  readonly #plan: BuildPlan;
  readonly #thread: BuildThread;
  readonly #writes: Promise<unknown>[] = [];
  /** Undefined until something is written or looked for. */
  #build: number | undefined;

  constructor(plan: BuildPlan, thread: BuildThread) {
    this.#plan = plan;
    this.#thread = thread;
  }

  async get(ids: readonly string[]): Promise<BuildAnswer['found']> {
    return (await this.#thread.ask(this.#begun(), { kind: 'get', ids })).found;
  }

  async write(rows: ArrayBuffer): Promise<void> {
    const written = this.#thread.ask(this.#begun(), { kind: 'write', rows }, [rows]);
    written.catch(() => undefined); // seen below, a few calls later
    this.#writes.push(written);
    if (this.#writes.length > BATCHES_WAITING) await this.#writes.shift();
  }

  async finish(): Promise<void> {
    if (this.#build === undefined) return this.#finishEmpty();
    await Promise.all(this.#writes);
    await this.#thread.ask(this.#build, { kind: 'finish' });
    await this.leave();
  }

  async leave(): Promise<void> {
    const build = this.#build;
    this.#build = undefined;
    if (build !== undefined) await this.#thread.leave(build);
  }

  #begun(): number {
    this.#build ??= this.#thread.begin(this.#plan);
    return this.#build;
  }

  /** Nothing was written: a thread would take longer to start than the file to make. */
  async #finishEmpty(): Promise<void> {
    const database = await openForBuilding(this.#plan.file);
    for (const sql of this.#plan.create) database.exec(sql);
    await closeBuilt(database, this.#plan.file);
  }
}

/** The thread of all builds of a store: one each would take 12 MiB for every read model of a first start. */
export class BuildThread {
  readonly #calls = new Map<
    number,
    { readonly resolve: (answer: BuildAnswer) => void; readonly reject: (fault: unknown) => void }
  >();
  readonly #builds = new Set<number>();
  #worker: Worker | undefined;
  /** By build: the fault of the thread that died with it. */
  readonly #faults = new Map<number, StoreUnavailable>();
  #calledLast = 0;
  #begunLast = 0;

  begin(plan: BuildPlan): number {
    this.#begunLast += 1;
    const build = this.#begunLast;
    this.#builds.add(build);
    this.ask(build, { kind: 'begin', plan }).catch((fault: unknown) => {
      if (fault instanceof StoreUnavailable) this.#faults.set(build, fault);
    });
    return build;
  }

  async ask(build: number, work: BuildWork, transferred: readonly ArrayBuffer[] = []): Promise<BuildAnswer> {
    const fault = this.#faults.get(build);
    if (fault !== undefined) throw fault; // no call waits for its answer
    const worker = this.#started();
    this.#calledLast += 1;
    const call = this.#calledLast;
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
      const request: BuildRequest = { call, build, ...work };
      worker.postMessage(request, transferred);
    });
  }

  /** The thread ends with the last build; what one that is aborted has asked is done before. */
  async leave(build: number): Promise<void> {
    await this.ask(build, { kind: 'leave' }).catch(() => undefined);
    this.#builds.delete(build);
    this.#faults.delete(build);
    const worker = this.#worker;
    if (this.#builds.size > 0 || worker === undefined) return;
    this.#worker = undefined;
    await endThread<BuildRequest>(worker, { call: 0, build: 0, kind: 'end' });
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = startThread('./read-model-builder-worker', import.meta.url, { name: 'read-model build' });
    worker.on('message', (answer: BuildAnswer) => {
      const call = this.#calls.get(answer.call);
      this.#calls.delete(answer.call);
      if (answer.fault === undefined) call?.resolve(answer);
      else call?.reject(new StoreUnavailable(answer.fault));
    });
    worker.on('error', (cause) => {
      const fault = new StoreUnavailable(`The thread that builds read models has failed: ${String(cause)}`, { cause });
      this.#worker = undefined;
      for (const build of this.#builds) this.#faults.set(build, fault);
      for (const { reject } of this.#calls.values()) reject(fault);
      this.#calls.clear();
    });
    this.#worker = worker;
    return worker;
  }
}
