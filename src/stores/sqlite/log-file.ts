// An event log in a file that nobody else has open: written in large transactions and without a writer thread.
import { AppError } from '../../app-error.ts';
import type { StoredEvent } from '../event-store.ts';
import { AppendHandler } from './append-handler.ts';
import { CONFLICT, REPEATED } from './append-protocol.ts';
import { prepareEventSchema } from './event-schema.ts';
import { truncateWal } from './file/busy.ts';
import { type Database, openDatabase } from './file/database.ts';

const CACHE_KIB = 32 * 1024;

export class LogFile {
  readonly #database: Database;
  readonly #handler: AppendHandler;

  private constructor(database: Database) {
    this.#database = database;
    this.#handler = new AppendHandler(database);
  }

  /** Opens or creates a log. Throws what SQLite throws (see fault.ts), and as openSqliteEventStore for other files. */
  static async open(file: string): Promise<LogFile> {
    const database = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: CACHE_KIB });
    try {
      prepareEventSchema(database, file);
      return new LogFile(database);
    } catch (fault) {
      database.close();
      throw fault;
    }
  }

  /**
   * Adds events in their order, all or none. Throws AppError LogGap if one is not the next of its stream, and what
   * SQLite throws.
   */
  add(events: readonly StoredEvent[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const stored of events) {
        const { stream, revision } = stored;
        const reply = this.#handler.append([{ stream, after: revision - 1, events: [stored] }]);
        if (reply === CONFLICT || reply === REPEATED)
          throw new AppError('LogGap', `${stream}@${revision} is not the next event of its stream.`);
      }
      this.#database.exec('COMMIT');
    } catch (fault) {
      this.#handler.forget();
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw fault;
    }
  }

  /** All of it is in the one file then, and on the disk once the caller has synced the file. */
  close(): void {
    try {
      truncateWal(this.#database);
    } finally {
      this.#database.close();
    }
  }
}
