// Decides whether an attempt is repeated, and after how long.
import type { ErrorFields } from './types.ts';

/** One attempt as it ended. */
export type Heard =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Headers; readonly text: string }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly fields: ErrorFields;
      /** Milliseconds. */
      readonly retryAfterMs: number | undefined;
    }
  | {
      readonly kind: 'none';
      readonly reason: 'network' | 'timeout' | 'unreadable';
      readonly words: string;
      /** The status of a response that does not come from the API. */
      readonly status: number | undefined;
      readonly retryAfterMs: number | undefined;
      /** True if nothing was sent, provably. */
      readonly isUnsent: boolean;
      readonly cause: unknown;
    };

/** Statuses of servers in front of the service, and of a service that asks for another try. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * A lost answer is asked for again, under the same key. A refusal is repeated only where it says that the same request
 * may fare better: too many requests, unavailable, and a first request with this key that is still running. Any other
 * 4xx stays what it is.
 */
export function mayRepeat(heard: Heard): boolean {
  switch (heard.kind) {
    case 'answer':
      return false;
    case 'refused':
      return PASSING.has(heard.status) || heard.fields.errorId === 'IdempotencyKeyInProgress';
    case 'none':
      return heard.status === undefined || heard.status < 300 || PASSING.has(heard.status);
    default:
      return heard satisfies never;
  }
}

const FIRST_MS = 250;
const LONGEST_MS = 8_000;

/**
 * Milliseconds before the attempt after number `attempt` (from 1): twice as long each time up to 8 s, of which a random
 * half, so that callers who failed together do not come back together; after what the server asked for. `chance`: 0 to
 * 1.
 */
export function pauseMs(attempt: number, retryAfterMs: number | undefined, chance: number): number {
  const backoff = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return (retryAfterMs ?? 0) + backoff * (0.5 + chance / 2);
}

/** The wait in a Retry-After header: seconds, or a date (RFC 9110). Undefined for anything else. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
