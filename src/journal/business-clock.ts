// Business time, which can be moved forward in test mode: the offset is an event of the store, and every process looks
// for it.
import type { Rejection } from '../domain/decider.ts';
import { moveBusinessClock, type StoreEvent, type StoreRecord, store } from '../domain/store.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore } from '../stores/event-store.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import { type World, within } from '../world.ts';
import { type ActingUser, operatorContext } from './contexts.ts';
import { recordBeforeBreak, STORE_ID } from './store-stamp.ts';
import { Streams } from './streams.ts';
import { transact } from './transact.ts';

/** How often a running process looks whether the clock was moved. */
export const LOOK_EVERY_MS = 250;
/** A look that has not been answered for so long is given up. */
const ANSWER_WITHIN_MS = 2_000;

/** The needs of keeping the clock of a store. */
export interface ClockParts {
  readonly events: EventStore;
  readonly report: (fault: unknown) => void;
}

/** A user who moves the clock, whose account shows it. */
export interface ClockMover extends ActingUser {
  readonly accountId: string;
}

export class BusinessClock {
  /**
   * The machine's world on business time: `now` and `steady` are ahead by the offset as this process knows it;
   * deadlines, leases and waits (`monotonic`, `sleep`) are not moved.
   */
  readonly world: World;
  readonly #machine: World;
  readonly #listeners: (() => void)[] = [];
  #offsetMs = 0;
  #stamps: Streams<StoreRecord, StoreEvent> | undefined;

  constructor(machine: World) {
    this.#machine = machine;
    this.world = {
      ...machine,
      now: () => machine.now() + this.#offsetMs,
      steady: () => machine.steady() + this.#offsetMs,
    };
  }

  /** How far business time is ahead of the machine's clock, ms, as of the last look. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Called after this process has taken over a movement. */
  onMoved(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Takes over the clock of the store, up to its break where its stream is broken. Throws StoreUnavailable. */
  async look({ events }: Pick<ClockParts, 'events'>): Promise<void> {
    const now = this.#stampsIn(events).current(STORE_ID);
    this.#take(
      await now.then(
        ({ state }) => state,
        (fault: unknown) => (fault instanceof BrokenStream ? recordBeforeBreak(events) : Promise.reject(fault)),
      ),
    );
  }

  /**
   * Looks every 250 ms until the signal aborts. An unavailable store is asked again: while it is, nothing can happen
   * either.
   */
  async run(parts: ClockParts, signal: AbortSignal): Promise<void> {
    let told = false;
    while (!signal.aborted) {
      try {
        await within(this.#machine, ANSWER_WITHIN_MS, () => this.look(parts));
        told = false;
      } catch (fault) {
        if (!told && !(fault instanceof StoreUnavailable)) {
          parts.report(fault);
          told = true;
        }
      }
      await this.#machine.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    }
  }

  /**
   * Moves the clock of the store forward by ms, for every process, recorded as an act of an operator, or of the user
   * and their account. When it resolves this process has the new time; another process has it with its next look.
   * Rejections: those of moveBusinessClock. Throws StoreUnavailable.
   */
  async advance({ events }: Pick<ClockParts, 'events'>, byMs: number, by?: ClockMover): Promise<Rejection | undefined> {
    const context = operatorContext(this.world, by?.accountId ?? '', by);
    const moved = await transact(this.#stampsIn(events), STORE_ID, context, moveBusinessClock(byMs));
    if (moved.kind === 'rejected') return moved;
    this.#take(moved.folded.state);
    return undefined;
  }

  #take(state: StoreRecord): void {
    // Two looks may end in the other order: the clock is never set back.
    if (state.status === 'absent' || state.clockOffsetMs <= this.#offsetMs) return;
    this.#offsetMs = state.clockOffsetMs;
    for (const listener of this.#listeners) listener();
  }

  #stampsIn(events: EventStore): Streams<StoreRecord, StoreEvent> {
    this.#stamps ??= new Streams(store, { events, world: this.world, report: () => undefined }, async () => undefined);
    return this.#stamps;
  }
}
