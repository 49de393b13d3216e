// Whether MongoDB answers: what hangs is given up in time, and after a failure nothing is asked until a probe was
// answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoNetworkError } from 'mongodb';
import { Notice } from '../../app-error.ts';
import type { World } from '../../world.ts';
import type { StoreMeters } from '../store-meters.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import {
  isClosedConnection,
  isOutcomeUnknown,
  isPoolInUse,
  isSilence,
  isUnavailable,
  Late,
  reasonOf,
  unavailable,
} from './faults.ts';

interface AvailabilityParts {
  /** The store without its credentials, for messages. */
  readonly where: string;
  /** Resolves when the store can be read and written; rejects, or does not answer until the signal aborts. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  readonly timings: { readonly readMs: number; readonly writeMs: number };
  readonly world: World;
  readonly report: (fault: unknown) => void;
  readonly meters: StoreMeters;
}

/** Between a probe that failed and the next one. */
const PROBE_PAUSE_MS = 200;
/** Calls just after a failure wait so long for the first probe: most failures are one connection's. */
const PATIENCE_MS = 500;
/** An absence that long work outlasts: an election, or a server that is started again. */
const OUTLASTED_MS = 120_000;

interface Absence {
  readonly why: string;
  /** Of World.monotonic. */
  readonly since: number;
  readonly isOver: Promise<void>;
}

/**
 * All methods reject with StoreUnavailable, at once while the store is known to be unavailable. A call that was given
 * up may still take effect. One answer that did not come makes no absence: a probe decides.
 */
export class Availability {
  readonly #parts: AvailabilityParts;
  #absence: Absence | undefined;
  /** Ends when a probe has said whether the store is there. */
  #suspicion: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
    parts.meters.available(true);
  }

  /**
   * Reads, and reads again if the store was unavailable only for a moment; `readMs` for both, then the signal aborts.
   */
  read<T>(work: (signal: AbortSignal) => Promise<T>, ms: number = this.#parts.timings.readMs): Promise<T> {
    return this.#twice(ms, work);
  }

  /**
   * Does work that may take as long as a collection is large, and may be done twice; a connection that has gone silent
   * ends it.
   */
  patiently<T>(work: () => Promise<T>, ms?: number): Promise<T> {
    return this.#twice(ms, work);
  }

  /**
   * Does a step of work that has already taken hours: the call is repeated, until a store has been unavailable for two
   * minutes, or refuses.
   */
  async outlast<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#run(undefined, work);
      } catch (fault) {
        if (!(fault instanceof StoreUnavailable && fault.isPassing) || !(await this.#isBack())) throw fault;
        this.#parts.meters.retried();
      }
    }
  }

  /**
   * Only calls that the driver can repeat as the same write are sent twice: the answer says whether this one took
   * effect.
   */
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

  async #twice<T>(ms: number | undefined, work: Work<T>): Promise<T> {
    const { world, meters } = this.#parts;
    const until = world.monotonic() + (ms ?? Number.POSITIVE_INFINITY);
    try {
      return await this.#run(ms, work);
    } catch (fault) {
      const absence = this.#absence;
      const isClosed = fault instanceof StoreUnavailable && isClosedConnection(fault.cause);
      const left = until - world.monotonic();
      if ((absence === undefined && !isClosed) || left <= 0) throw fault;
      const isOver = absence?.isOver ?? this.#suspicion ?? Promise.resolve();
      await inTime(Math.min(left, PATIENCE_MS), () => isOver).catch(() => undefined);
      if (this.#absence !== undefined || this.#suspicion !== undefined) throw fault;
      meters.retried();
      return await this.#run(ms === undefined ? undefined : until - world.monotonic(), work);
    }
  }

  /** Resolves when the store may be asked again: true, unless it has been unavailable for too long or is closed. */
  async #isBack(): Promise<boolean> {
    await sleep(PROBE_PAUSE_MS, undefined, { ref: false });
    const absence = this.#absence;
    if (absence !== undefined) {
      const left = absence.since + OUTLASTED_MS - this.#parts.world.monotonic();
      await inTime(Math.max(left, 0), () => absence.isOver).catch(() => undefined);
    }
    return !this.#isClosed && (absence === undefined || this.#absence !== absence);
  }

  async #run<T>(ms: number | undefined, work: Work<T>): Promise<T> {
    if (this.#absence !== undefined) await this.#waitFor(this.#absence);
    try {
      return await (ms === undefined ? work(never) : inTime(ms, work));
    } catch (fault) {
      // A balancer may have closed this one connection.
      if (isSilence(fault) || isClosedConnection(fault)) this.#suspect(fault);
      else if (isUnavailable(fault)) this.#noteAbsence(reasonOf(fault));
      throw unavailable(this.#parts.where, fault);
    }
  }

  async #waitFor({ why, since, isOver }: Absence): Promise<void> {
    const patience = since + PATIENCE_MS - this.#parts.world.monotonic();
    if (patience > 0) await inTime(patience, () => isOver).catch(() => undefined);
    if (this.#absence !== undefined)
      throw new StoreUnavailable(`MongoDB at ${this.#parts.where} is unavailable: ${why}`, { isPassing: true });
  }

  /** A slow query, a connection that went silent, or the whole store: the first two are their caller's alone. */
  #suspect(met: unknown): void {
    if (this.#suspicion !== undefined || this.#absence !== undefined || this.#isClosed) return;
    this.#suspicion = this.#judge(met);
  }

  async #judge(met: unknown): Promise<void> {
    const fault = await this.#probe();
    this.#suspicion = undefined;
    if (isSilence(fault) || isUnavailable(fault)) this.#noteAbsence(reasonOf(isPoolInUse(met) ? fault : met));
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

  /** Reports an absence, except of a connection that was opened again at once. */
  async #tell({ why, since, isOver }: Absence): Promise<void> {
    const { where, world, report } = this.#parts;
    const isBrief = await inTime(PATIENCE_MS, () => isOver).then(
      () => true,
      () => false,
    );
    if (isBrief) return;
    report(new Notice(`MongoDB at ${where} is unavailable: ${why}`));
    await isOver;
    if (!this.#isClosed)
      report(new Notice(`MongoDB at ${where} is back after ${Math.round(world.monotonic() - since)} ms`));
  }

  /** One probe at a time: a store that was paused answers soon after it goes on. */
  async #untilItAnswers(): Promise<void> {
    while (!this.#isClosed) {
      if ((await this.#probe()) === undefined) return;
      await sleep(PROBE_PAUSE_MS, undefined, { ref: false });
    }
  }

  /**
   * Why it was not answered in `writeMs`; undefined: it was. A write that is given up is a network fault to the driver,
   * which then closes its connection and every idle one: where one went silent the others did, and each would cost a
   * probe of its own.
   */
  #probe(): Promise<unknown> {
    const { probe, timings } = this.#parts;
    return inTime(timings.writeMs, probe, ({ message }) => new MongoNetworkError(message)).then(
      () => undefined,
      (fault: unknown) => fault,
    );
  }
}

/** The question; work that listens to the signal releases its connection when it aborts. */
type Work<T> = (signal: AbortSignal) => Promise<T>;

const never = new AbortController().signal;

/**
 * Rejects with Late if the work has not ended in `ms`, and aborts its signal; the later end of the work is ignored.
 */
function inTime<T>(ms: number, work: Work<T>, reasonFor: (late: Late) => unknown = (late) => late): Promise<T> {
  const givenUp = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new Late(ms);
      reject(late);
      givenUp.abort(reasonFor(late));
    }, ms);
    work(givenUp.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
