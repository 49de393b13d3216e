// Whether MongoDB answers: what hangs is given up in time, and after a failure nothing is asked until a probe was answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { Notice } from '../../app-error.ts';
import type { World } from '../../world.ts';
import type { StoreMeters } from '../store-meters.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { isAway, Late, reasonOf, unavailable } from './faults.ts';

export interface AvailabilityParts {
  /** The store without its credentials, for messages. */
  readonly where: string;
  /** Resolves when the store can be read and written; rejects, or does not answer. */
  readonly probe: () => Promise<unknown>;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  readonly meters: StoreMeters;
}

/** Between a probe that failed and the next one. */
const PROBE_PAUSE_MS = 200;
/** A call that comes just after a failure waits so long for the first probe: most failures are one connection's. */
const PATIENCE_MS = 500;

interface Absence {
  readonly why: string;
  /** Of World.monotonic. */
  readonly since: number;
  readonly isOver: Promise<void>;
}

export class Availability {
  readonly #parts: AvailabilityParts;
  #absence: Absence | undefined;
  #isClosed = false;

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
    parts.meters.available(true);
  }

  /**
   * Runs work that MongoDB must answer within `ms` (0: for as long as its connection lives). Rejects with StoreUnavailable,
   * at once while the store is known to be away; what was given up may still take effect.
   */
  async run<T>(ms: number, work: () => Promise<T>): Promise<T> {
    if (this.#absence !== undefined) await this.#waitFor(this.#absence);
    try {
      return await (ms === 0 ? work() : inTime(ms, work()));
    } catch (fault) {
      if (isAway(fault)) this.#noteAbsence(fault);
      throw unavailable(this.#parts.where, fault);
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #waitFor({ why, since, isOver }: Absence): Promise<void> {
    const patience = since + PATIENCE_MS - this.#parts.world.monotonic();
    if (patience > 0) await inTime(patience, isOver).catch(() => undefined);
    if (this.#absence !== undefined) throw new StoreUnavailable(`MongoDB at ${this.#parts.where} is away: ${why}`);
  }

  #noteAbsence(fault: unknown): void {
    const { where, world, report, meters } = this.#parts;
    if (this.#absence !== undefined || this.#isClosed) return;
    const why = reasonOf(fault);
    const absence = { why, since: world.monotonic(), isOver: this.#untilItAnswers() };
    this.#absence = absence;
    meters.available(false);
    report(new Notice(`MongoDB at ${where} is away: ${why}`));
    void absence.isOver.then(() => {
      this.#absence = undefined;
      meters.available(true);
      report(new Notice(`MongoDB at ${where} is back after ${Math.round(world.monotonic() - absence.since)} ms`));
    });
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
