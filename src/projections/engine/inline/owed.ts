// Documents of answered requests that the read models did not take in time: written again until they are there.
import type { World } from '../../../world.ts';

/** More are left to the follower alone. */
const REMEMBERED = 1_000;
const AT_ONCE = 50;

interface Debt {
  readonly revision: number;
  readonly again: () => Promise<void>;
}

/**
 * The follower repairs the same documents; but it may run on another node, and this one told its callers that they are
 * written: it is not ready before they can be read.
 */
export class Owed {
  readonly #world: World;
  readonly #debts = new Map<string, Debt>();
  #since = 0;

  constructor(world: World) {
    this.#world = world;
  }

  get count(): number {
    return this.#debts.size;
  }

  /** For how long some have been waiting, ms. */
  get waitedMs(): number {
    return this.#debts.size === 0 ? 0 : this.#world.monotonic() - this.#since;
  }

  /** `again` writes the document again; it calls `paid` when the document is written. */
  owe(document: string, revision: number, again: () => Promise<void>): void {
    const before = this.#debts.get(document);
    if (before === undefined ? this.#debts.size >= REMEMBERED : before.revision >= revision) return;
    if (this.#debts.size === 0) this.#since = this.#world.monotonic();
    this.#debts.set(document, { revision, again });
  }

  /** The document is there, up to this revision. */
  paid(document: string, revision: number): void {
    const debt = this.#debts.get(document);
    if (debt !== undefined && debt.revision <= revision) this.#debts.delete(document);
  }

  /** Writes the waiting documents again, every `everyMs`, until the signal aborts. */
  async run(everyMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#world.sleep(everyMs, signal).catch(() => undefined);
      const debts = [...this.#debts.values()];
      for (let from = 0; from < debts.length; from += AT_ONCE) {
        const tried = await Promise.allSettled(debts.slice(from, from + AT_ONCE).map(({ again }) => again()));
        if (tried.every(({ status }) => status === 'rejected')) break;
      }
    }
  }
}
