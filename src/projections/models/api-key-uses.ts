// The last use of each API key: not a projection, because reads are not events; kept with the read models.
import type { Collection, ReadModels } from '../../stores/read-models.ts';
import type { World } from '../../world.ts';

interface ApiKeyUse {
  /** ms, to the minute. */
  readonly lastUsedAt: number;
}

const apiKeyUses: Collection<ApiKeyUse, never> = { name: 'api-key-uses', version: 1, keys: {}, indexes: [] };

/** When these keys were used last, ms, to the minute; those that never were are left out. */
export async function lastUses(
  readModels: Pick<ReadModels, 'get'>,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = keyIds.length === 0 ? [] : await readModels.get(apiKeyUses, keyIds);
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.id, row.doc.lastUsedAt] as const])));
}

/** A key's use is written at most this often (contract §2). */
const MINUTE_MS = 60_000;

/** Remembers uses on the request's path, and writes them off it. */
export class ApiKeyUses {
  readonly #readModels: ReadModels;
  readonly #uses = new Map<string, number>();
  readonly #written = new Map<string, number>();

  constructor(readModels: ReadModels) {
    this.#readModels = readModels;
  }

  /** Cheap: called for every request. `at` in ms. */
  used(keyId: string, at: number): void {
    this.#uses.set(keyId, at);
  }

  /** Writes new uses, a key at most once a minute. */
  async write(): Promise<void> {
    const rows = [];
    for (const [id, at] of this.#uses) {
      const minute = Math.floor(at / MINUTE_MS);
      if (this.#written.get(id) === minute) continue;
      this.#written.set(id, minute);
      rows.push({ id, revision: minute, doc: { lastUsedAt: minute * MINUTE_MS } });
    }
    this.#uses.clear();
    if (rows.length > 0) await this.#readModels.write<ApiKeyUse, never>(apiKeyUses, rows);
  }

  /** Writes every few seconds until the signal aborts; an unavailable store loses nothing but a last-used time. */
  async run(world: World, report: (fault: unknown) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await world.sleep(WRITE_EVERY_MS, signal).catch(() => undefined);
      await this.write().catch(report);
    }
  }
}

const WRITE_EVERY_MS = 5_000;
