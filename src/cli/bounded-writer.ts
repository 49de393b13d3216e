// Lines for a slow reader or a disk that may be full: no caller waits for them. Lines without room are dropped and
// counted.
import { type World, within } from '../world.ts';

/** The place that the bytes go to. */
export interface Sink {
  /** Resolves with how many of the bytes were taken, one at least; rejects when none were. */
  write(bytes: Buffer): Promise<number>;
  /** Writes when the process ends, without waiting; does nothing if that could take long. */
  writeNow(bytes: Buffer): void;
}

interface WriterLimits {
  /** Of lines that wait, together; those that are being written included. */
  readonly bytes: number;
  /** How long after a failure the same bytes are tried again. */
  readonly retryMs: number;
  /** How much the sink gets at a time, where a line is not longer; a pipe takes 64 KiB. */
  readonly chunkBytes: number;
}
export const defaultLimits: WriterLimits = { bytes: 524_288, retryMs: 500, chunkBytes: 65_536 };

/** After these errors no reader comes back: the reader of a pipe has gone, or the stream in front of it has ended. */
const GONE: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'EBADF', 'ERR_STREAM_DESTROYED']);

export class BoundedWriter {
  readonly #sink: Sink;
  readonly #world: World;
  readonly #onDropped: (lines: number) => void;
  readonly #limits: WriterLimits;
  #waiting: Buffer[] = [];
  /** Of lines not written yet, the chunk under way included. */
  #bytes = 0;
  #writing: Promise<void> | undefined;
  #isGone = false;
  #dropped = 0;
  #untold = 0;

  /** `onDropped` is called when there is room again after lines were dropped; it may write. */
  constructor(sink: Sink, world: World, onDropped: (lines: number) => void, limits: WriterLimits = defaultLimits) {
    this.#sink = sink;
    this.#world = world;
    this.#onDropped = onDropped;
    this.#limits = limits;
  }

  /** Lines that were never written, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** One line with its end; never throws, never waits. */
  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#isGone || this.#bytes + line.length > this.#limits.bytes) {
      this.#drop(1);
      return;
    }
    this.#waiting.push(line);
    this.#bytes += line.length;
    this.#writing ??= this.#writeAll();
  }

  /** Waits until all is written, `withinMs` at most; the rest may still be written later. */
  async flush(withinMs: number): Promise<void> {
    await within(this.#world, withinMs, () => this.#writing ?? Promise.resolve());
  }

  /** For the end of the process; the chunk under way is the kernel's. */
  flushNow(): void {
    this.#sink.writeNow(Buffer.concat(this.#waiting.splice(0)));
  }

  async #writeAll(): Promise<void> {
    for (let chunk = this.#nextChunk(); chunk.length > 0; chunk = this.#nextChunk()) {
      await this.#writeWhole(chunk);
      this.#tellDropped();
    }
    this.#writing = undefined; // before anybody else runs: the next line starts again
  }

  #nextChunk(): Buffer {
    let bytes = 0;
    const lines = this.#waiting.findIndex((line) => {
      bytes += line.length;
      return bytes > this.#limits.chunkBytes;
    });
    return Buffer.concat(this.#waiting.splice(0, lines === -1 ? this.#waiting.length : Math.max(1, lines)));
  }

  /** A full disk has room again some time, and is asked until then. */
  async #writeWhole(chunk: Buffer): Promise<void> {
    for (let rest = chunk; rest.length > 0; ) {
      try {
        const taken = await this.#sink.write(rest);
        rest = rest.subarray(taken);
        this.#bytes -= taken;
      } catch (fault) {
        if (fault instanceof Error && 'code' in fault && GONE.has(fault.code)) return this.#giveUp(rest);
        await this.#world.sleep(this.#limits.retryMs, new AbortController().signal);
      }
    }
  }

  #giveUp(rest: Buffer): void {
    this.#isGone = true;
    this.#drop(rest.toString().split('\n').length - 1 + this.#waiting.length);
    this.#waiting = [];
    this.#bytes = 0;
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#untold += lines;
  }

  /** Not before half of the room is free: the line about dropped lines needs some. */
  #tellDropped(): void {
    if (this.#untold === 0 || this.#isGone || this.#bytes > this.#limits.bytes / 2) return;
    const lines = this.#untold;
    this.#untold = 0;
    this.#onDropped(lines);
  }
}
