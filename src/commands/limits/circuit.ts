// A breaker in front of a processor: when most of its recent calls went unanswered, new operations are refused before
// any write.
import type { World } from '../../world.ts';

/** When a circuit opens, and for how long; tests and the simulator choose theirs. */
export interface CircuitLimits {
  /** How far back calls count, ms. */
  readonly windowMs: number;
  /** With fewer calls in the window it never opens. */
  readonly minCalls: number;
  /** The share of unanswered calls, 0 to 1, from which on the circuit opens. */
  readonly failedShare: number;
  /** The time that it stays open before one operation may try the processor, and the time until the next try, ms. */
  readonly openMs: number;
}
export const defaultCircuit: CircuitLimits = { windowMs: 30_000, minCalls: 20, failedShare: 0.5, openMs: 10_000 };

/** The window moves on by such a part of itself. */
const SLOTS = 10;

interface CircuitParts {
  readonly world: Pick<World, 'monotonic'>;
  readonly limits: CircuitLimits;
  /** Told when it opens, of how many calls how many had failed, and when it closes. */
  readonly changed: (isOpen: boolean, calls: number, failed: number) => void;
}

/** The calls of a while, in parts of it, so that it moves on without remembering each. */
class Window {
  readonly #slotMs: number;
  readonly #calls: number[] = new Array<number>(SLOTS).fill(0);
  readonly #failed: number[] = new Array<number>(SLOTS).fill(0);
  #slot = 0;

  constructor(slotMs: number) {
    this.#slotMs = slotMs;
  }

  get calls(): number {
    return sum(this.#calls);
  }

  get failed(): number {
    return sum(this.#failed);
  }

  /** The calls of the window that ends now. */
  at(now: number): CallCounts {
    this.#moveTo(now);
    return { calls: this.calls, failed: this.failed };
  }

  count(now: number, answered: boolean): void {
    const at = this.#moveTo(now);
    this.#calls[at] = (this.#calls[at] ?? 0) + 1;
    if (!answered) this.#failed[at] = (this.#failed[at] ?? 0) + 1;
  }

  forget(): void {
    this.#calls.fill(0);
    this.#failed.fill(0);
  }

  /** Drops the parts that have left the window; answers the place of now. */
  #moveTo(now: number): number {
    const slot = Math.floor(now / this.#slotMs);
    for (let passed = Math.max(this.#slot + 1, slot - SLOTS + 1); passed <= slot; passed += 1) {
      this.#calls[passed % SLOTS] = 0;
      this.#failed[passed % SLOTS] = 0;
    }
    this.#slot = slot;
    return slot % SLOTS;
  }
}

/**
 * The purpose of a call. Each kind is counted separately: answered tokenizations and look-ups prove nothing about
 * unanswered operations.
 */
const CALL_KINDS = ['operation', 'look_up', 'tokenization'] as const;
export type CircuitCallKind = (typeof CALL_KINDS)[number];

/** Calls that have ended in the window, and those among them that were not answered. */
export interface CallCounts {
  readonly calls: number;
  readonly failed: number;
}

/**
 * A circuit as operators see it. `triesInMs`: until an operation may try the processor; only while it is open.
 * `changedMs`: the time since it last opened or closed; undefined if it has been closed since the start.
 */
export interface CircuitStatus {
  readonly isOpen: boolean;
  readonly changedMs: number | undefined;
  readonly triesInMs: number | undefined;
  readonly counts: { readonly [K in CircuitCallKind]: CallCounts };
}

export class Circuit {
  readonly #parts: CircuitParts;
  readonly #windows: { readonly [K in CircuitCallKind]: Window };
  /** From when on an operation may try; undefined while it is closed. */
  #triesAt: number | undefined;
  /** When it last opened or closed. */
  #changedAt: number | undefined;
  /** True if an operation was let through while it was open, and no call has ended since. */
  #isTried = false;

  constructor(parts: CircuitParts) {
    this.#parts = parts;
    const window = (): Window => new Window(parts.limits.windowMs / SLOTS);
    this.#windows = { operation: window(), look_up: window(), tokenization: window() };
  }

  status(): CircuitStatus {
    const now = this.#parts.world.monotonic();
    const { operation, look_up, tokenization } = this.#windows;
    return {
      isOpen: this.#triesAt !== undefined,
      changedMs: this.#changedAt === undefined ? undefined : Math.round(now - this.#changedAt),
      triesInMs: this.#triesAt === undefined ? undefined : Math.max(0, Math.round(this.#triesAt - now)),
      counts: { operation: operation.at(now), look_up: look_up.at(now), tokenization: tokenization.at(now) },
    };
  }

  /**
   * Lets an operation through, 0, or answers the ms until the next one may ask. While it is open, one in `openMs` may
   * try.
   */
  admit(): number {
    const waitMs = this.waitMs();
    if (waitMs > 0 || this.#triesAt === undefined) return waitMs;
    this.#triesAt = this.#parts.world.monotonic() + this.#parts.limits.openMs;
    this.#isTried = true;
    return 0;
  }

  /** The ms until `admit` lets an operation through; 0: it does now. */
  waitMs(): number {
    return this.#triesAt === undefined ? 0 : Math.max(0, this.#triesAt - this.#parts.world.monotonic());
  }

  /**
   * An admitted operation ended without a call: the next one may try. Otherwise operations that are refused anyway
   * would keep it open.
   */
  untried(): void {
    if (this.#triesAt !== undefined && this.#isTried) this.#triesAt = this.#parts.world.monotonic();
    this.#isTried = false;
  }

  /** A call has ended. `answered`: with any word of the processor; a decline is one, too. */
  ended(kind: CircuitCallKind, answered: boolean): void {
    const { world, limits, changed } = this.#parts;
    const now = world.monotonic();
    this.#isTried = false;
    if (answered && this.#triesAt !== undefined) {
      this.#triesAt = undefined;
      this.#changedAt = now;
      for (const each of CALL_KINDS) this.#windows[each].forget(); // the calls of the outage say nothing of later calls
      changed(false, 0, 0);
    }
    const window = this.#windows[kind];
    window.count(now, answered);
    if (answered || this.#triesAt !== undefined) return;
    const { calls, failed } = window;
    if (calls < limits.minCalls || failed < calls * limits.failedShare) return;
    this.#triesAt = now + limits.openMs;
    this.#changedAt = now;
    changed(true, calls, failed);
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** True if the end of a call is a response of the processor, or of the network in front of it. */
export const isAnswer = (kind: string): boolean => kind !== 'unknown' && kind !== 'not_sent' && kind !== 'unreachable';
