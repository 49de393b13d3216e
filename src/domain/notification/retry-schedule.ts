// When a parked notification is tried again: 1, 2, 4 … minutes after a retry in vain, daily in the end, for 30 days (docs/operating.md).

/** A retry in vain is followed by the next one a minute later, then two, four, and so on up to a day. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 86_400_000;
/** A retry in vain this long after it was parked is the last one by itself: look-ups find the facts that it may have told. */
export const RETRIED_FOR_MS = 30 * 86_400_000;

/** Business time in ms of the retry that follows `retries` in vain, the last of them at `at`. */
export const nextRetryAt = (at: number, retries: number): number => at + Math.min(FIRST_PAUSE_MS * 2 ** retries, LONGEST_PAUSE_MS);
