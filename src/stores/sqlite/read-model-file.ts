// One SQLite file of read models: reads at once, and the writes of one turn of the event loop in one transaction. A
// file that lost its last commits, for its WAL was damaged, has lost its high-water mark with them.
import type { World } from '../../world.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { whileBusy } from './file/busy.ts';
import type { Database, Statement } from './file/database.ts';
import { openForRequests } from './read-model-connection.ts';
import { MissingTable, type Row, type RowChange, type RowRemoval, type Shape, Table } from './read-model-table.ts';
import { SharedFile, unreachable } from './shared-file.ts';

const TABLE = 'CREATE TABLE IF NOT EXISTS high_water (one INTEGER PRIMARY KEY CHECK (one = 1), mark INTEGER NOT NULL)';
const RAISE =
  'INSERT INTO high_water (one, mark) VALUES (1, 1) ON CONFLICT DO UPDATE SET mark = mark + 1 RETURNING mark';

class HighWater {
  readonly #database: Database;
  #raise: Statement<{ readonly mark: number }> | undefined;
  #read: Statement<{ readonly mark: number }> | undefined;
  /** The mark that was raised last, at which version of the others' writes; undefined after a write of this process. */
  #last: { readonly mark: number; readonly version: number } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** This connection wrote something. */
  wrote(): void {
    this.#last = undefined;
  }

  /** The mark that still covers all writes; `version`: of the writes of other connections. */
  covering(version: number): number | undefined {
    return this.#last?.version === version ? this.#last.mark : undefined;
  }

  /** Inside a transaction; `raised` has to be called when it is committed. */
  raise(): number {
    if (this.#raise === undefined) this.#database.exec(TABLE);
    this.#raise ??= this.#database.prepare(RAISE);
    return this.#raise.get()?.mark ?? 0;
  }

  raised(mark: number, version: number): void {
    this.#last = { mark, version };
  }

  /** 0 before the first. */
  read(): number {
    const hasTable =
      this.#read !== undefined ||
      this.#database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'high_water'").get() !== undefined;
    if (!hasTable) return 0;
    this.#read ??= this.#database.prepare('SELECT mark FROM high_water');
    return this.#read.get()?.mark ?? 0;
  }
}

/** Rows in one transaction: bounds how long a commit keeps the event loop, and others from the file's lock. */
const ROWS_A_TRANSACTION = 256;
/** Rows that may wait for the lock; more means that the store cannot keep up. */
const WAITING_ROWS = 100_000;

type Change = RowChange | RowRemoval;

interface Waiting {
  readonly table: Table;
  readonly changes: readonly Change[];
  readonly resolve: (written: readonly string[]) => void;
  readonly reject: (fault: unknown) => void;
}

interface FileOptions {
  readonly world: World;
  /**
   * Told after each commit how many characters it wrote, in how many rows, so that another thread can checkpoint the
   * WAL.
   */
  readonly onCommit: (characters: number, rows: number) => void;
  /**
   * Called once, when the file is found to be deleted or replaced: its content no longer counts. Returns the error for
   * callers.
   */
  readonly onGone: (file: ReadModelFile) => Error;
}

const HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?";

export class ReadModelFile {
  readonly name: string;
  readonly #database: Database;
  readonly #options: FileOptions;
  readonly #tables = new Map<string, Promise<Table>>();
  readonly #opened: Table[] = [];
  readonly #highWater: HighWater;
  readonly #file: SharedFile;
  #waiting: Waiting[] = [];
  #waitingRows = 0;
  #closing = false;
  #flushing: Promise<void> | undefined;

  /** Opens a file; a file that another process holds at this moment is tried again. */
  static async open(name: string, options: FileOptions): Promise<ReadModelFile> {
    try {
      return await whileBusy(options.world, async () => new ReadModelFile(name, await openForRequests(name), options));
    } catch (fault) {
      throw unreachable(name, fault);
    }
  }

  private constructor(name: string, database: Database, options: FileOptions) {
    this.name = name;
    this.#database = database;
    this.#options = options;
    this.#highWater = new HighWater(database);
    this.#file = new SharedFile(name, database, {
      world: options.world,
      onGone: () => options.onGone(this),
      onForeignCommit: () => {
        for (const table of this.#opened) table.forget();
      },
    });
  }

  /** The damage that was found in the file; undefined as long as there is none. */
  get damage(): string | undefined {
    return this.#file.damage;
  }

  /** See ReadModelStore.sync; without the sync. Writes only when the file was written to since the last mark. */
  raiseMark(): Promise<number> {
    return this.#file.patiently(() => {
      this.#file.look();
      const covering = this.#highWater.covering(this.#file.version);
      if (covering !== undefined) return covering;
      const mark = this.#file.transaction(() => this.#highWater.raise());
      this.#highWater.raised(mark, this.#file.version);
      return mark;
    });
  }

  mark(): Promise<number> {
    return this.read(() => this.#highWater.read());
  }

  /** The collection's table; made when it is not there and `make` says so. */
  table(shape: Shape, make: boolean): Promise<Table> {
    const { upsert } = shape.sentences; // names the table and all its columns
    const known = this.#tables.get(upsert);
    if (known !== undefined) return known;
    const opened = this.#open(shape, make);
    this.#tables.set(upsert, opened);
    opened.catch(() => this.#tables.delete(upsert)); // a failure is not remembered
    return opened;
  }

  /** Runs a read; documents kept parsed are valid inside it. */
  async read<T>(work: () => T): Promise<T> {
    return this.#file.patiently(() => {
      this.#file.look();
      return work();
    });
  }

  /**
   * A document that is kept parsed and still holds; undefined if it is not kept, or another process is in the way.
   */
  peek(table: Table, id: string): Row | undefined {
    try {
      this.#file.look();
      return table.kept(id);
    } catch {
      return undefined; // a proper read learns what is wrong
    }
  }

  /** Commits the changes together with all others of this turn of the event loop; answers the ids that changed. */
  write(table: Table, changes: readonly Change[]): Promise<readonly string[]> {
    if (changes.length === 0) return Promise.resolve([]);
    if (this.#waitingRows + changes.length > WAITING_ROWS)
      return Promise.reject(
        new StoreUnavailable(`${this.name}: ${this.#waitingRows} rows are already waiting to be written`),
      );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ table, changes, resolve, reject });
      this.#waitingRows += changes.length;
      this.#flushing ??= this.#flush();
    });
  }

  get isOpen(): boolean {
    return !this.#closing;
  }

  /** After all that waits was written or refused. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#flushing;
    this.#database.close();
  }

  async #open(shape: Shape, make: boolean): Promise<Table> {
    return this.#file.patiently(() => {
      if (make) this.#file.transaction(() => shape.create.map((sql) => this.#database.exec(sql)));
      else if (this.#database.prepare(HAS_TABLE).get(shape.table) === undefined) throw new MissingTable(shape.table);
      const table = new Table(this.#database, shape);
      this.#opened.push(table);
      return table;
    });
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((turn) => setImmediate(turn)); // all that this turn of the event loop writes shares a commit
      const batch = this.#take();
      await this.#file
        .patiently(() => this.#commitAll(batch))
        .then(
          (written) => {
            for (const [place, { resolve }] of batch.entries()) resolve(written[place] ?? []);
          },
          (fault) => {
            for (const { reject } of batch) reject(fault);
          },
        );
    }
    this.#flushing = undefined;
  }

  #take(): readonly Waiting[] {
    const batch: Waiting[] = [];
    let rows = 0;
    for (const one of this.#waiting) {
      if (rows >= ROWS_A_TRANSACTION) break;
      batch.push(one);
      rows += one.changes.length;
    }
    this.#waiting = this.#waiting.slice(batch.length);
    this.#waitingRows -= rows;
    return batch;
  }

  #commitAll(batch: readonly Waiting[]): readonly (readonly string[])[] {
    const applied: { readonly table: Table; readonly change: Change }[] = [];
    const written: string[][] = batch.map(() => []);
    this.#file.transaction(() => {
      for (const [place, { table, changes }] of batch.entries())
        for (const change of changes)
          if ('isRemoval' in change ? table.remove(change) : table.write(change)) {
            applied.push({ table, change });
            written[place]?.push(change.id);
          }
    });
    if (applied.length > 0) this.#highWater.wrote();
    let characters = 0;
    for (const { table, change } of applied) {
      if ('isRemoval' in change) {
        table.drop(change.id);
        continue;
      }
      table.keep(change); // committed: from now on it may be answered from memory
      characters += change.text.length;
    }
    this.#options.onCommit(characters, applied.length);
    return written;
  }
}
