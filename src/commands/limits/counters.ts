// Counts of keys in a window, in this process; several workers of one service let one process count for all of them.
import { RateLimiterMemory } from 'rate-limiter-flexible';

export interface KeyCount {
  /** Points of the key in its window. */
  readonly consumedPoints: number;
  /** To the end of the window. */
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
  readonly name: string;
  readonly points: number;
  readonly seconds: number;
}

export type Counters = (kind: CounterKind) => Counter;

export const countersInMemory: Counters = ({ name, points, seconds }) =>
  new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });
