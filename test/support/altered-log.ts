// Alters a SQLite event log through its file, while processes have it open.
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';

/** The alteration of a stream; `n` is a revision. */
export type Alteration =
  /** All events from the revision on. */
  | { readonly kind: 'deleted' | 'endDeleted' | 'dataAltered' | 'dataCut' | 'metadataAltered'; readonly n: number }
  | { readonly kind: 'swapped'; readonly n: number; readonly m: number };

const EVENT = 'stream = (SELECT id FROM streams WHERE name = ?) AND revision = ?';

/** Alters one stream of the log in `file`; the other streams stay as they are. */
export async function alterLog(file: string, stream: string, alteration: Alteration): Promise<void> {
  const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 64 });
  const run = (sql: string, ...values: readonly (string | number)[]): void => void database.prepare(sql).run(...values);
  const { kind, n } = alteration;
  try {
    switch (kind) {
      case 'deleted':
        return run(`DELETE FROM events WHERE ${EVENT}`, stream, n);
      case 'endDeleted':
        return run(`DELETE FROM events WHERE ${EVENT.replace('revision =', 'revision >=')}`, stream, n);
      case 'dataAltered':
        return run(`UPDATE events SET data = replace(data, '}', ' }') WHERE ${EVENT}`, stream, n);
      case 'dataCut':
        return run(`UPDATE events SET data = substr(data, 2) WHERE ${EVENT}`, stream, n);
      case 'metadataAltered':
        return run(
          `UPDATE events SET metadata = replace(metadata, '"recordedAt":', '"recordedAt":1') WHERE ${EVENT}`,
          stream,
          n,
        );
      case 'swapped': {
        const move = (from: number, to: number): void =>
          run(`UPDATE events SET revision = ${to} WHERE ${EVENT}`, stream, from);
        move(n, -1);
        move(alteration.m, n);
        return move(-1, alteration.m);
      }
      default:
        return kind satisfies never;
    }
  } finally {
    database.close();
  }
}

/** Removes an event of a stream from the log's file. The answer puts it back. */
export async function takeOut(file: string, stream: string, revision: number): Promise<() => Promise<void>> {
  const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 64 });
  database.exec('CREATE TABLE IF NOT EXISTS taken AS SELECT * FROM events WHERE false');
  database.prepare(`INSERT INTO taken SELECT * FROM events WHERE ${EVENT}`).run(stream, revision);
  database.prepare(`DELETE FROM events WHERE ${EVENT}`).run(stream, revision);
  database.close();
  return async () => {
    const again = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 64 });
    again.exec('INSERT INTO events SELECT * FROM taken; DROP TABLE taken');
    again.close();
  };
}
