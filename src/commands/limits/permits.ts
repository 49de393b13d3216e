// Requests a second of a key over several processes: one process leases permits to the others, and each spends its own
// without asking.
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { CardTestingCounts } from './card-testing-counts.ts';
import type { Counters } from './counters.ts';

/**
 * A key may have `limit` requests in a second. Asking for each would cost more than a request, so a process spends
 * `part` permits unasked, and then leases as many at a time. No request is refused before `limit` were admitted, and
 * `limit` holds exactly for callers of one process. Permits that lie unused elsewhere are handed out again, so callers
 * of all processes together may reach `most`, which is at most an eighth more than `limit`.
 */
interface PermitRule {
  readonly limit: number;
  readonly part: number;
  readonly most: number;
  /** The permits of a second that are leased. */
  readonly leased: number;
}

/** All processes but one may together spend a sixteenth of the limit unasked, each an equal part. */
const SHARE = 16;

/** `limit`: requests a second, 0 or more. `processes`: 1 or more. */
export function permitRule(limit: number, processes: number): PermitRule {
  const others = Math.max(1, processes - 1);
  const part = Math.floor(limit / (SHARE * others));
  const leased = limit - part + (processes - 1) * part;
  return { limit, part, most: leased + processes * part, leased };
}

/** The current second, equal in all processes, because they read the clock of one machine. */
const secondOf = (ms: number): number => Math.floor(ms / 1_000);

/** The leases, in the process that hands them out. */
export class PermitPool {
  readonly #rule: PermitRule;
  readonly #now: () => number;
  #second = 0;
  /**
   * Counts by key, of this second and the previous one: questions may come late, and a clock may be set back a little.
   */
  #leased = new Map<string, number>();
  #leasedBefore = new Map<string, number>();

  /** `now`: the machine's clock, ms. */
  constructor(rule: PermitRule, now: () => number) {
    this.#rule = rule;
    this.#now = now;
  }

  /**
   * How many of the wanted permits the asker gets; none for a second that is long over, because an asker that was
   * paused asks again.
   */
  lease(key: string, second: number, wanted: number): number {
    if (second < secondOf(this.#now()) - 1) return 0;
    const leases = this.#of(second);
    const leased = leases.get(key) ?? 0;
    const given = Math.max(0, Math.min(wanted, this.#rule.leased - leased));
    leases.set(key, leased + given);
    return given;
  }

  #of(second: number): Map<string, number> {
    if (second === this.#second - 1) return this.#leasedBefore;
    if (second !== this.#second) {
      this.#leasedBefore = second === this.#second + 1 ? this.#leased : new Map();
      this.#leased = new Map();
      this.#second = second; // it may be an earlier one than that: the machine's clock was set back
    }
    return this.#leased;
  }
}

/** Asks the process that hands out the permits. */
type LeasePermits = (key: string, second: number, wanted: number) => Promise<number>;

interface Spent {
  admitted: number;
  permits: number;
  /** The pool of this second is empty. */
  isEmpty: boolean;
  waiting: number;
  asking: Promise<void> | undefined;
}

/** The permits of one process. */
export class Permits implements RequestCounter {
  readonly #rule: PermitRule;
  readonly #lease: LeasePermits;
  readonly #now: () => number;
  #second = 0;
  /** By key, in this second. */
  #spent = new Map<string, Spent>();

  /** `now`: the machine's clock, ms. */
  constructor(rule: PermitRule, lease: LeasePermits, now: () => number) {
    this.#rule = rule;
    this.#lease = lease;
    this.#now = now;
  }

  async consume(key: string): Promise<RateLimiterRes> {
    const { limit } = this.#rule;
    for (;;) {
      const spent = this.#of(key);
      if (spent.admitted < limit && spent.permits > 0) {
        spent.permits -= 1;
        spent.admitted += 1;
        return this.#told(spent);
      }
      if (spent.admitted >= limit || spent.isEmpty) throw this.#told(spent);
      spent.waiting += 1;
      await this.#ask(key, spent);
      spent.waiting -= 1;
    }
  }

  #of(key: string): Spent {
    const second = secondOf(this.#now());
    if (second !== this.#second) {
      this.#second = second;
      this.#spent = new Map();
    }
    const known = this.#spent.get(key);
    if (known !== undefined) return known;
    const made = { admitted: 0, permits: this.#rule.part, isEmpty: false, waiting: 0, asking: undefined };
    this.#spent.set(key, made);
    return made;
  }

  /** One question at a time for each key: requests that arrive meanwhile share its answer, or the next one's. */
  #ask(key: string, spent: Spent): Promise<void> {
    spent.asking ??= this.#lease(key, this.#second, Math.max(1, this.#rule.part, spent.waiting)).then((given) => {
      spent.permits += given;
      spent.isEmpty = given === 0;
      spent.asking = undefined;
    });
    return spent.asking;
  }

  #told({ admitted, isEmpty }: Spent): RateLimiterRes {
    const remaining = isEmpty ? 0 : Math.max(0, this.#rule.limit - admitted);
    return new RateLimiterRes(remaining, 1_000 - (this.#now() % 1_000), admitted, false);
  }
}

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
