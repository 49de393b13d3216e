// The bytes of the log, in chunks in memory and in a file that only grows.
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

/** The header before the first record, so that no event is at position 0. */
const FILE_HEADER = Buffer.from('events of the loopback server, each as the frame that readers are sent\n'.padEnd(127));
const CHUNK_BYTES = 16 * 1024 * 1024;

interface Chunk {
  /** The position of the chunk's first byte, which is its place in the file. */
  readonly base: number;
  readonly bytes: Buffer;
  used: number;
}

/** Where a record lies. */
export interface RecordAt {
  readonly chunk: number;
  readonly position: number;
}

/**
 * Takes the whole appends at the beginning of these bytes. `at` is the place of the first one.
 * Answers their size in bytes.
 */
export type TakeLoaded = (bytes: Buffer, at: RecordAt) => number;

export class LogFile {
  readonly #file: number;
  readonly #chunks: Chunk[] = [];
  /** The position up to which the log is in the file. */
  #written = 0;

  /** Reads the file. A rest that `take` leaves at the end was cut off by a kill, and is dropped. */
  constructor(path: string, take: TakeLoaded) {
    this.#file = openSync(path, 'a+');
    const header = Buffer.alloc(FILE_HEADER.length);
    if (readSync(this.#file, header, 0, header.length, 0) < header.length) {
      ftruncateSync(this.#file, 0);
      writeSync(this.#file, FILE_HEADER);
    }
    this.#written = FILE_HEADER.length;
    let read: number;
    do {
      const chunk = this.#addChunk(this.#written);
      read = readSync(this.#file, chunk.bytes, 0, CHUNK_BYTES, chunk.base);
      // The next chunk begins with the record that is cut off here, unless the file ends.
      chunk.used = take(chunk.bytes.subarray(0, read), { chunk: this.#chunks.length - 1, position: chunk.base });
      this.#written = chunk.base + chunk.used;
    } while (read === CHUNK_BYTES);
    ftruncateSync(this.#file, this.#written);
  }

  /** The position that the next record gets. */
  get end(): number {
    const chunk = this.#chunks.at(-1);
    return chunk === undefined ? 0 : chunk.base + chunk.used;
  }

  /** Adds a record at the end, in memory until `commit`. `write` gets the buffer and the place in it. */
  put(size: number, write: (bytes: Buffer, at: number) => void): RecordAt {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.bytes.length - chunk.used < size) {
      this.commit();
      chunk = this.#addChunk(this.end);
    }
    const position = chunk.base + chunk.used;
    write(chunk.bytes, chunk.used);
    chunk.used += size;
    return { chunk: this.#chunks.length - 1, position };
  }

  /** Returns when everything is in the file and so survives the process. */
  commit(): void {
    const chunk = this.#chunks.at(-1);
    if (chunk === undefined) return;
    const end = chunk.base + chunk.used;
    while (this.#written < end) {
      this.#written += writeSync(this.#file, chunk.bytes, this.#written - chunk.base, end - this.#written);
    }
  }

  /** A part of this chunk, not a copy: from this position to before `to`, or to the chunk's end. */
  slice(chunk: number, from: number, to: number | undefined): Buffer {
    const held = this.#chunks[chunk];
    if (held === undefined) throw new Error('no such chunk');
    return held.bytes.subarray(from - held.base, to === undefined ? held.used : to - held.base);
  }

  close(): void {
    closeSync(this.#file);
  }

  #addChunk(base: number): Chunk {
    const chunk: Chunk = { base, bytes: Buffer.allocUnsafeSlow(CHUNK_BYTES), used: 0 };
    this.#chunks.push(chunk);
    return chunk;
  }
}
