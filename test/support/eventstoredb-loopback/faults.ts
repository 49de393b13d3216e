// The ordered misbehaviour of the server.
import type { AppendFault } from './orders.ts';

/** As in a real server. */
const LIVE_BUFFER_EVENTS = 32;

export class Faults {
  #appends: { readonly fault: AppendFault; left: number }[] = [];
  slowMs = 0;
  allRefused = false;
  clockMs = 0;
  liveBuffer = LIVE_BUFFER_EVENTS;
  held = false;
  /** The time from SIGTERM to the end, ms. A real server takes this long, and serves requests meanwhile. */
  terminationMs = 5_000;
  /** When the server is ready, in milliseconds since 1970, by the machine's clock. */
  readyAt = 0;

  get ready(): boolean {
    return this.readyAt === 0 || Date.now() >= this.readyAt;
  }

  /** The server's own time, in milliseconds since 1970. */
  now(): number {
    return Date.now() + this.clockMs;
  }

  add(fault: AppendFault): void {
    this.#appends.push({ fault, left: fault.appends });
  }

  /** The fault for this append; asking uses it up. */
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

  /** Runs `answer` now, or after the ordered delay. */
  slowly(answer: () => void): void {
    if (this.slowMs === 0) answer();
    else setTimeout(answer, this.slowMs);
  }
}
