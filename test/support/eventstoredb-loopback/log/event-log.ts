// The log: all events in the order of their appends, and the places of each stream's events.
import { join } from 'node:path';
import { FRAME_HEADER_BYTES } from '../grpc/grpc-call.ts';
import { mapEntry, type ProposedEvent, planRecord, type RecordHead, recordHead, recordId } from './event-record.ts';
import { GrowingNumbers } from './growing-numbers.ts';
import { LogFile, type RecordAt } from './log-file.ts';

export interface LoggedStream {
  readonly id: number;
  readonly name: string;
  readonly nameBytes: Buffer;
  /** Its events' indexes in the log, by revision. */
  readonly events: number[];
}

export class EventLog {
  readonly #file: LogFile;
  readonly #positions = new GrowingNumbers(true);
  readonly #chunkOf = new GrowingNumbers(false);
  readonly #streamOf = new GrowingNumbers(false);
  readonly #typeOf = new GrowingNumbers(false);
  readonly #streams = new Map<string, LoggedStream>();
  readonly #streamNames: string[] = [];
  readonly #types = new Map<string, number>();
  readonly #typeNames: string[] = [];

  /** Reads the log in the directory. An append that a kill cut off is dropped. */
  constructor(directory: string) {
    this.#file = new LogFile(join(directory, 'eventstoredb-loopback.log'), (bytes, at) => this.#take(bytes, at));
  }

  /** The number of events. Their indexes begin at 0. */
  get count(): number {
    return this.#positions.length;
  }

  /** The position that the next event gets. */
  get end(): number {
    return this.#file.end;
  }

  stream(name: string): LoggedStream | undefined {
    return this.#streams.get(name);
  }

  /** Writes the events of one append, in memory until `commit`. `at` is in milliseconds since 1970. */
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
      const record = planRecord(event, place);
      const at = this.#file.put(record.size, (bytes, start) => record.write(bytes, start));
      this.#index(target, event.type, at);
    });
  }

  /** Returns when everything written is in the file and so survives the process. */
  commit(): void {
    this.#file.commit();
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

  /** When the event was written, in milliseconds since 1970. */
  createdAt(index: number): number {
    return recordHead(this.frame(index)).created;
  }

  eventId(index: number): string {
    return recordId(this.frame(index));
  }

  /** The frame that readers of this event get: a part of the log, not a copy. */
  frame(index: number): Buffer {
    return this.frames(index, index + 1);
  }

  /** The frames of the events from `from` to before `to`, at most to the end of their chunk; see `beginsChunk`. */
  frames(from: number, to: number): Buffer {
    const chunk = this.#chunkOf.at(from);
    const within = to < this.count && this.#chunkOf.at(to) === chunk;
    return this.#file.slice(chunk, this.#positions.at(from), within ? this.#positions.at(to) : undefined);
  }

  /** True if the event before `index` lies in another chunk, so that their frames don't follow each other. */
  beginsChunk(index: number): boolean {
    return index === 0 || this.#chunkOf.at(index) !== this.#chunkOf.at(index - 1);
  }

  close(): void {
    this.#file.close();
  }

  #index(stream: LoggedStream, type: string, { chunk, position }: RecordAt): void {
    stream.events.push(this.count);
    this.#positions.push(position);
    this.#chunkOf.push(chunk);
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
    const stream: LoggedStream = {
      id: this.#streamNames.push(name) - 1,
      name,
      nameBytes: Buffer.from(name),
      events: [],
    };
    this.#streams.set(name, stream);
    return stream;
  }

  /** Takes whole appends only, as `LogFile` requires. */
  #take(bytes: Buffer, { chunk, position }: RecordAt): number {
    let append: { readonly at: number; readonly head: RecordHead }[] = [];
    let [at, taken] = [0, 0];
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const end = at + FRAME_HEADER_BYTES + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) break;
      const head = recordHead(bytes.subarray(at, end));
      append.push({ at, head });
      at = end;
      if (head.more) continue;
      for (const record of append) {
        this.#index(this.#streamNamed(record.head.streamName), record.head.type, {
          chunk,
          position: position + record.at,
        });
      }
      append = [];
      taken = at;
    }
    return taken;
  }
}
