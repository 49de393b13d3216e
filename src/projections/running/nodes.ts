// The processes that work on this store: each gives a sign of life in one document, and takes out those that have been
// silent.
import type { Collection, ReadModels } from '../../stores/read-models.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { newId, type World } from '../../world.ts';

interface NodeDoc {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Raised with every sign of life: clocks of nodes are never compared. */
  readonly beat: number;
  /** How long it had been running at the last sign, ms. */
  readonly upMs: number;
  /** It follows the log and does due work for all. */
  readonly leading: boolean;
}

/** Not a projection: a process writes its own entry. Bounded, because silent processes leave it. */
const nodes: Collection<{ readonly nodes: readonly NodeDoc[] }, never> = {
  name: 'nodes',
  version: 1,
  keys: {},
  indexes: [],
};
const ID = 'all';

interface NodeView extends Pick<NodeDoc, 'id' | 'name' | 'version' | 'leading' | 'upMs'> {
  /** Since its last sign of life was seen here, ms. */
  readonly silentMs: number;
  /** The process that answers. */
  readonly isThis: boolean;
}

interface NodesParts {
  readonly readModels: Pick<ReadModels, 'get' | 'write'>;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  /** How people know this process, and its version of the service. */
  readonly self: { readonly name: string; readonly version: string };
  readonly isLeading: () => boolean;
}

/** How often a process gives a sign of life. */
const BEAT_EVERY_MS = 3_000;
/** A process that gave none for so long is taken out. */
const GONE_MS = 60_000;
const MOST = 200;
/** Tries of a sign that others' signs overtake; the next sign is a few seconds away. */
const TRIES = 5;

export class Nodes {
  readonly #parts: NodesParts;
  readonly #id: string;
  readonly #startedAt: number;
  /** When the beat of each process was seen to change, of this process's World.monotonic. */
  readonly #seen = new Map<string, { readonly beat: number; readonly since: number }>();
  #beat = 0;

  constructor(parts: NodesParts) {
    this.#parts = parts;
    this.#id = newId(parts.world, 'node');
    this.#startedAt = parts.world.monotonic();
  }

  /** Gives signs of life until the signal aborts, then takes itself out. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, report } = this.#parts;
    while (!signal.aborted) {
      await this.#sign((others) => [this.#self(), ...others]).catch((fault: unknown) => {
        if (!(fault instanceof StoreUnavailable)) report(fault); // other code reports an unavailable store
      });
      await world.sleep(BEAT_EVERY_MS, signal).catch(() => undefined);
    }
    await this.#sign((others) => others).catch(() => undefined); // the others will notice the silence
  }

  /** The processes that are known to be alive or were until a moment ago, this one first. */
  async list(): Promise<readonly NodeView[]> {
    const { doc } = await this.#look();
    const others = this.#living(doc).filter(({ id }) => id !== this.#id);
    return [
      { ...viewOf(this.#self()), silentMs: 0, isThis: true },
      ...others.map((one) => ({ ...viewOf(one), silentMs: this.#silentMs(one), isThis: false })),
    ];
  }

  #self(): NodeDoc {
    const { world, self, isLeading } = this.#parts;
    const upMs = Math.round(world.monotonic() - this.#startedAt);
    return { id: this.#id, ...self, beat: this.#beat, upMs, leading: isLeading() };
  }

  async #sign(change: (others: readonly NodeDoc[]) => readonly NodeDoc[]): Promise<void> {
    this.#beat += 1;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { revision, doc } = await this.#look();
      const others = this.#living(doc).filter(({ id }) => id !== this.#id);
      const next = { nodes: change(others).slice(0, MOST) };
      const written = await this.#parts.readModels.write(nodes, [{ id: ID, revision: revision + 1, doc: next }]);
      if (written.length > 0) return;
    }
  }

  async #look(): Promise<{ readonly revision: number; readonly doc: readonly NodeDoc[] }> {
    const { readModels, world } = this.#parts;
    const [row] = await readModels.get(nodes, [ID]);
    const doc = row?.doc.nodes ?? [];
    for (const { id, beat } of doc) {
      if (this.#seen.get(id)?.beat !== beat) this.#seen.set(id, { beat, since: world.monotonic() });
    }
    const named = new Set(doc.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!named.has(id)) this.#seen.delete(id);
    return { revision: row?.revision ?? -1, doc };
  }

  #living(all: readonly NodeDoc[]): readonly NodeDoc[] {
    return all.filter((one) => this.#silentMs(one) < GONE_MS);
  }

  #silentMs({ id }: NodeDoc): number {
    const { world } = this.#parts;
    return Math.round(world.monotonic() - (this.#seen.get(id)?.since ?? world.monotonic()));
  }
}

const viewOf = ({
  id,
  name,
  version,
  leading,
  upMs,
}: NodeDoc): Pick<NodeDoc, 'id' | 'name' | 'version' | 'leading' | 'upMs'> => ({
  id,
  name,
  version,
  leading,
  upMs,
});
