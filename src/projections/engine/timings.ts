// The times that the engine keeps, all in ms; tests and the simulator choose their own.
export interface EngineTimings {
  /** How often each process reads the catalog, and asks whether the event store is there. */
  readonly pollMs: number;
  /** A process that could not read the catalog for so long acknowledges no write; at most `joinMs`. */
  readonly staleMs: number;
  /**
   * How long a generation has been joining before the builder takes its target, and how long both are written after the
   * flip.
   */
  readonly joinMs: number;
  /** A rebuild that gives no sign of life for so long is over; well above `pollMs`. */
  readonly abandonedMs: number;
  /** A step of a rebuild is repeated for so long while the read models do not answer. */
  readonly outlastedMs: number;
  /** How often checkpoints that moved are kept. */
  readonly checkpointMs: number;
  /**
   * A store that has not answered for so long counts as unavailable: no request waits longer for a document to be
   * written.
   */
  readonly answerMs: number;
  /** How often the holder of a lease gives a sign of life, and how often the others look for one. */
  readonly leaseBeatMs: number;
  /**
   * How long log projections wait before an event that only a newer node knows, before they go on without its stream.
   * Well above `pollMs`, by which a newer node finds the wait on record and brings them past the event.
   */
  readonly newerNodeMs: number;
  /** How long a read model may stay at an event before it counts as stalled; well above `pollMs` and `checkpointMs`. */
  readonly stillMs: number;
  /** Between two tries of a read model that a request could not use. */
  readonly tryAgainMs: number;
  /**
   * A holder that gives no sign of life for so long is dead; with the look before and the one after, takeover is within
   * 10 s.
   */
  readonly leaseDeadMs: number;
}

export const defaultTimings: EngineTimings = {
  pollMs: 1_000,
  staleMs: 2_000,
  joinMs: 2_000,
  abandonedMs: 10_000,
  outlastedMs: 120_000,
  checkpointMs: 1_000,
  answerMs: 2_000,
  leaseBeatMs: 1_000,
  newerNodeMs: 10_000,
  stillMs: 10_000,
  tryAgainMs: 5_000,
  leaseDeadMs: 5_000,
};
