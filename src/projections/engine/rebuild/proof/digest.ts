// A digest of a set of documents that does not depend on their order: the sum of what each one hashes to.
import { hash } from 'node:crypto';
import type { StoredText } from '../../../../stores/read-models.ts';

/** SHA-256 of id, revision and text of each document, added up in eight lanes of 32 bits. */
export class Digest {
  readonly #lanes = new Uint32Array(8);
  #documents = 0;

  add(document: StoredText): void {
    this.#sum(document, 1);
  }

  /** Takes an added document back. */
  remove(document: StoredText): void {
    this.#sum(document, -1);
  }

  #sum({ id, revision, text }: StoredText, sign: 1 | -1): void {
    const bytes = hash('sha256', `${id}\n${revision}\n${text}`, 'buffer');
    for (let lane = 0; lane < 8; lane += 1) this.#lanes[lane] = (this.#lanes[lane] ?? 0) + sign * bytes.readUInt32BE(4 * lane);
    this.#documents += sign;
  }

  get documents(): number {
    return this.#documents;
  }

  /** 64 hex characters. */
  toString(): string {
    return [...this.#lanes].map((lane) => lane.toString(16).padStart(8, '0')).join('');
  }
}

/** JSON text with the members of every object in one order: two texts of the same document become the same. */
export const canonical = (text: string): string => JSON.stringify(sorted(JSON.parse(text)));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
