// A digest of a set of documents that does not depend on their order: the sum of what each one hashes to.
import { hash } from 'node:crypto';
import type { DigestSum, StoredText } from './read-models.ts';

export const hashOfDocument = ({ id, revision, text }: StoredText): Buffer =>
  hashOfBytes(`${id}\n${revision}\n${text}`);

/** A document as `<id>\n<revision>\n<text>`, in UTF-8 where it is bytes. */
export const hashOfBytes = (document: string | Uint8Array): Buffer => hash('sha256', document, 'buffer');

/** SHA-256 of id, revision and text of each document, added up in eight lanes of 32 bits. */
export class Digest {
  readonly #lanes = new Uint32Array(8);
  #documents = 0;

  add(document: StoredText): void {
    this.addHash(hashOfDocument(document));
  }

  /** Takes an added document back. */
  remove(document: StoredText): void {
    this.#sum(hashOfDocument(document), -1);
  }

  /** A document by what it hashes to: one that is in two sets is hashed once. */
  addHash(bytes: Buffer): void {
    this.#sum(bytes, 1);
  }

  /** All documents of another digest. */
  addAll({ lanes, documents }: DigestSum): void {
    for (const [lane, value] of lanes.entries()) this.#lanes[lane] = (this.#lanes[lane] ?? 0) + value;
    this.#documents += documents;
  }

  #sum(bytes: Buffer, sign: 1 | -1): void {
    for (let lane = 0; lane < 8; lane += 1)
      this.#lanes[lane] = (this.#lanes[lane] ?? 0) + sign * bytes.readUInt32BE(4 * lane);
    this.#documents += sign;
  }

  get lanes(): number[] {
    return [...this.#lanes];
  }

  get documents(): number {
    return this.#documents;
  }

  /** 64 hex characters. */
  toString(): string {
    return [...this.#lanes].map((lane) => lane.toString(16).padStart(8, '0')).join('');
  }
}
