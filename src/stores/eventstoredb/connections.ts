// The connection that reads share: replaced once a call on it has failed, because a new one connects at once and finds
// a new leader.
import type { World } from '../../world.ts';
import { NodeConnection } from './connection.ts';

/** A connection is not replaced before this age, so that many that fail at once make one new connection, not many. */
const YOUNG_MS = 200;

export class Connections {
  readonly #url: string;
  readonly #world: World;
  readonly #retired = new Set<NodeConnection>();
  #current: NodeConnection;
  #madeAt: number;
  #suspect = false;
  #closed = false;

  /** Throws AppError WrongSettings. */
  constructor(url: string, world: World) {
    this.#url = url;
    this.#world = world;
    this.#current = new NodeConnection(url);
    this.#madeAt = world.monotonic();
  }

  get closed(): boolean {
    return this.#closed;
  }

  current(): NodeConnection {
    const now = this.#world.monotonic();
    if (this.#suspect && !this.#closed && now - this.#madeAt >= YOUNG_MS) {
      const next = this.#next();
      if (next !== undefined) {
        this.#retire(this.#current);
        this.#current = next;
        this.#madeAt = now;
        this.#suspect = false;
      }
    }
    return this.#current;
  }

  /** A call on it failed, or brought nothing in its time: the next calls are made on another. */
  suspect(connection: NodeConnection): void {
    if (connection === this.#current) this.#suspect = true;
  }

  /** Cancels all calls. */
  close(): void {
    this.#closed = true;
    this.#current.close();
    for (const connection of this.#retired) connection.close();
    this.#retired.clear();
  }

  /**
   * Undefined while a file of certificates is gone: it was there at the start, and until it is again the old connection
   * goes on.
   */
  #next(): NodeConnection | undefined {
    try {
      return new NodeConnection(this.#url);
    } catch {
      return undefined;
    }
  }

  /** Reads that others still have on it go on to their end. */
  #retire(connection: NodeConnection): void {
    this.#retired.add(connection);
    connection.retire(() => this.#retired.delete(connection));
  }
}
