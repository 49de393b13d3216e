// The last use of each sign-in session: not a projection, because reads are not events; kept with the read models.
import type { SessionPlace } from '../../domain/user/state.ts';
import type { Collection, ReadModels } from '../../stores/read-models.ts';
import type { World } from '../../world.ts';

interface SessionUse {
  readonly sessionId: string;
  /** ms, to the minute. */
  readonly lastUsedAt: number;
}

/** A user's sessions take places of their own, which later sessions take over: so it stays small. */
const sessionUses: Collection<SessionUse, never> = { name: 'session-uses', version: 1, keys: {}, indexes: [] };

const MINUTE_MS = 60_000;
const WRITE_EVERY_MS = 5_000;
const idOf = ({ userId, place }: SessionPlace): string => `${userId}.${place}`;

/**
 * Remembers uses on the request's path, and writes them off it: a session's at most once a minute. Several nodes share
 * what is written.
 */
export class SessionUses {
  readonly #readModels: Pick<ReadModels, 'get' | 'write'>;
  /** By session. */
  readonly #uses = new Map<string, { readonly of: SessionPlace; readonly at: number }>();
  readonly #written = new Map<string, number>();

  constructor(readModels: Pick<ReadModels, 'get' | 'write'>) {
    this.#readModels = readModels;
  }

  /** Cheap: called for every request. `at` in ms. */
  used(of: SessionPlace, at: number): void {
    this.#uses.set(of.sessionId, { of, at });
  }

  /** When this process saw it last, ms. */
  seen({ sessionId }: SessionPlace): number | undefined {
    return this.#uses.get(sessionId)?.at;
  }

  /** When these were used last in any process, ms, to the minute; those without a use on record are left out. */
  async lastUses(sessions: readonly SessionPlace[]): Promise<ReadonlyMap<string, number>> {
    const rows = sessions.length === 0 ? [] : await this.#readModels.get(sessionUses, sessions.map(idOf));
    const uses = new Map(rows.map(({ doc }) => [doc.sessionId, doc.lastUsedAt]));
    for (const one of sessions) {
      const seenAt = this.seen(one);
      // Another process may have seen it later.
      if (seenAt !== undefined) uses.set(one.sessionId, Math.max(seenAt, uses.get(one.sessionId) ?? 0));
    }
    return uses;
  }

  /** Writes new uses, and forgets sessions that were not used for an hour. */
  async write(now: number): Promise<void> {
    const rows = [];
    for (const [sessionId, { of, at }] of this.#uses) {
      const minute = Math.floor(at / MINUTE_MS);
      if (this.#written.get(sessionId) !== minute) {
        this.#written.set(sessionId, minute);
        rows.push({ id: idOf(of), revision: minute, doc: { sessionId, lastUsedAt: minute * MINUTE_MS } });
      }
      if (now - at > 60 * MINUTE_MS) {
        this.#uses.delete(sessionId);
        this.#written.delete(sessionId);
      }
    }
    if (rows.length > 0) await this.#readModels.write<SessionUse, never>(sessionUses, rows);
  }

  /** Writes every few seconds until the signal aborts; an unavailable store loses nothing but a last-used time. */
  async run(
    world: World,
    machineTime: () => number,
    report: (fault: unknown) => void,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await world.sleep(WRITE_EVERY_MS, signal).catch(() => undefined);
      await this.write(machineTime()).catch(report);
    }
  }
}
