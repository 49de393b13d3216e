// The counts that the workers of one service share.
import type { CardTestingCounts } from './card-testing-counts.ts';
import type { Counters } from './counters.ts';

/** Requests a second. */
export interface RequestCounter {
  /** Counts a request of the key; rejects with RateLimiterRes where there were too many. */
  consume(key: string): Promise<{ readonly remainingPoints: number; readonly msBeforeNext: number }>;
}

export interface SharedLimits {
  readonly counters: Counters;
  readonly cardTesting: CardTestingCounts;
  readonly requests: RequestCounter;
}
