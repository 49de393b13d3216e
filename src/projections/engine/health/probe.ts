// What requests need of the stores, tried every few seconds: a row of each live generation, and a write in each store.
// A node that nobody calls learns so that requests would fail, and that they no longer do.
import { Notice } from '../../../app-error.ts';
import { type Collection, NoSuchGeneration } from '../../../stores/read-models.ts';
import { newUuid } from '../../../world.ts';
import { copyOf } from '../generations/copy.ts';
import { Reach } from '../reach.ts';
import type { ReadinessParts } from './readiness.ts';

/** Looks at the catalog from one try to the next, 5 s; while a try fails, the next one comes with the next look. */
const POLLS = 5;

/** Written again and again, so that a store that accepts no writes is found. */
export const probes: Collection<object, never> = { name: 'probes', version: 1, keys: {}, indexes: [] };
const PROBE = 'probe';

/** A stream that does not exist: an append after its first event is a conflict in a store that accepts writes. */
export const PROBED_STREAM = 'probe-0';

export type ProbeParts = Pick<
  ReadinessParts,
  'events' | 'store' | 'world' | 'timings' | 'report' | 'catalog' | 'projections'
> & {
  /** Whether the event store answers at all: asked after a failed append, and reported there. */
  readonly head: Reach;
};

export class Probe {
  readonly #parts: ProbeParts;
  readonly #appends: Reach;
  readonly #documents: Reach;

  constructor(parts: ProbeParts) {
    const { world, timings, catalog, head, report } = parts;
    this.#parts = parts;
    const { answerMs } = timings;
    this.#appends = new Reach({
      store: 'writes to the event store',
      world,
      answerMs,
      report: unless(() => head.unavailableMs !== undefined, report),
    });
    this.#documents = new Reach({
      store: 'the read models',
      world,
      answerMs,
      report: unless(() => catalog.unavailableMs !== undefined, report),
    });
  }

  /** Why appends fail, for people; undefined if they do not, or have for less than `staleMs`. */
  get appends(): string | undefined {
    return this.#reason(this.#appends);
  }

  /** Why documents cannot be read or written, as `appends`. */
  get documents(): string | undefined {
    return this.#reason(this.#documents);
  }

  /** As of the last try. */
  get last(): { readonly events: boolean; readonly read_models: boolean } {
    return {
      events: this.#appends.unavailableMs === undefined,
      read_models: this.#documents.unavailableMs === undefined,
    };
  }

  /** Until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { events, head, catalog, world, timings } = this.#parts;
    while (!signal.aborted) {
      // A store that does not answer at all is reported by those who ask it more often.
      const tried = await Promise.allSettled([
        this.#appends.ask(() =>
          this.#append().catch((fault) => head.ask(() => events.head()).then(() => fails(fault))),
        ),
        this.#documents.ask(() => this.#touch().catch((fault) => catalog.reread().then(() => fails(fault)))),
      ]);
      const isFine = tried.every(({ status }) => status === 'fulfilled');
      await world.sleep((isFine ? POLLS : 1) * timings.pollMs, signal).catch(() => undefined);
    }
  }

  /** One try without a deadline; resolves to the faults that requests would meet. */
  async once(): Promise<readonly unknown[]> {
    const tried = await Promise.allSettled([this.#append(), this.#touch()]);
    return tried.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  }

  #reason(reach: Reach): string | undefined {
    return (reach.unavailableMs ?? 0) < this.#parts.timings.staleMs ? undefined : reach.reason;
  }

  async #append(): Promise<void> {
    const { events, world } = this.#parts;
    await events.append(PROBED_STREAM, 0, [{ id: newUuid(world), type: 'Probe', data: '{}', metadata: '{}' }]);
  }

  async #touch(): Promise<void> {
    const { store, catalog, projections } = this.#parts;
    const read = projections.map(({ name, open }) =>
      open(async (of) => {
        const { own } = catalog.standing(name);
        if (own !== undefined) await store.get(copyOf(of, own), [PROBE]).catch(unlessGone);
      }),
    );
    await Promise.all(read);
    const [row] = await store.get(probes, [PROBE]);
    await store.write(probes, [{ id: PROBE, revision: (row?.revision ?? -1) + 1, doc: {} }]);
  }
}

/** It retired after the catalog was read; a generation whose file is lost is given up elsewhere. */
function unlessGone(fault: unknown): void {
  if (!(fault instanceof NoSuchGeneration)) throw fault;
}

function fails(fault: unknown): never {
  throw fault;
}

/** Reports nothing about an outage that began while `isTold`. */
function unless(isTold: () => boolean, report: (fault: unknown) => void): (fault: unknown) => void {
  let isReported = false;
  return (told) => {
    const isOver = told instanceof Notice;
    if (isOver ? isReported : !isTold()) report(told);
    isReported = !isOver && !isTold();
  };
}
