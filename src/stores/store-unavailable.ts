// The one fault that every adapter throws when its store is unavailable, slow beyond its deadline, or broken.
import { AppError } from '../app-error.ts';

export class StoreUnavailable extends AppError {
  /** True if an append was sent and may have been written. */
  readonly outcomeUnknown: boolean;
  /** True if the same call may well succeed within minutes, without an operator. */
  readonly isPassing: boolean;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly outcomeUnknown?: boolean; readonly isPassing?: boolean } = {},
  ) {
    super('StoreUnavailable', message, options.cause);
    this.outcomeUnknown = options.outcomeUnknown ?? false;
    this.isPassing = options.isPassing ?? false;
  }
}

/**
 * The store is there and has no room for one more question of this kind; nothing was changed. Worth another try soon.
 */
export class StoreBusy extends StoreUnavailable {
  constructor(message: string) {
    super(message, { isPassing: true });
  }
}

/** For `catch`: a value in place of what an unavailable store would say. Throws any other fault again. */
export const unlessUnavailable =
  <Value>(value: Value) =>
  (fault: unknown): Value => {
    if (fault instanceof StoreUnavailable) return value;
    throw fault;
  };
