// Whether a path still names the file that was opened there: a deleted file goes on taking writes, which are lost.
import { statSync } from 'node:fs';

export class OpenedFile {
  readonly #path: string;
  readonly #opened: string | undefined;

  /** Call it right after the file was opened. */
  constructor(path: string) {
    this.#path = path;
    this.#opened = identityOf(path);
  }

  /** Synchronous; some 3 µs. */
  get isThere(): boolean {
    return this.#path === ':memory:' || (this.#opened !== undefined && identityOf(this.#path) === this.#opened);
  }
}

/** The file was deleted, moved or replaced after it was opened. */
export class FileGone extends Error {
  constructor(path: string) {
    super(`${path} was deleted or replaced while it was open`);
    this.name = 'FileGone';
  }
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
