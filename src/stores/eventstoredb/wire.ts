// Just enough of protobuf's wire format for the messages that every append and every event needs: varints and fields
// with a length.

/** A field's key: its number, below 16, and that a varint (0) or a length (2) follows. */
export const varintField = (number: number): number => number << 3;
export const lengthField = (number: number): number => (number << 3) | 2;

/** Bytes of a whole number from 0 to 2^53. */
export const varintSize = (value: number): number => {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
};

/** The bytes of a field of this length, with its key. */
export const fieldSize = (length: number): number => 1 + varintSize(length) + length;

/** Writes into a buffer that its caller has made large enough. */
export class WireWriter {
  readonly bytes: Buffer;
  #at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.bytes[this.#at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.#at++] = rest;
  }

  number(field: number, value: number): void {
    this.bytes[this.#at++] = varintField(field);
    this.varint(value);
  }

  /** The key and the length of a field whose content is written next. */
  open(field: number, length: number): void {
    this.bytes[this.#at++] = lengthField(field);
    this.varint(length);
  }

  /** `length`: of its UTF-8, which the caller knows from the sizes. */
  text(field: number, content: string, length: number): void {
    this.open(field, length);
    this.#at += this.bytes.write(content, this.#at, length, 'utf8');
  }

  raw(content: Buffer): void {
    this.#at += content.copy(this.bytes, this.#at);
  }
}

/** Reads the part of a buffer from `at` to `end`, without copying. Throws when a field is longer than that. */
export class WireReader {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get more(): boolean {
    return this.at < this.end;
  }

  /** Exact up to 2^53: keys, lengths, and numbers that are small. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  /** Exact for all 64 bits. */
  uint64(): bigint {
    const from = this.at;
    const value = this.varint();
    if (value <= Number.MAX_SAFE_INTEGER) return BigInt(value);
    let exact = 0n;
    for (let at = this.at - 1; at >= from; at -= 1) exact = (exact << 7n) | BigInt((this.bytes[at] ?? 0) & 127);
    return BigInt.asUintN(64, exact);
  }

  /** A field's content, to be read on its own. */
  message(): WireReader {
    const end = this.#contentEnd();
    const content = new WireReader(this.bytes, this.at, end);
    this.at = end;
    return content;
  }

  text(): string {
    return this.message().rest();
  }

  /** All that is left, as text. */
  rest(): string {
    return this.bytes.toString('utf8', this.at, this.end);
  }

  /** Passes over the content of a field that is not needed. */
  skip(key: number): void {
    const kind = key & 7;
    if (kind === 0) this.varint();
    else if (kind === 1) this.at += 8;
    else if (kind === 2) this.at = this.#contentEnd();
    else if (kind === 5) this.at += 4;
    else throw new Error(`there is no wire type ${kind}`);
  }

  #byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined || this.at >= this.end) throw new Error('a message ends within a field');
    this.at += 1;
    return byte;
  }

  #contentEnd(): number {
    const length = this.varint();
    const end = this.at + length;
    if (end > this.end) throw new Error('a field is longer than its message');
    return end;
  }
}
