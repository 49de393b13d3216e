// Faults (not expected outcomes): one base class with a stable code and a cause.
export class AppError extends Error {
  /** Stable, for programs; the message is for people. */
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = code;
    this.code = code;
  }
}

/**
 * No fault, but something that operators should see: `report` takes it, and the log shows it as a warning without a
 * stack.
 */
export class Notice {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }

  toString(): string {
    return this.message;
  }
}
