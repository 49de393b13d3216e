// Moves the WALs of read-model files into the files, in a worker, so that no request waits for it and no WAL grows without end.
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../sqlite/thread.ts';
import { StoreUnavailable } from '../store-unavailable.ts';

/** Characters of documents after which a file's WAL is moved; about four times as many bytes of WAL. */
const CHARACTERS_BETWEEN = 2 * 1024 * 1024;

export type CheckpointRequest = { readonly kind: 'checkpoint' | 'forget'; readonly file: string } | { readonly kind: 'close' };
export interface CheckpointAnswer {
  readonly file: string;
  readonly fault?: string;
}

export class Checkpointer {
  readonly #report: (fault: unknown) => void;
  readonly #written = new Map<string, number>();
  readonly #underWay = new Map<string, { readonly done: Promise<void>; readonly settle: () => void }>();
  #worker: Worker | undefined;

  constructor(report: (fault: unknown) => void) {
    this.#report = report;
  }

  /** Called after each commit; starts a checkpoint when enough has been written since the last one. */
  wrote(file: string, characters: number): void {
    const written = (this.#written.get(file) ?? 0) + characters;
    this.#written.set(file, written);
    if (written < CHARACTERS_BETWEEN || this.#underWay.has(file)) return;
    this.#written.set(file, 0);
    void this.#ask({ kind: 'checkpoint', file }, file);
  }

  /** Resolves when the worker has closed the file, which may be deleted then. */
  async forget(file: string): Promise<void> {
    this.#written.delete(file);
    await this.#underWay.get(file)?.done;
    if (this.#worker !== undefined) await this.#ask({ kind: 'forget', file }, file);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
    this.#worker = undefined;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    const request: CheckpointRequest = { kind: 'close' };
    worker.postMessage(request);
    await exited;
  }

  #ask(request: CheckpointRequest, file: string): Promise<void> {
    let settle = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      settle = resolve;
    });
    this.#underWay.set(file, { done, settle });
    this.#started().postMessage(request);
    return done;
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = startThread('./read-model-checkpointer-worker', import.meta.url, { name: 'read-model checkpoints' });
    worker.unref();
    worker.on('message', ({ file, fault }: CheckpointAnswer) => {
      if (fault !== undefined) this.#report(new StoreUnavailable(`The WAL of ${file} was not checkpointed: ${fault}`));
      this.#settle(file);
    });
    worker.on('error', (cause) => {
      this.#report(new StoreUnavailable('The worker that checkpoints read models has failed; the next commit starts another', { cause }));
      if (this.#worker === worker) this.#worker = undefined;
      for (const file of [...this.#underWay.keys()]) this.#settle(file);
    });
    this.#worker = worker;
    return worker;
  }

  #settle(file: string): void {
    this.#underWay.get(file)?.settle();
    this.#underWay.delete(file);
  }
}
