// How the server misbehaves just now.
import type { AppendFault } from './orders.ts';

/** A real server's. */
const LIVE_BUFFER_EVENTS = 32;

export class Faults {
  #appends: { readonly fault: AppendFault; left: number }[] = [];
  slowMs = 0;
  allRefused = false;
  clockMs = 0;
  liveBuffer = LIVE_BUFFER_EVENTS;
  held = false;
  /** From SIGTERM to the end; a real server takes so long, and serves everything meanwhile. */
  terminationMs = 5_000;
  /** In milliseconds since 1970, by the machine's clock. */
  readyAt = 0;

  get ready(): boolean {
    return this.readyAt === 0 || Date.now() >= this.readyAt;
  }

  /** In milliseconds since 1970, as the server believes. */
  now(): number {
    return Date.now() + this.clockMs;
  }

  add(fault: AppendFault): void {
    this.#appends.push({ fault, left: fault.appends });
  }

  /** What goes wrong with this append, which is thereby used up. */
  take(stream: string): AppendFault | undefined {
    if (this.#appends.length === 0) return undefined;
    const next = this.#appends.find(({ fault, left }) => left > 0 && stream.startsWith(fault.prefix ?? ''));
    if (next === undefined) return undefined;
    next.left -= 1;
    if (next.left === 0) this.#appends = this.#appends.filter((other) => other !== next);
    return next.fault;
  }

  behave(): void {
    this.#appends = [];
    this.slowMs = 0;
    this.allRefused = false;
    this.clockMs = 0;
    this.liveBuffer = LIVE_BUFFER_EVENTS;
    this.held = false;
    this.readyAt = 0;
  }

  /** Runs it now, or as late as answers are now. */
  slowly(answer: () => void): void {
    if (this.slowMs === 0) answer();
    else setTimeout(answer, this.slowMs);
  }
}
