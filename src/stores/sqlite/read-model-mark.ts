// A high-water mark in a read-model file: a file that lost its last commits, for its WAL was damaged, has lost the mark
// with them.
import type { Database, Statement } from './file/database.ts';

const TABLE = 'CREATE TABLE IF NOT EXISTS high_water (one INTEGER PRIMARY KEY CHECK (one = 1), mark INTEGER NOT NULL)';
const RAISE =
  'INSERT INTO high_water (one, mark) VALUES (1, 1) ON CONFLICT DO UPDATE SET mark = mark + 1 RETURNING mark';

export class HighWater {
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
