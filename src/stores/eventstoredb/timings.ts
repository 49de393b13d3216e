// Times and limits of the EventStoreDB adapter; tests choose shorter ones.
export interface EventStoreDbTimings {
  /**
   * How long the server may take for one append before its outcome is looked for; more than its own time for writing,
   * which is 2 s.
   */
  readonly tryMs: number;
  /** How long an append whose outcome is unknown is tried again before the caller is told so. */
  readonly outcomePatienceMs: number;
  /** How long a new line may take to prove itself, and the pause before the next one is tried. */
  readonly proofMs: number;
  readonly proofPauseMs: number;
  /** How long a read may bring nothing, and how long when the store is known to be unavailable. */
  readonly readMs: number;
  readonly unavailableReadMs: number;
  /** The longest pause before the log is followed again. */
  readonly followPauseMs: number;
  /** From when on an absence is worth a notice. */
  readonly absenceMs: number;
  readonly startMs: number;
  /** How long appends under way are waited for at the end. */
  readonly closeMs: number;
}

export const defaultTimings: EventStoreDbTimings = {
  tryMs: 2_500,
  outcomePatienceMs: 60_000,
  proofMs: 2_000,
  proofPauseMs: 200,
  readMs: 5_000,
  unavailableReadMs: 1_000,
  followPauseMs: 1_000,
  absenceMs: 10_000,
  startMs: 10_000,
  closeMs: 5_000,
};
