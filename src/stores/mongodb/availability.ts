// Whether MongoDB answers: what hangs is given up in time, and after a failure nothing is asked until a probe was answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { Notice } from '../../app-error.ts';
import type { World } from '../../world.ts';
import type { StoreMeters } from '../store-meters.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { isAway, isOutcomeUnknown, Late, reasonOf, unavailable } from './faults.ts';

export interface AvailabilityParts {
  /** The store without its credentials, for messages. */
  readonly where: string;
  /** Resolves when the store can be read and written; rejects, or does not answer. */
  readonly probe: () => Promise<unknown>;
  readonly timings: { readonly readMs: number; readonly writeMs: number };
  readonly world: World;
  readonly report: (fault: unknown) => void;
  readonly meters: StoreMeters;
}

/** Between a probe that failed and the next one. */
const PROBE_PAUSE_MS = 200;
/** What comes just after a failure waits so long for the first probe: most failures are one connection's. */
const PATIENCE_MS = 500;

interface Absence {
  readonly why: string;
  /** Of World.monotonic. */
  readonly since: number;
  readonly isOver: Promise<void>;
}

/** All methods reject with StoreUnavailable, at once while the store is known to be away. What was given up may still take effect. */
export class Availability {
  readonly #parts: AvailabilityParts;
  #absence: Absence | undefined;
  #isClosed = false;

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
    parts.meters.available(true);
  }

  /** Asks, and asks once more where the store was away for a moment only; `readMs` for both. */
  read<T>(work: () => Promise<T>): Promise<T> {
    return this.#twice(this.#parts.timings.readMs, work);
  }

  /** The same for what may take as long as a collection is large, and may be done twice; a server that has gone silent ends it. */
  patiently<T>(work: () => Promise<T>): Promise<T> {
    return this.#twice(undefined, work);
  }

  /** Nothing is sent twice but what the driver can repeat as the same write: the answer says whether this one took effect. */
  async write<T>(work: () => Promise<T>, ms: number = this.#parts.timings.writeMs): Promise<T> {
    try {
      return await this.#run(ms, work);
    } catch (fault) {
      if (fault instanceof StoreUnavailable && isOutcomeUnknown(fault.cause)) this.#parts.meters.outcomeUnknown();
      throw fault;
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #twice<T>(ms: number | undefined, work: () => Promise<T>): Promise<T> {
    const { world, meters } = this.#parts;
    const until = world.monotonic() + (ms ?? Number.POSITIVE_INFINITY);
    try {
      return await this.#run(ms, work);
    } catch (fault) {
      const absence = this.#absence;
      const left = until - world.monotonic();
      if (absence === undefined || left <= 0) throw fault;
      await inTime(Math.min(left, PATIENCE_MS), absence.isOver).catch(() => undefined);
      if (this.#absence !== undefined) throw fault;
      meters.retried();
      return await this.#run(ms === undefined ? undefined : until - world.monotonic(), work);
    }
  }

  async #run<T>(ms: number | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#absence !== undefined) await this.#waitFor(this.#absence);
    try {
      return await (ms === undefined ? work() : inTime(ms, work()));
    } catch (fault) {
      if (isAway(fault)) this.#noteAbsence(reasonOf(fault));
      throw unavailable(this.#parts.where, fault);
    }
  }

  async #waitFor({ why, since, isOver }: Absence): Promise<void> {
    const patience = since + PATIENCE_MS - this.#parts.world.monotonic();
    if (patience > 0) await inTime(patience, isOver).catch(() => undefined);
    if (this.#absence !== undefined) throw new StoreUnavailable(`MongoDB at ${this.#parts.where} is away: ${why}`);
  }

  #noteAbsence(why: string): void {
    if (this.#absence !== undefined || this.#isClosed) return;
    const { world, meters } = this.#parts;
    const absence = { why, since: world.monotonic(), isOver: this.#untilItAnswers() };
    this.#absence = absence;
    meters.available(false);
    void absence.isOver.then(() => {
      if (this.#isClosed) return;
      this.#absence = undefined;
      meters.available(true);
    });
    void this.#tell(absence);
  }

  /** Not of a connection that was made anew at once. */
  async #tell({ why, since, isOver }: Absence): Promise<void> {
    const { where, world, report } = this.#parts;
    const isBrief = await inTime(PATIENCE_MS, isOver).then(
      () => true,
      () => false,
    );
    if (isBrief) return;
    report(new Notice(`MongoDB at ${where} is away: ${why}`));
    await isOver;
    if (!this.#isClosed) report(new Notice(`MongoDB at ${where} is back after ${Math.round(world.monotonic() - since)} ms`));
  }

  /** One probe at a time, however long it takes: a store that was frozen answers it as soon as it goes on. */
  async #untilItAnswers(): Promise<void> {
    while (!this.#isClosed) {
      const isAnswered = await this.#parts.probe().then(
        () => true,
        () => false,
      );
      if (isAnswered) return;
      await sleep(PROBE_PAUSE_MS, undefined, { ref: false });
    }
  }
}

/** Rejects with Late when the work has not ended in `ms`; the work itself goes on, and how it ends is nobody's concern. */
function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Late(ms)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
