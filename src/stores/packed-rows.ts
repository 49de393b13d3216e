// Rows of a new generation as bytes: a thread hands them over without a copy, and their texts are encoded once.
import type { BuiltRow, Key } from './read-models.ts';

/**
 * A row without its text: id, revision, the place and length of the text in bytes; then the keys, null where there is
 * none.
 */
type Head = readonly [id: string, revision: number, at: number, bytes: number, ...keys: (Key | null)[]];

/** A row in packed ones; `text` is a view of UTF-8. */
interface PackedRow {
  readonly id: string;
  readonly revision: number;
  readonly text: Uint8Array;
  readonly keys: readonly (Key | null)[];
}

const LENGTH_BYTES = 4;
/** A UTF-16 unit takes as many bytes of UTF-8 at most. */
const MOST_BYTES_A_UNIT = 3;
const FIRST_BYTES = 1024 * 1024;

/** Gathers rows, and packs them. */
export class RowPacker {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #used = 0;
  #heads: Head[] = [];

  get rows(): number {
    return this.#heads.length;
  }

  /** The size of the texts so far. */
  get bytes(): number {
    return this.#used;
  }

  /** Answers `<id>\n<revision>\n<text>` in UTF-8, good until the next call. */
  add({ id, revision, text, keys }: BuiltRow): Uint8Array {
    const prefix = `${id}\n${revision}\n`;
    this.#makeRoom((prefix.length + text.length) * MOST_BYTES_A_UNIT);
    const from = this.#used;
    const at = from + this.#bytes.write(prefix, from);
    const end = at + this.#bytes.write(text, at);
    this.#used = end;
    const head: [string, number, number, number, ...(Key | null)[]] = [id, revision, at, end - at];
    for (const key of keys) head.push(key ?? null);
    this.#heads.push(head);
    return this.#bytes.subarray(from, end);
  }

  /** All rows since the last call, in one buffer that may be transferred. */
  pack(): ArrayBuffer {
    const heads = Buffer.from(JSON.stringify(this.#heads));
    const packed = new ArrayBuffer(LENGTH_BYTES + this.#used + heads.length);
    const bytes = Buffer.from(packed);
    bytes.writeUInt32LE(this.#used);
    this.#bytes.copy(bytes, LENGTH_BYTES, 0, this.#used);
    heads.copy(bytes, LENGTH_BYTES + this.#used);
    this.#heads = [];
    this.#used = 0;
    return packed;
  }

  #makeRoom(wanted: number): void {
    if (this.#bytes.length - this.#used >= wanted) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#used + wanted));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

/** The rows that were packed, in their order. */
export function packedRows(packed: ArrayBuffer): readonly PackedRow[] {
  const bytes = Buffer.from(packed);
  const used = bytes.readUInt32LE();
  const heads: readonly Head[] = JSON.parse(bytes.toString('utf8', LENGTH_BYTES + used));
  return heads.map(([id, revision, at, length, ...keys]) => ({
    id,
    revision,
    text: bytes.subarray(LENGTH_BYTES + at, LENGTH_BYTES + at + length),
    keys,
  }));
}

/** The rows with texts, for stores that accept no bytes. */
export const unpacked = (packed: ArrayBuffer): readonly BuiltRow[] =>
  packedRows(packed).map(({ id, revision, text, keys }) => ({
    id,
    revision,
    text: Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('utf8'),
    keys: keys.map((key) => key ?? undefined),
  }));
