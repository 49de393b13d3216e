// A SQLite file that other processes write, too: notices their commits, a file that was deleted or replaced, and
// damage.
import type { World } from '../../world.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { whileBusy } from './file/busy.ts';
import { type Database, prepareRows } from './file/database.ts';
import { isBusy, sqliteFault } from './file/fault.ts';
import { OpenedFile } from './file/opened-file.ts';
import { DamagedDocument, MissingTable } from './read-model-table.ts';

/** How often the path is checked to still name this file. */
const LOOK_FOR_FILE_MS = 250;

/** Commits of all connections of this thread: an earlier look does not include them. */
let ownCommits = 0;

interface SharedFileParts {
  readonly world: World;
  /** Called once, when the file is found to be deleted or replaced. Answers what callers get. */
  readonly onGone: () => Error;
  /** Another connection, of this process or another, has committed. */
  readonly onForeignCommit: () => void;
}

export class SharedFile {
  readonly name: string;
  readonly #database: Database;
  readonly #parts: SharedFileParts;
  readonly #begin;
  readonly #commit;
  readonly #dataVersion;
  readonly #file: OpenedFile;
  #lookedForFile = Number.NEGATIVE_INFINITY;
  #gone: Error | undefined;
  #damage: string | undefined;
  #seen: number;
  /** The commits of this thread when the look was made that still holds; undefined if there is none. */
  #heldSince: number | undefined;

  constructor(name: string, database: Database, parts: SharedFileParts) {
    this.name = name;
    this.#database = database;
    this.#parts = parts;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#dataVersion = prepareRows<readonly [number]>(database, 'PRAGMA data_version');
    this.#file = new OpenedFile(name);
    this.#seen = this.#readVersion();
  }

  /** The damage that was found in the file; undefined as long as there is none. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** The version at the last look: changes on every commit of any other connection. */
  get version(): number {
    return this.#seen;
  }

  /**
   * Throws the fault of `onGone` for a file that is gone. A look is valid for the rest of the run in which it happens,
   * until its microtasks: all that a caller can know of others' commits has reached this thread before. Requests that
   * begin together share a look.
   */
  look(): void {
    if (this.#heldSince === ownCommits) return;
    this.#lookForFile();
    this.#hold();
    const version = this.#readVersion();
    if (version === this.#seen) return;
    this.#seen = version;
    this.#parts.onForeignCommit();
  }

  /** Runs `work` in a transaction of its own, after a look at what others committed. */
  transaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      this.#heldSince = undefined;
      this.look(); // no other process can commit from here to the end
      const result = work();
      this.#commit.run();
      ownCommits += 1;
      return result;
    } catch (fault) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw fault;
    }
  }

  /**
   * Tries again while another process holds the file. Rejects with StoreUnavailable, and remembers the damage that a
   * fault reports. Runs at once if nothing is in the way: one more promise for every read would cost as much as the
   * read.
   */
  async patiently<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (fault) {
      if (!isBusy(fault)) throw this.#told(fault);
    }
    return whileBusy(this.#parts.world, work).catch((fault: unknown) => {
      throw this.#told(fault);
    });
  }

  #lookForFile(): void {
    if (this.#gone !== undefined) throw this.#gone;
    const now = this.#parts.world.monotonic();
    if (now - this.#lookedForFile < LOOK_FOR_FILE_MS) return;
    this.#lookedForFile = now;
    if (this.#file.isThere) return;
    this.#gone = this.#parts.onGone();
    throw this.#gone;
  }

  #hold(): void {
    this.#heldSince = ownCommits;
    queueMicrotask(this.#release); // runs before anything more is received
  }

  readonly #release = (): void => {
    this.#heldSince = undefined;
  };

  #readVersion(): number {
    const [version = -1] = this.#dataVersion.get() ?? [];
    return version;
  }

  #told(fault: unknown): unknown {
    if (fault === this.#gone) return fault;
    this.#damage ??= damageIn(fault);
    return unreachable(this.name, fault);
  }
}

/** Undefined for a fault that says nothing against the content of the file. */
export function damageIn(fault: unknown): string | undefined {
  if (sqliteFault(fault) === 'corrupt' || fault instanceof DamagedDocument || fault instanceof MissingTable)
    return String(fault);
  return fault instanceof StoreUnavailable ? damageIn(fault.cause) : undefined;
}

export const unreachable = (name: string, cause: unknown): StoreUnavailable =>
  new StoreUnavailable(`The read models in ${name} cannot be used: ${String(cause)}`, { cause });
