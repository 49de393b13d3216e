// The wire protocol: cuts messages out of a stream of bytes; OP_MSG, and the OP_QUERY of a driver's first hello.
import { decode, EMPTY_DOCUMENT } from './bson/elements.ts';
import type { Command } from './commands/command.ts';

const HEADER = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const FLAGS = { checksum: 1, moreToCome: 2, exhaustAllowed: 1 << 16 } as const;
const MESSAGE_BYTES = 48_000_000;

export interface Message {
  readonly command: Command;
  readonly requestId: number;
  readonly legacy: boolean;
  /** The client expects no answer, as with a write of `w: 0`. */
  readonly unanswered: boolean;
  /** The client accepts several answers. */
  readonly exhaustAllowed: boolean;
}

/** Cuts messages out of the bytes from a socket. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #size = 0;

  /** Answers the messages that are complete now. */
  read(chunk: Buffer): readonly Message[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const messages: Message[] = [];
    for (;;) {
      const first = this.#joined(HEADER);
      if (first === undefined) return messages;
      const length = first.readInt32LE(0);
      if (length < HEADER || length > MESSAGE_BYTES) throw new Error(`a message of ${length} bytes`);
      const bytes = this.#joined(length);
      if (bytes === undefined) return messages;
      messages.push(readMessage(bytes.subarray(0, length)));
      this.#chunks = bytes.length === length ? [] : [bytes.subarray(length)];
      this.#size -= length;
    }
  }

  /** A buffer that begins with the first `length` bytes, once they have come. */
  #joined(length: number): Buffer | undefined {
    if (this.#size < length) return undefined;
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= length) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}

function readMessage(bytes: Buffer): Message {
  const requestId = bytes.readInt32LE(4);
  const opCode = bytes.readInt32LE(12);
  if (opCode === OP_QUERY) return readQuery(bytes, requestId);
  if (opCode === OP_MSG) return readMsg(bytes, requestId);
  throw new Error(`operation code ${opCode} is not served`);
}

function commandOf(
  bytes: Buffer,
  sequences: ReadonlyMap<string, readonly Buffer[]>,
  database: string | undefined,
): Command {
  const body = decode(bytes);
  const [name = ''] = Object.keys(body);
  return { name, database: database ?? String(body['$db']), body, bytes, sequences };
}

function readQuery(bytes: Buffer, requestId: number): Message {
  const name = HEADER + 4;
  const behind = bytes.indexOf(0, name);
  const body = behind + 1 + 8;
  const [database = ''] = bytes.toString('utf8', name, behind).split('.');
  const doc = bytes.subarray(body, body + bytes.readInt32LE(body));
  return {
    command: commandOf(doc, new Map(), database),
    requestId,
    legacy: true,
    unanswered: false,
    exhaustAllowed: false,
  };
}

function readMsg(bytes: Buffer, requestId: number): Message {
  const flags = bytes.readUInt32LE(HEADER);
  const end = bytes.length - ((flags & FLAGS.checksum) === 0 ? 0 : 4);
  const sequences = new Map<string, readonly Buffer[]>();
  let body: Buffer = EMPTY_DOCUMENT;
  let at = HEADER + 4;
  while (at < end) {
    const kind = bytes[at];
    const size = bytes.readInt32LE(at + 1);
    const section = bytes.subarray(at + 1, at + 1 + size);
    if (kind === 0) body = section;
    else {
      const behind = section.indexOf(0, 4);
      sequences.set(section.toString('utf8', 4, behind), documents(section, behind + 1));
    }
    at += 1 + size;
  }
  return {
    command: commandOf(body, sequences, undefined),
    requestId,
    legacy: false,
    unanswered: (flags & FLAGS.moreToCome) !== 0,
    exhaustAllowed: (flags & FLAGS.exhaustAllowed) !== 0,
  };
}

function documents(section: Buffer, from: number): Buffer[] {
  const found: Buffer[] = [];
  for (let at = from; at < section.length; ) {
    const size = section.readInt32LE(at);
    found.push(section.subarray(at, at + size));
    at += size;
  }
  return found;
}

let lastId = 0;

/** The bytes of an answer on the wire, and its id there. */
export function writeReply(
  doc: Buffer,
  answers: number,
  legacy: boolean,
  moreToCome: boolean,
): { readonly bytes: Buffer; readonly id: number } {
  lastId = (lastId + 1) & 0x7fffffff;
  const prefix = legacy ? HEADER + 20 : HEADER + 5;
  const bytes = Buffer.allocUnsafe(prefix + doc.length);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(lastId, 4);
  bytes.writeInt32LE(answers, 8);
  bytes.writeInt32LE(legacy ? OP_REPLY : OP_MSG, 12);
  bytes.fill(0, HEADER, prefix);
  if (legacy) bytes.writeInt32LE(1, HEADER + 16);
  else if (moreToCome) bytes.writeInt32LE(FLAGS.moreToCome, HEADER);
  doc.copy(bytes, prefix);
  return { bytes, id: lastId };
}
