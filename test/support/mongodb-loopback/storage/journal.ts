// The journal survives the process: changes are appended to a file, in their order, before they are acknowledged.
import { closeSync, createReadStream, ftruncateSync, openSync, renameSync, writeSync } from 'node:fs';

/** A record's kind, the namespace it concerns and its document, empty if it has none. */
export interface JournalRecord {
  readonly kind: number;
  readonly namespace: string;
  readonly doc: Buffer;
}

const FRAME = 7;
/** A larger buffer is written before `commit`. */
const PENDING = 1 << 20;
const NOTHING = Buffer.alloc(0);

export class Journal {
  readonly #file: string;
  #descriptor: number | undefined;
  #pending = Buffer.allocUnsafe(PENDING);
  #size = 0;
  #written = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Reads the journal from the start, calls `each` for each record, then cuts off a record that was written in part.
   */
  async open(each: (record: JournalRecord) => void): Promise<void> {
    const descriptor = openSync(this.#file, 'a+');
    let whole = 0;
    let rest = NOTHING;
    for await (const chunk of createReadStream(this.#file, { highWaterMark: 1 << 20 })) {
      const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
      let at = 0;
      while (at + FRAME <= bytes.length) {
        const size = bytes.readUInt32LE(at);
        if (at + size > bytes.length) break;
        const names = at + FRAME + bytes.readUInt16LE(at + 5);
        // A copy: otherwise every document would keep its whole chunk in memory.
        each({
          kind: bytes[at + 4] ?? 0,
          namespace: bytes.toString('utf8', at + FRAME, names),
          doc: Buffer.from(bytes.subarray(names, at + size)),
        });
        at += size;
      }
      whole += at;
      rest = bytes.subarray(at);
    }
    ftruncateSync(descriptor, whole);
    this.#descriptor = descriptor;
    this.#written = whole;
  }

  /** In bytes. */
  get size(): number {
    return this.#written;
  }

  /** Starts a new journal with the records that `write` adds. */
  rewrite(write: () => void): void {
    const before = this.#descriptor;
    if (before === undefined) return;
    this.commit();
    const file = `${this.#file}.new`;
    this.#descriptor = openSync(file, 'w');
    this.#written = 0;
    write();
    this.commit();
    renameSync(file, this.#file);
    closeSync(before);
  }

  /** Adds a record, which `commit` writes. */
  add({ kind, namespace, doc }: JournalRecord): void {
    const name = Buffer.byteLength(namespace);
    const size = FRAME + name + doc.length;
    this.#reserve(size);
    const at = this.#size;
    this.#pending.writeUInt32LE(size, at);
    this.#pending[at + 4] = kind;
    this.#pending.writeUInt16LE(name, at + 5);
    this.#pending.write(namespace, at + FRAME, 'utf8');
    doc.copy(this.#pending, at + FRAME + name);
    this.#size += size;
    if (this.#size > PENDING) this.commit();
  }

  /** Returns when everything added is in the file. It then survives the process, but not the machine. */
  commit(): void {
    if (this.#size === 0 || this.#descriptor === undefined) return;
    let written = 0;
    while (written < this.#size) written += writeSync(this.#descriptor, this.#pending, written, this.#size - written);
    this.#written += this.#size;
    this.#size = 0;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #reserve(size: number): void {
    if (this.#size + size <= this.#pending.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#pending.length * 2, this.#size + size));
    this.#pending.copy(larger, 0, 0, this.#size);
    this.#pending = larger;
  }
}
