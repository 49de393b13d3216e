// Writes events, on the writer's thread: of each stream at the expected revision, at the next positions, or none at
// all.
import { categoryOf } from '../stream-name.ts';
import { type AppendReply, CONFLICT, isAppendRequest, REPEATED } from './append-protocol.ts';
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

class AppendHandler implements Handler {
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
    if (!isAppendRequest(request)) throw new TypeError('not a request to append');
    if (request.length === 0) return this.#writeNothing();
    const heads = request.map(([name]) => this.#headOf(name));
    if (request.every(([, after], place) => (heads[place]?.revision ?? -1) === after)) {
      const positions = request.map(([name, , ...fields], place) => this.#write(name, heads[place], fields));
      return positions[0] ?? CONFLICT;
    }
    const isThere = request.every(([, after, ...fields], place) => this.#holds(heads[place], after, fields));
    return isThere ? REPEATED : CONFLICT;
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
  #holds(head: Head | undefined, after: number, fields: readonly string[]): boolean {
    if (head === undefined || head.revision <= after) return false;
    for (let at = 0; at < fields.length; at += 4) {
      if (this.#statements.idAt.get(head.stream, after + 1 + at / 4)?.[0] !== fields[at]) return false;
    }
    return true;
  }

  #write(name: string, head: Head | undefined, fields: readonly string[]): number {
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
    for (let at = 0; at < fields.length; at += 4, position += 1) {
      const [id = '', type = '', data = '', metadata = ''] = fields.slice(at, at + 4);
      revision += 1;
      addEvent.run(position, stream, revision, id, type, data, metadata);
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
