// The part of protobuf's wire format that the fast messages need: varints and length-delimited fields.

/** A field's key: its number and whether a varint (0) or a length (2) follows. */
export const varintField = (number: number): number => number << 3;
export const lengthField = (number: number): number => (number << 3) | 2;

export const varintSize = (value: number): number => {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
};

/** The size of a length-delimited field with its key and length. Only for field numbers below 16. */
export const fieldSize = (length: number): number => 1 + varintSize(length) + length;

/** Writes into a buffer from `at` on. The caller makes sure that it is large enough. */
export class WireWriter {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(value: number): void {
    this.bytes[this.at++] = value;
  }

  /** A whole number from 0 to 2^53. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.bytes[this.at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.at++] = rest;
  }

  number(field: number, value: number): void {
    this.byte(varintField(field));
    this.varint(value);
  }

  /** Writes the key and the length of a field. The caller writes its content next. */
  open(field: number, length: number): void {
    this.byte(lengthField(field));
    this.varint(length);
  }

  raw(content: Buffer): void {
    content.copy(this.bytes, this.at);
    this.at += content.length;
  }

  ascii(content: string): void {
    this.at += this.bytes.write(content, this.at, 'latin1');
  }

  field(field: number, content: Buffer): void {
    this.open(field, content.length);
    this.raw(content);
  }
}

/** Reads the part of a buffer from `at` to `end`, without copying. */
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

  /** Exact up to 2^53. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  /** A length-delimited field's content, to be read on its own. */
  message(): WireReader {
    const end = this.#contentEnd();
    const content = new WireReader(this.bytes, this.at, end);
    this.at = end;
    return content;
  }

  slice(): Buffer {
    const end = this.#contentEnd();
    const content = this.bytes.subarray(this.at, end);
    this.at = end;
    return content;
  }

  text(): string {
    const end = this.#contentEnd();
    const content = this.bytes.toString('utf8', this.at, end);
    this.at = end;
    return content;
  }

  /** Skips the content of an unknown field. */
  skip(key: number): void {
    switch (key & 7) {
      case 0:
        this.varint();
        return;
      case 1:
        this.at += 8;
        return;
      case 2:
        this.at = this.#contentEnd();
        return;
      case 5:
        this.at += 4;
        return;
      default:
        throw new Error(`no such wire type: ${key & 7}`);
    }
  }

  #contentEnd(): number {
    const length = this.varint();
    const end = this.at + length;
    if (end > this.end) throw new Error('a field is longer than its message');
    return end;
  }
}
