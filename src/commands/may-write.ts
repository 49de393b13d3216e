// Asked before anything is appended that a caller waits for.

/**
 * `refusesWrites`: why an append could not be projected now, or undefined. The question is answered at once, as a rule,
 * with undefined; else its promise rejects with that reason (StoreUnavailable).
 */
export const mayWriteUnless = (refusesWrites: () => Promise<unknown> | undefined) => (): Promise<void> | undefined =>
  refusesWrites()?.then((unavailable) => {
    if (unavailable !== undefined) throw unavailable;
  });
