// Writes events, on the writer's thread: of each stream at the expected revision, at the next positions, or none at
// all.
import type { Append, NewEvent } from '../event-store.ts';
import { categoryOf } from '../stream-name.ts';
import { type AppendReply, CONFLICT, decodeAppends, REPEATED } from './append-protocol.ts';
import { STREAM_NAMED, VERSION } from './event-schema.ts';
import { type Database, prepareRows } from './file/database.ts';
import type { Handler, OpenHandler } from './file/handler.ts';

interface Head {
  readonly stream: number;
  readonly revision: number;
}

/** How many streams' heads are remembered between transactions; then all are forgotten and read again. */
const REMEMBERED_HEADS = 20_000;

const statements = (database: Database) => ({
  last: prepareRows<readonly [position: number | null, stream: number | null]>(
    database,
    'SELECT (SELECT max(position) FROM events), (SELECT max(id) FROM streams)',
  ),
  head: prepareRows<readonly [stream: number, revision: number]>(
    database,
    `SELECT id, (SELECT max(revision) FROM events WHERE stream = streams.id) FROM streams WHERE ${STREAM_NAMED}`,
  ),
  idAt: prepareRows<readonly [id: string]>(database, 'SELECT id FROM events WHERE stream = ? AND revision = ?'),
  addStream: database.prepare('INSERT INTO streams (id, name, category) VALUES (?, ?, ?)'),
  addEvent: database.prepare(
    'INSERT INTO events (position, stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ),
});

export class AppendHandler implements Handler {
  readonly #database: Database;
  readonly #statements: ReturnType<typeof statements>;
  readonly #heads = new Map<string, Head>();
  /** The last that were given out; undefined after another process wrote. */
  #last: { readonly position: number; readonly stream: number } | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = statements(database);
  }

  forget(): void {
    this.#heads.clear();
    this.#last = undefined;
  }

  handle(request: unknown): AppendReply {
    return this.append(decodeAppends(request));
  }

  append(appends: readonly Append[]): AppendReply {
    if (appends.length === 0) return this.#writeNothing();
    const heads = appends.map(({ stream }) => this.#headOf(stream));
    if (appends.every(({ after }, place) => (heads[place]?.revision ?? -1) === after)) {
      const positions = appends.map(({ stream, events }, place) => this.#write(stream, heads[place], events));
      return positions[0] ?? CONFLICT;
    }
    return appends.every((one, place) => this.#holds(heads[place], one)) ? REPEATED : CONFLICT;
  }

  /** The first page goes to the disk again, as it is. */
  #writeNothing(): AppendReply {
    this.#database.exec(`PRAGMA user_version = ${VERSION}`);
    return REPEATED;
  }

  #headOf(name: string): Head | undefined {
    const remembered = this.#heads.get(name);
    if (remembered !== undefined) return remembered;
    const [stream, revision] = this.#statements.head.get(name) ?? [];
    return stream === undefined || revision === undefined ? undefined : { stream, revision };
  }

  /** True if exactly these ids are in the stream already, after `after`. */
  #holds(head: Head | undefined, { after, events }: Append): boolean {
    if (head === undefined || head.revision <= after) return false;
    return events.every(({ id }, place) => this.#statements.idAt.get(head.stream, after + 1 + place)?.[0] === id);
  }

  #write(name: string, head: Head | undefined, events: readonly NewEvent[]): number {
    const { addEvent, addStream, last } = this.#statements;
    if (this.#last === undefined) {
      const [position, stream] = last.get() ?? [];
      this.#last = { position: position ?? -1, stream: stream ?? 0 };
    }
    const stream = head?.stream ?? this.#last.stream + 1;
    if (head === undefined) addStream.run(stream, name, categoryOf(name));
    const first = this.#last.position + 1;
    let revision = head?.revision ?? -1;
    let position = first;
    for (const { id, type, data, metadata } of events) {
      revision += 1;
      addEvent.run(position, stream, revision, id, type, data, metadata);
      position += 1;
    }
    this.#last = { position: position - 1, stream: Math.max(this.#last.stream, stream) };
    this.#remember(name, { stream, revision });
    return first;
  }

  #remember(name: string, head: Head): void {
    if (this.#heads.size >= REMEMBERED_HEADS) this.#heads.clear();
    this.#heads.set(name, head);
  }
}

export const openHandler: OpenHandler = (database) => new AppendHandler(database);
