// Reading the embedded log by whole streams, in the order of their first events: pages of a share of them, up to a position.
import type { StoredEvent } from '../event-store.ts';
import { type EventRow, eventOf } from './event-log.ts';
import { PageSize } from './event-page-size.ts';
import { type Database, prepareRows, type Statement } from './file/database.ts';

export interface SharePlan {
  readonly categories: readonly string[];
  /** The last position that is read. */
  readonly to: number;
}

/** Streams by the number under which the file keeps them. */
export interface Share {
  /** Exclusive. */
  readonly after: number;
  readonly upTo: number;
}

type Row = readonly [...event: EventRow, key: number];

export class StreamPages {
  readonly #plan: SharePlan;
  readonly #next: Statement<Row>;
  readonly #rest: Statement<Row>;
  readonly #size = new PageSize();

  constructor(database: Database, plan: SharePlan) {
    this.#plan = plan;
    const wanted = `streams.category IN (${plan.categories.map(() => '?').join(', ')}) AND events.position <= ?`;
    this.#next = prepareRows(database, `${SELECT} WHERE streams.id > ? AND streams.id <= ? AND ${wanted} ${ORDER}`);
    this.#rest = prepareRows(database, `${SELECT} WHERE streams.id = ? AND events.revision > ? AND ${wanted} ${ORDER}`);
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
      const events = rows.map(eventOf);
      this.#size.learn(events);
      const last = rows.at(-1);
      const isFull = rows.length === limit;
      const isLast = isWhole && !isFull;
      yield { events, isLast };
      if (isLast) return;
      if (last !== undefined) [, , revision, , , , , key] = last;
      isWhole = !isFull; // a full page may end inside a stream, whose rest is read first
    }
  }
}

// The order of the tables is fixed: a planner that begins at the events would sort the log.
const SELECT = `
  SELECT events.position, streams.name, events.revision, events.id, events.type, events.data, events.metadata, streams.id
  FROM streams CROSS JOIN events ON events.stream = streams.id`;
const ORDER = 'ORDER BY streams.id, events.revision LIMIT ?';
