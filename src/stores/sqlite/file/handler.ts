// The interface of a module for a group-commit writer: the requests' meaning, run on the writer's thread.
import type { Database } from './database.ts';

export interface Handler {
  /**
   * Answers one request inside an open write transaction; synchronous. Requests and replies are structured-cloneable.
   * It may run more than once before its commit (a batch with a failing request is run again), so it depends on nothing
   * but the request and the database. A fault that it throws undoes this request alone and rejects its `submit`.
   */
  handle(request: unknown): unknown;
  /** Memory of the database may be wrong now: another connection wrote, or a transaction was rolled back. */
  forget(): void;
}

/** The named export `openHandler` of a handler's module: prepares statements; the tables are there or made in here. */
export type OpenHandler = (database: Database) => Handler;
