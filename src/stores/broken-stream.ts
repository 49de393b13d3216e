// A stream whose events do not hang together: nothing is decided on it or read of it until an operator mends it.
import { AppError } from '../app-error.ts';

/** Where a stream stops: the first of its events that cannot be relied on. */
export interface Break {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint | string;
  readonly type: string;
}

/** The log was altered, or the store lost a part of it. The events before the break still hold. */
export class BrokenStream extends AppError implements Break {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly type: string;

  constructor({ stream, revision, position, type }: Break, detail: string) {
    super('BrokenStream', `${stream} is broken at revision ${revision}: ${detail}`);
    this.stream = stream;
    this.revision = revision;
    this.position = String(position);
    this.type = type;
  }
}
