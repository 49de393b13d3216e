// Rebuilds that users start: each runs in the process that was asked, under the engine's own claim, and every process
// can show it.
import pLimit from 'p-limit';
import { AppError } from '../../app-error.ts';
import type { Collection, ReadModels } from '../../stores/read-models.ts';
import { Alarm, aborted, type World } from '../../world.ts';
import type { Projections } from '../engine/engine.ts';
import type { RebuildProgress, RebuildResult } from '../engine/rebuild/result.ts';

/** How a rebuild stands, or how the last one of its read model ended. Kept as a document: its user may ask any node. */
interface RebuildRecord {
  readonly state: 'running' | 'done' | 'failed';
  readonly dryRun: boolean;
  readonly by: RebuildOwner;
  /** The process that runs it, as people know it. */
  readonly node: string;
  /** ms */
  readonly startedAt: number;
  readonly elapsedMs: number;
  /** claiming: it waits for the right to build, or for another rebuild of its process. */
  readonly step: 'claiming' | RebuildProgress['step'];
  /** Events read. */
  readonly events: number;
  /** The part of the log that was read, 0 to 1. */
  readonly share: number;
  /** When it is done. */
  readonly result?: RebuildResult;
  /** When it failed: why, for people. The live read model is as it was. */
  readonly fault?: string;
}

interface RebuildOwner {
  readonly accountId: string;
  readonly userId: string;
}

/** `lost`: its process gave no sign of life for long; it left nothing. */
export interface RebuildView extends Omit<RebuildRecord, 'state'> {
  readonly state: RebuildRecord['state'] | 'lost';
}

/** One document a read model. */
const rebuilds: Collection<RebuildRecord, never> = { name: 'rebuilds', version: 1, keys: {}, indexes: [] };

const WRITE_EVERY_MS = 400;
/**
 * How often the documents of other processes' rebuilds are looked at for those who watch: while none runs, and while
 * one does.
 */
const CALM_MS = 2_000;
const BUSY_MS = WRITE_EVERY_MS;
/** A running rebuild whose document is unchanged for so long no longer has a process. */
const LOST_MS = 10_000;

interface RebuildsParts {
  readonly projections: Pick<Projections, 'names' | 'rebuild' | 'isBeingBuilt'>;
  readonly readModels: Pick<ReadModels, 'get' | 'write'>;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  /** How people know this process. */
  readonly node: string;
}

/**
 * `running`: another one is under way; its document where a user started it, undefined if the command line or a new
 * version did.
 */
type RebuildStart =
  | { readonly kind: 'started' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'running'; readonly view: RebuildView | undefined };

interface Kept {
  readonly revision: number;
  readonly doc: RebuildRecord;
}

export class Rebuilds {
  readonly #parts: RebuildsParts;
  readonly #stopping = new AbortController();
  /** Rung at a start, so that those who watch hear of it at once. */
  readonly #started = new Alarm();
  readonly #jobs = new Set<Promise<void>>();
  /**
   * One rebuild at a time in a process: two would take twice as much from its requests. Each read model has at most one
   * that waits.
   */
  readonly #turn = pLimit(1);
  /** The newest of this process's own. */
  readonly #own = new Map<string, Kept>();
  /** When the document of each was seen to change, of World.monotonic. */
  readonly #seen = new Map<string, { readonly revision: number; readonly since: number }>();

  constructor(parts: RebuildsParts) {
    this.#parts = parts;
  }

  /** Until the signal aborts; then every rebuild of this process is given up, and leaves nothing. */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    this.#stopping.abort(new AppError('Stopped', 'The process that ran it was stopped.'));
    await Promise.allSettled(this.#jobs);
  }

  /**
   * Starts a rebuild, which goes on after its caller has left. One at a time for each read model, whichever process
   * runs it. `onRecord` puts the request on record, before anything is done; where it rejects, nothing is.
   */
  async start(name: string, dryRun: boolean, by: RebuildOwner, onRecord: () => Promise<void>): Promise<RebuildStart> {
    const { projections, readModels, world, node } = this.#parts;
    if (!projections.names.includes(name)) return { kind: 'unknown' };
    const kept = await this.#kept(name);
    const view = kept === undefined ? undefined : this.#viewOf(name, kept);
    if (view?.state === 'running') return { kind: 'running', view };
    if (await projections.isBeingBuilt(name)) return { kind: 'running', view: undefined };
    await onRecord();
    const doc: RebuildRecord = {
      state: 'running',
      dryRun,
      by,
      node,
      startedAt: world.now(),
      elapsedMs: 0,
      step: 'claiming',
      events: 0,
      share: 0,
    };
    const revision = (kept?.revision ?? -1) + 1;
    // The document is the claim among users, and the engine's own the one that counts.
    if ((await readModels.write(rebuilds, [{ id: name, revision, doc }])).length === 0) {
      const theirs = await this.#kept(name);
      return { kind: 'running', view: theirs === undefined ? undefined : this.#viewOf(name, theirs) };
    }
    this.#own.set(name, { revision, doc });
    const job = this.#work(name, { revision, doc }).finally(() => this.#jobs.delete(job));
    this.#jobs.add(job);
    this.#started.ring();
    return { kind: 'started' };
  }

  /** The rebuild under way or the last one of each read model that has had one. */
  async views(names: readonly string[] = this.#parts.projections.names): Promise<ReadonlyMap<string, RebuildView>> {
    const rows = await this.#parts.readModels.get(rebuilds, names);
    const known = new Map<string, Kept>(rows.map(({ id, revision, doc }) => [id, { revision, doc }]));
    const newest = names.flatMap((name) => {
      const kept = newer(known.get(name), this.#own.get(name));
      return kept === undefined ? [] : [[name, this.#viewOf(name, kept)] as const];
    });
    return new Map(newest);
  }

  /**
   * Each rebuild that users started, in any process, as it stands and whenever it moves, until the signal aborts. Never
   * rejects.
   */
  async *changes(signal: AbortSignal): AsyncIterable<readonly [name: string, view: RebuildView]> {
    const told = new Map<string, string>();
    while (!signal.aborted) {
      const { rung } = this.#started;
      // other code reports an unavailable store
      const views = await this.views().catch(() => new Map<string, RebuildView>());
      for (const [name, view] of views) {
        const { state, startedAt, step, events, elapsedMs } = view;
        const now = [state, startedAt, step, events, elapsedMs].join(' ');
        if (told.get(name) === now || signal.aborted) continue;
        told.set(name, now);
        yield [name, view];
      }
      const isBusy = [...views.values()].some(({ state }) => state === 'running');
      await this.#started.sleep(this.#parts.world, isBusy ? BUSY_MS : CALM_MS, signal, rung);
    }
  }

  async #work(name: string, first: Kept): Promise<void> {
    const { projections, world, report } = this.#parts;
    const began = world.monotonic();
    const over = new AbortController();
    let now = first;
    let doc = first.doc;
    const write = async (): Promise<void> => {
      now = { revision: now.revision + 1, doc: { ...doc, elapsedMs: Math.round(world.monotonic() - began) } };
      this.#own.set(name, now);
      // this process still has it in memory
      await this.#parts.readModels.write(rebuilds, [{ id: name, ...now }]).catch(() => undefined);
    };
    const writing = this.#everyMoment(write, over.signal);
    const onProgress = ({ step, events, position, head }: RebuildProgress): void => {
      const share = head < 0n ? 1 : Math.min(1, Number(position + 1n) / Number(head + 1n));
      doc = { ...doc, step, events, share };
    };
    try {
      const { signal } = this.#stopping;
      const rebuild = () => projections.rebuild(name, { dryRun: doc.dryRun, onProgress, signal });
      const result = await this.#turn(rebuild);
      doc = { ...doc, state: 'done', share: 1, events: result.events, result };
    } catch (fault) {
      if (!(fault instanceof AppError)) report(fault);
      doc = {
        ...doc,
        state: 'failed',
        fault: fault instanceof AppError ? fault.message : 'The service failed; its log says why.',
      };
    }
    over.abort();
    await writing;
    await write();
  }

  async #everyMoment(write: () => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#parts.world.sleep(WRITE_EVERY_MS, signal).catch(() => undefined);
      if (!signal.aborted) await write();
    }
  }

  async #kept(name: string): Promise<Kept | undefined> {
    const [row] = await this.#parts.readModels.get(rebuilds, [name]);
    return newer(row, this.#own.get(name));
  }

  #viewOf(name: string, { revision, doc }: Kept): RebuildView {
    const { world } = this.#parts;
    if (doc.state !== 'running' || this.#own.get(name)?.revision === revision) return doc;
    const seen = this.#seen.get(name);
    if (seen?.revision !== revision) this.#seen.set(name, { revision, since: world.monotonic() });
    else if (world.monotonic() - seen.since >= LOST_MS) return { ...doc, state: 'lost' };
    return doc;
  }
}

const newer = (one: Kept | undefined, other: Kept | undefined): Kept | undefined =>
  other !== undefined && other.revision >= (one?.revision ?? -1) ? other : one;
