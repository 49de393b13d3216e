// The writer of log lines: at once, in order, and bounded where nobody takes them.
import { expect } from 'chai';
import { BoundedWriter, type Sink } from '../../src/cli/bounded-writer.ts';
import { liveWorld } from '../../src/world.ts';

/** Takes as many bytes as `next` answers, or none and a fault; waits while that is a promise. */
class ScriptedSink implements Sink {
  readonly #taken: Buffer[] = [];
  next: (bytes: Buffer) => number | Error | Promise<number> = (bytes) => bytes.length;

  async write(bytes: Buffer): Promise<number> {
    const taken = await this.next(bytes);
    if (taken instanceof Error) throw taken;
    this.#taken.push(Buffer.from(bytes.subarray(0, taken)));
    return taken;
  }

  writeNow(bytes: Buffer): void {
    this.#taken.push(bytes);
  }

  get text(): string {
    return String(Buffer.concat(this.#taken));
  }
}

const faultOf = (code: string): Error => Object.assign(new Error(code), { code });
const LONG_MS = 5_000;

describe('a bounded writer', () => {
  let sink: ScriptedSink;
  let told: number[];
  const open = (bytes: number): BoundedWriter =>
    new BoundedWriter(sink, liveWorld, (lines) => void told.push(lines), { bytes, retryMs: 1, chunkBytes: 65_536 });
  beforeEach(() => {
    sink = new ScriptedSink();
    told = [];
  });

  it('hands the first line on at once, and writes all lines in order, even if only a few bytes are accepted at a time', async () => {
    const handed: string[] = [];
    sink.next = (bytes) => {
      handed.push(String(bytes));
      return Math.min(3, bytes.length);
    };
    const writer = open(1_000);
    writer.write('one ü\n');
    expect(handed).to.deep.equal(['one ü\n']);
    writer.write('two\n');
    writer.write('three\n');
    await writer.flush(LONG_MS);
    expect(sink.text).to.equal('one ü\ntwo\nthree\n');
    expect([writer.dropped, told]).to.deep.equal([0, []]);
  });

  it('keeps lines that a full disk does not take, and writes them when there is room', async () => {
    let failures = 3;
    sink.next = (bytes) => {
      failures -= 1;
      return failures >= 0 ? faultOf('ENOSPC') : bytes.length;
    };
    const writer = open(1_000);
    writer.write('kept\n');
    writer.write('as well\n');
    await writer.flush(LONG_MS);
    expect(sink.text).to.equal('kept\nas well\n');
    writer.write('later\n');
    await writer.flush(LONG_MS);
    expect(sink.text).to.equal('kept\nas well\nlater\n');
  });

  it('drops and counts lines without room, and tells the count once when half of the room is free', async () => {
    let take: (taken: number) => void = () => undefined;
    const stalled = (): Promise<number> =>
      new Promise((resolve) => {
        take = resolve;
      });
    sink.next = stalled;
    const writer = open(40);
    for (let line = 0; line < 10; line += 1) writer.write(`line ${line} ..\n`); // ten bytes each
    expect(writer.dropped).to.equal(6);
    expect(told).to.deep.equal([]);
    sink.next = (bytes) => bytes.length;
    take(10);
    await writer.flush(LONG_MS);
    expect(told).to.deep.equal([6]);
    expect(sink.text).to.equal('line 0 ..\nline 1 ..\nline 2 ..\nline 3 ..\n');
    writer.write('after\n');
    await writer.flush(LONG_MS);
    expect([told, writer.dropped]).to.deep.equal([[6], 6]);
  });

  it('waits no longer than it is told to, and at the very end of a process writes the lines that were never handed on', async () => {
    sink.next = () => new Promise<number>(() => undefined);
    const writer = open(1_000);
    writer.write('stuck\n');
    writer.write('behind\n');
    await writer.flush(1);
    expect(sink.text).to.equal('');
    writer.flushNow();
    expect(sink.text).to.equal('behind\n');
  });

  it('stops writing when its reader has gone, without another try', async () => {
    let tried = 0;
    sink.next = () => {
      tried += 1;
      return faultOf('EPIPE');
    };
    const writer = open(1_000);
    writer.write('one\n');
    writer.write('two\n');
    await writer.flush(LONG_MS);
    writer.write('three\n');
    await writer.flush(LONG_MS);
    expect([tried, writer.dropped, told]).to.deep.equal([1, 3, []]);
  });
});
