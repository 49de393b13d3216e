// Reading the embedded log by whole streams, in the order of their first events: pages of a share of them, up to a
// position; and the size of the next page, so that neither time nor memory grows without bound.
import type { NewEvent, StoredEvent } from '../event-store.ts';
import { type Database, prepareRows, type Statement } from './file/database.ts';

/** A page of 1,000 ordinary events takes some 2 ms of the thread that answers requests. */
const MAX_EVENTS = 1_000;
const FIRST_EVENTS = 32;
/** Text of a page, in UTF-16 units, that the next limit aims at. */
const WANTED_UNITS = 4 * 1024 * 1024;

export class PageSize {
  #limit = FIRST_EVENTS;

  get limit(): number {
    return this.#limit;
  }

  /** Doubles at most with each full page, and shrinks at once when events are big. */
  learn(page: readonly StoredEvent[]): void {
    if (page.length === 0) return;
    const units = page.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    const fitting = Math.floor((WANTED_UNITS * page.length) / Math.max(units, 1));
    this.#limit = Math.max(1, Math.min(fitting, this.#limit * 2, MAX_EVENTS));
  }
}

export interface SharePlan {
  /** Empty: all. */
  readonly categories: readonly string[];
  /** The last position that is read. */
  readonly to: number;
  /** True: events get `isObject`. */
  readonly checksData?: true | undefined;
}

/** Streams by the number under which the file keeps them. */
interface Share {
  /** Exclusive. */
  readonly after: number;
  readonly upTo: number;
}

/**
 * An event as one text: cutting it takes less time than reading four values from SQLite, and the chain's hash is over
 * it. `stream`: its number; a stream's first event has the number, a blank and the name.
 */
type Row = readonly [position: number, revision: number, text: string, stream: number | string, isJson: number];
type Parts = readonly [id: string, type: string, data: string, metadata: string];

export class StreamPages {
  readonly #plan: SharePlan;
  readonly #next: Statement<Row>;
  readonly #rest: Statement<Row>;
  readonly #name: Statement<readonly [string]>;
  readonly #parts: Statement<Parts>;
  readonly #size = new PageSize();
  /** The stream of the last event. */
  #key = 0;
  #stream = '';

  constructor(database: Database, plan: SharePlan) {
    this.#plan = plan;
    const ofThem =
      plan.categories.length === 0 ? '' : `streams.category IN (${plan.categories.map(() => '?').join(', ')}) AND `;
    const wanted = `${ofThem}events.position <= ?`;
    const select = selectOf(plan);
    this.#next = prepareRows(database, `${select} WHERE streams.id > ? AND streams.id <= ? AND ${wanted} ${ORDER}`);
    this.#rest = prepareRows(database, `${select} WHERE streams.id = ? AND events.revision > ? AND ${wanted} ${ORDER}`);
    this.#name = prepareRows(database, 'SELECT name FROM streams WHERE id = ?');
    this.#parts = prepareRows(database, 'SELECT id, type, data, metadata FROM events WHERE position = ?');
  }

  /** The events of a share, page by page; the last page, which may be empty, says so. */
  *of({ after, upTo }: Share): Generator<{ readonly events: readonly StoredEvent[]; readonly isLast: boolean }> {
    const { categories, to } = this.#plan;
    let [key, revision] = [after, -1];
    let isWhole = true;
    for (;;) {
      const { limit } = this.#size;
      const statement: Statement<Row> = isWhole ? this.#next : this.#rest;
      const rows: readonly Row[] = statement.all(key, isWhole ? upTo : revision, ...categories, to, limit);
      const events = rows.map((row) => this.#eventOf(row));
      this.#size.learn(events);
      const last = rows.at(-1);
      const isFull = rows.length === limit;
      const isLast = isWhole && !isFull;
      yield { events, isLast };
      if (isLast) return;
      if (last !== undefined) [key, revision] = [this.#key, last[1]];
      isWhole = !isFull; // a full page may end inside a stream, whose rest is read first
    }
  }

  #eventOf([at, revision, text, of, isJson]: Row): StoredEvent {
    if (of !== this.#key) this.#enter(of);
    const stream = this.#stream;
    const position = BigInt(at);
    const type = text.indexOf('\n') + 1;
    const data = text.indexOf('\n', type) + 1;
    const metadata = text.indexOf('\n', data) + 1;
    if (text.includes('\n', metadata)) return { ...this.#whole(at), stream, revision, position };
    return {
      id: text.slice(0, type - 1),
      type: text.slice(type, data - 1),
      data: text.slice(data, metadata - 1),
      metadata: text.slice(metadata),
      stream,
      revision,
      position,
      text,
      isObject: isJson === 1 && text.charCodeAt(data) === BRACE && !text.includes('\0'), // where SQLite stops
    };
  }

  /** Where the stream has lost its first event its name is looked up. */
  #enter(of: number | string): void {
    const space = typeof of === 'string' ? of.indexOf(' ') : -1;
    this.#key = typeof of === 'string' ? Number(of.slice(0, space)) : of;
    this.#stream = typeof of === 'string' ? of.slice(space + 1) : (this.#name.get(of)?.[0] ?? '');
  }

  /** An event whose parts were altered: JSON as it is written here has no newline. */
  #whole(position: number): NewEvent {
    const [id = '', type = '', data = '', metadata = ''] = this.#parts.get(position) ?? [];
    return { id, type, data, metadata };
  }
}

const BRACE = '{'.charCodeAt(0);

// SQLite finds out whether a text is JSON in half the time of a parser, which makes all its values.
// The order of the tables is fixed: a planner that begins at the events would sort the log.
const selectOf = ({ checksData }: SharePlan): string => `
  SELECT events.position, events.revision,
    concat_ws(char(10), events.id, events.type, events.data, events.metadata),
    iif(events.revision, streams.id, streams.id || ' ' || streams.name),
    ${checksData === true ? 'json_valid(events.data)' : '0'}
  FROM streams CROSS JOIN events ON events.stream = streams.id`;
const ORDER = 'ORDER BY streams.id, events.revision LIMIT ?';
