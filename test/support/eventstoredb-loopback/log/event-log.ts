// The log: frames in memory in chunks, the same bytes in a file, and where each event of each stream lies.
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FRAME_HEADER_BYTES } from '../grpc/grpc-call.ts';
import { mapEntry, type PlannedRecord, type ProposedEvent, planRecord, recordHead, recordId } from './event-record.ts';
import { GrowingNumbers } from './growing-numbers.ts';

export interface LoggedStream {
  readonly id: number;
  readonly name: string;
  readonly nameBytes: Buffer;
  /** Its events' indexes in the log, by revision. */
  readonly events: number[];
}

/** What comes before the first record in the file, so that no event is at position 0. */
const FILE_HEADER = Buffer.from('events of the loopback server, each as the frame that readers are sent\n'.padEnd(127));
const CHUNK_BYTES = 16 * 1024 * 1024;

interface Chunk {
  /** The position of its first byte. */
  readonly base: number;
  readonly bytes: Buffer;
  used: number;
}

export class EventLog {
  readonly #file: number;
  readonly #chunks: Chunk[] = [];
  /** Up to where the file has the log. */
  #written = 0;
  readonly #positions = new GrowingNumbers(true);
  readonly #chunkOf = new GrowingNumbers(false);
  readonly #streamOf = new GrowingNumbers(false);
  readonly #typeOf = new GrowingNumbers(false);
  readonly #streams = new Map<string, LoggedStream>();
  readonly #streamNames: string[] = [];
  readonly #types = new Map<string, number>();
  readonly #typeNames: string[] = [];

  /** Reads what the directory's log has, less an append that was cut off by a kill. */
  constructor(directory: string) {
    this.#file = openSync(join(directory, 'eventstoredb-loopback.log'), 'a+');
    this.#load();
  }

  /** How many events there are; they have indexes from 0 on. */
  get count(): number {
    return this.#positions.length;
  }

  /** The position that the next event gets. */
  get end(): number {
    const chunk = this.#chunks.at(-1);
    return chunk === undefined ? 0 : chunk.base + chunk.used;
  }

  stream(name: string): LoggedStream | undefined {
    return this.#streams.get(name);
  }

  /** Writes one append's events, in memory until `commit`; `at` is in milliseconds since 1970. */
  write(stream: string, events: readonly ProposedEvent[], at: number): void {
    const target = this.#streamNamed(stream);
    const created = mapEntry('created', `${at}0000`);
    events.forEach((event, index) => {
      const place = {
        streamName: target.nameBytes,
        revision: target.events.length,
        position: this.end,
        created,
        more: index < events.length - 1,
      };
      this.#put(planRecord(event, place));
      this.#index(target, event.type);
    });
  }

  /** Everything written is in the file when this returns, so it survives the process. */
  commit(): void {
    for (const chunk of this.#chunks.slice(-2)) {
      const end = chunk.base + chunk.used;
      while (this.#written < end) {
        this.#written += writeSync(this.#file, chunk.bytes, this.#written - chunk.base, end - this.#written);
      }
    }
  }

  position(index: number): number {
    return this.#positions.at(index);
  }

  /** The first event at this position or later. */
  indexFrom(position: number): number {
    return this.#positions.firstFrom(position);
  }

  streamId(index: number): number {
    return this.#streamOf.at(index);
  }

  streamName(index: number): string {
    return this.#streamNames[this.#streamOf.at(index)] ?? '';
  }

  typeId(index: number): number {
    return this.#typeOf.at(index);
  }

  typeName(index: number): string {
    return this.#typeNames[this.#typeOf.at(index)] ?? '';
  }

  eventId(index: number): string {
    return recordId(this.frame(index));
  }

  /** What a reader of this event is sent; a part of the log, not a copy. */
  frame(index: number): Buffer {
    return this.frames(index, index + 1);
  }

  /** The frames of the events from `from` to before `to`, which is cut short where the next chunk begins; see `runEnd`. */
  frames(from: number, to: number): Buffer {
    const chunk = this.#chunks[this.#chunkOf.at(from)];
    if (chunk === undefined) throw new Error('no such event');
    const end = to < this.count && this.#chunkOf.at(to) === this.#chunkOf.at(from) ? this.#positions.at(to) - chunk.base : chunk.used;
    return chunk.bytes.subarray(this.#positions.at(from) - chunk.base, end);
  }

  /** Whether the event before `index` lies in another chunk, so that their frames don't follow each other. */
  beginsChunk(index: number): boolean {
    return index === 0 || this.#chunkOf.at(index) !== this.#chunkOf.at(index - 1);
  }

  close(): void {
    closeSync(this.#file);
  }

  #put(record: PlannedRecord): void {
    const last = this.#chunks.at(-1);
    const chunk = last !== undefined && last.bytes.length - last.used >= record.size ? last : this.#nextChunk(this.end);
    record.write(chunk.bytes, chunk.used);
    this.#positions.push(chunk.base + chunk.used);
    this.#chunkOf.push(this.#chunks.length - 1);
    chunk.used += record.size;
  }

  #nextChunk(base: number): Chunk {
    this.commit();
    const chunk: Chunk = { base, bytes: Buffer.allocUnsafeSlow(CHUNK_BYTES), used: 0 };
    this.#chunks.push(chunk);
    return chunk;
  }

  #index(stream: LoggedStream, type: string): void {
    stream.events.push(this.#streamOf.length);
    this.#streamOf.push(stream.id);
    let typeId = this.#types.get(type);
    if (typeId === undefined) {
      typeId = this.#typeNames.push(type) - 1;
      this.#types.set(type, typeId);
    }
    this.#typeOf.push(typeId);
  }

  #streamNamed(name: string): LoggedStream {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const stream: LoggedStream = { id: this.#streamNames.push(name) - 1, name, nameBytes: Buffer.from(name), events: [] };
    this.#streams.set(name, stream);
    return stream;
  }

  #load(): void {
    const header = Buffer.alloc(FILE_HEADER.length);
    if (readSync(this.#file, header, 0, header.length, 0) < header.length) {
      ftruncateSync(this.#file, 0);
      writeSync(this.#file, FILE_HEADER);
    }
    this.#written = FILE_HEADER.length;
    let read: number;
    do {
      const chunk: Chunk = { base: this.#written, bytes: Buffer.allocUnsafeSlow(CHUNK_BYTES), used: 0 };
      this.#chunks.push(chunk);
      read = readSync(this.#file, chunk.bytes, 0, CHUNK_BYTES, chunk.base);
      this.#loadChunk(chunk, read);
      this.#written = chunk.base + chunk.used;
    } while (read === CHUNK_BYTES);
    ftruncateSync(this.#file, this.#written);
  }

  /** Takes whole appends only: the next chunk begins with what is cut off here, unless the file ends. */
  #loadChunk(chunk: Chunk, bytesRead: number): void {
    let heads: { readonly at: number; readonly stream: string; readonly type: string }[] = [];
    let at = 0;
    while (bytesRead - at >= FRAME_HEADER_BYTES) {
      const end = at + FRAME_HEADER_BYTES + chunk.bytes.readUInt32BE(at + 1);
      if (end > bytesRead) break;
      const head = recordHead(chunk.bytes.subarray(at, end));
      heads.push({ at, stream: head.streamName, type: head.type });
      at = end;
      if (head.more) continue;
      for (const { at: start, stream, type } of heads) {
        this.#positions.push(chunk.base + start);
        this.#chunkOf.push(this.#chunks.length - 1);
        this.#index(this.#streamNamed(stream), type);
      }
      heads = [];
      chunk.used = at;
    }
  }
}
