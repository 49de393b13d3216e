// An adapter's figures on its dealings with a store, for metrics: callbacks that count, and nothing else.
export interface StoreMeters {
  /** Something was sent again because the first time brought no response, or a temporary refusal. */
  readonly retried: () => void;
  /** A try ended without saying whether it took effect. */
  readonly outcomeUnknown: () => void;
  /** A subscription or connection was lost, and resumed or opened again. */
  readonly dropped: () => void;
  /** Called with true if the store responds, as far as this process knows: at each change, and once at start. */
  readonly available: (isAvailable: boolean) => void;
}

export const noMeters: StoreMeters = {
  retried: () => undefined,
  outcomeUnknown: () => undefined,
  dropped: () => undefined,
  available: () => undefined,
};
