// Reading the embedded log: bounded pages, each in one synchronous call, so that no statement is open across an await.
import type { Batch, StoredEvent } from '../event-store.ts';
import { STREAM_NAMED } from './event-schema.ts';
import { type Database, prepareRows, type Statement } from './file/database.ts';
import { FileGone, OpenedFile } from './file/opened-file.ts';

/** Positions that one page may look at to find events of the wanted categories: some 3 ms. */
const WINDOW = 8_000;

type EventRow = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
];
type StreamRow = readonly [
  position: number,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
];

export class EventLog {
  // Kept because a connection that is collected as garbage is closed.
  readonly #database: Database;
  readonly #path: string;
  readonly #file: OpenedFile;
  readonly #head: Statement<readonly [number | null]>;
  readonly #dataVersion: Statement<readonly [number]>;
  readonly #stream: Statement<StreamRow>;
  readonly #newest: Statement<EventRow>;
  /** By how many categories they filter; each number of parameters is a statement of its own. */
  readonly #pages = new Map<number, Statement<EventRow>>();
  #seenVersion = -1;

  constructor(path: string, database: Database) {
    this.#path = path;
    this.#file = new OpenedFile(path);
    this.#database = database;
    this.#head = prepareRows(database, 'SELECT max(position) FROM events');
    this.#newest = prepareRows(database, NEWEST_SQL);
    this.#dataVersion = prepareRows(database, 'PRAGMA data_version');
    this.#stream = prepareRows(
      database,
      `SELECT position, revision, id, type, data, metadata FROM events
       WHERE stream = (SELECT id FROM streams WHERE ${STREAM_NAMED}) AND revision > ?2 ORDER BY revision LIMIT ?3`,
    );
  }

  /**
   * Throws FileGone if the log is not where it was opened: its answers then differ from the file that will be found
   * there.
   */
  check(): void {
    if (!this.#file.isThere) throw new FileGone(this.#path);
  }

  /** The last position; -1 when there is none. */
  head(): number {
    return this.#head.get()?.[0] ?? -1;
  }

  /** How many there are; they are numbered from 1, without gaps. */
  streams(): number {
    return prepareRows<readonly [number | null]>(this.#database, 'SELECT max(id) FROM streams').get()?.[0] ?? 0;
  }

  /** True if another connection committed since the last call; 3 µs. */
  changed(): boolean {
    const [version = -1] = this.#dataVersion.get() ?? [];
    const changed = version !== this.#seenVersion;
    this.#seenVersion = version;
    return changed;
  }

  /** At most `limit` events of a stream, after a revision. */
  ofStream(stream: string, after: number, limit: number): readonly StoredEvent[] {
    return this.#stream.all(stream, after, limit).map(([position, revision, id, type, data, metadata]) => ({
      id,
      type,
      data,
      metadata,
      stream,
      revision,
      position: BigInt(position),
    }));
  }

  /** At most `limit` events of the categories (all when there are none), after a position. */
  page(after: bigint, categories: readonly string[], limit: number): Batch {
    const head = this.head();
    const from = Number(after);
    if (from >= head) return { events: [], position: after, caughtUp: true };
    const to = categories.length === 0 ? head : Math.min(from + WINDOW, head);
    const rows = this.#pageOf(categories.length).all(from, to, ...categories, limit);
    const events = rows.map(eventOf);
    const last = events.at(-1)?.position ?? after;
    const position = events.length === limit ? last : BigInt(to);
    return { events, position, caughtUp: position === BigInt(head) };
  }

  /** At most `limit` events before a position, newest first. */
  newest(before: bigint | undefined, limit: number): readonly StoredEvent[] {
    const end = before === undefined ? Number.MAX_SAFE_INTEGER : Number(before);
    return this.#newest.all(end, limit).map(eventOf);
  }

  close(): void {
    this.#database.close();
  }

  #pageOf(categories: number): Statement<EventRow> {
    const prepared = this.#pages.get(categories) ?? prepareRows<EventRow>(this.#database, pageSql(categories));
    this.#pages.set(categories, prepared);
    return prepared;
  }
}

const eventOf = ([position, stream, revision, id, type, data, metadata]: EventRow): StoredEvent => ({
  id,
  type,
  data,
  metadata,
  stream,
  revision,
  position: BigInt(position),
});

const NEWEST_SQL = `
  SELECT events.position, streams.name, events.revision, events.id, events.type, events.data, events.metadata
  FROM events JOIN streams ON streams.id = events.stream
  WHERE events.position < ? ORDER BY events.position DESC LIMIT ?`;

const pageSql = (categories: number): string => `
  SELECT events.position, streams.name, events.revision, events.id, events.type, events.data, events.metadata
  FROM events JOIN streams ON streams.id = events.stream
  WHERE events.position > ? AND events.position <= ?
  ${categories === 0 ? '' : `AND streams.category IN (${Array.from({ length: categories }, () => '?').join(', ')})`}
  ORDER BY events.position LIMIT ?`;
