// Counters of keys in a window of time. Workers of one service share those of their supervisor.
import { RateLimiterMemory } from 'rate-limiter-flexible';

export interface KeyCount {
  /** In the window. */
  readonly consumedPoints: number;
  /** Until the window ends. */
  readonly msBeforeNext: number;
}

/** The window of a key begins with its first point. */
export interface Counter {
  /** Adds a point. */
  penalty(key: string): Promise<KeyCount>;
  /** Takes one away. */
  reward(key: string): Promise<KeyCount>;
  /** Null for a key without points. */
  get(key: string): Promise<KeyCount | null>;
  delete(key: string): Promise<unknown>;
}

export interface CounterKind {
  /** A name that no other kind of the service has. */
  readonly name: string;
  /** The window. */
  readonly seconds: number;
}

/** Makes a counter. Its caller holds the counts against a limit. */
export type Counters = (kind: CounterKind) => Counter;

/** The library wants a limit for its `consume`, which no Counter has. */
const points = Number.MAX_SAFE_INTEGER;

/** In this process alone. */
export const countersInMemory: Counters = ({ name, seconds }) =>
  new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });
