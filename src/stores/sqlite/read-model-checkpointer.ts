// Moves the WALs of read-model files into the files, in a worker, so that no request waits for it and no WAL grows
// without end.
import type { Worker } from 'node:worker_threads';
import type { World } from '../../world.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { endThread, startThread } from './file/thread.ts';

/**
 * Writes between two moves of a file's WAL: characters of documents, and each row besides; several times as many bytes
 * of WAL.
 */
const WEIGHT_BETWEEN = 4 * 1024 * 1024;
const WEIGHT_OF_ROW = 1_024;
/**
 * A file that got less than `QUIET_WEIGHT` (signs of life, checkpoints) between two looks is at rest: its WAL gives its
 * space back.
 */
const LOOK_EVERY_MS = 5_000;
const QUIET_WEIGHT = 64 * 1024;

/** `truncate`: a checkpoint that leaves the WAL empty. */
export type CheckpointRequest =
  | { readonly kind: 'checkpoint' | 'truncate' | 'forget'; readonly file: string }
  | { readonly kind: 'close' };
export interface CheckpointAnswer {
  readonly file: string;
  readonly fault?: string;
}

interface CheckpointerOptions {
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/** The state of a file whose WAL is not known to be empty. */
interface Written {
  sinceCheckpoint: number;
  sinceLook: number;
}

export class Checkpointer {
  readonly #world: World;
  readonly #report: (fault: unknown) => void;
  readonly #written = new Map<string, Written>();
  readonly #closed = new AbortController();
  #isLooking = false;
  readonly #underWay = new Map<string, { readonly done: Promise<void>; readonly settle: () => void }>();
  #worker: Worker | undefined;

  constructor({ world, report }: CheckpointerOptions) {
    this.#world = world;
    this.#report = report;
  }

  /** Called after each commit; starts a checkpoint when enough has been written since the last one. */
  wrote(file: string, characters: number, rows: number): void {
    const written = this.#written.get(file) ?? { sinceCheckpoint: 0, sinceLook: 0 };
    this.#written.set(file, written);
    const weight = characters + rows * WEIGHT_OF_ROW;
    written.sinceCheckpoint += weight;
    written.sinceLook += weight;
    if (!this.#isLooking) void this.#look();
    if (written.sinceCheckpoint < WEIGHT_BETWEEN || this.#underWay.has(file)) return;
    written.sinceCheckpoint = 0;
    void this.#ask({ kind: 'checkpoint', file }, file);
  }

  /**
   * Resolves when the worker has closed the file, which may be deleted then. Several callers may want the same file
   * forgotten at once.
   */
  async forget(file: string): Promise<void> {
    this.#written.delete(file);
    // another caller may have asked first, in the same turn
    while (this.#underWay.has(file)) await this.#underWay.get(file)?.done;
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    await this.#ask({ kind: 'forget', file }, file);
    worker.unref();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref(); // a process with nothing else to do waits for its end
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
    this.#worker = undefined;
    await endThread<CheckpointRequest>(worker, { kind: 'close' });
  }

  /** Has files at rest truncate their WALs, for as long as there are others. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#written.size > 0 && !this.#closed.signal.aborted) {
      await this.#world.sleep(LOOK_EVERY_MS, this.#closed.signal).catch(() => undefined);
      if (this.#closed.signal.aborted) break;
      for (const [file, written] of this.#written) {
        const isAtRest = written.sinceLook < QUIET_WEIGHT && !this.#underWay.has(file);
        written.sinceLook = 0;
        if (!isAtRest) continue;
        this.#written.delete(file); // the next commit enters it again
        void this.#ask({ kind: 'truncate', file }, file);
      }
    }
    this.#isLooking = false;
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
      this.#report(
        new StoreUnavailable('The worker that checkpoints read models has failed; the next commit starts another', {
          cause,
        }),
      );
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
