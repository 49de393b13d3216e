// A row of a collection in memory: its document as it was written, and its keys.
import type { Key } from '../read-models.ts';

export class MemoryRow {
  readonly id: string;
  readonly revision: number;
  readonly keys: ReadonlyMap<string, Key>;
  readonly #written: object | string;
  #text: string | undefined;
  #doc: object | undefined;

  /** `written`: the document, which is never changed any more, or its text. */
  constructor(id: string, revision: number, written: object | string, keys: ReadonlyMap<string, Key>) {
    this.id = id;
    this.revision = revision;
    this.keys = keys;
    this.#written = written;
  }

  /** Made when it is first read, as the document is: most are written again before they are read. */
  get text(): string {
    this.#text ??= typeof this.#written === 'string' ? this.#written : JSON.stringify(this.#written);
    return this.#text;
  }

  get doc(): object {
    this.#doc ??= frozenCopy(this.text);
    return this.#doc;
  }
}

function frozenCopy(text: string): object {
  const copy: unknown = JSON.parse(text);
  if (typeof copy !== 'object' || copy === null) throw new TypeError('a document is an object');
  return frozen(copy);
}

function frozen(value: object): object {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) frozen(member);
  return Object.freeze(value);
}
