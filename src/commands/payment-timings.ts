// Deadlines of a payment's calls, and the age of a claim without a payment, ms; tests and the simulator choose theirs.
export interface Timings {
  /** From the request's event to the moment after which it is no longer sent. */
  readonly sendWithinMs: number;
  /** From sending to the moment when the outcome counts as unknown. */
  readonly answerWithinMs: number;
  /** The age at which a claim without a payment is fenced off. */
  readonly abandonAfterMs: number;
}
export const defaultTimings: Timings = { sendWithinMs: 5_000, answerWithinMs: 25_000, abandonAfterMs: 60_000 };
