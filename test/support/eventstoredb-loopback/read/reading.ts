// Answers reads of a stream or of $all, forwards or backwards, no faster than the client takes them.
import { failures } from '../grpc/failures.ts';
import { type GrpcCall, OK } from '../grpc/grpc-call.ts';
import type { EventLog } from '../log/event-log.ts';
import { firstVisible, isSoftDeleted, isTombstoned } from '../log/stream-metadata.ts';
import { allSource, type EventSource, streamSource } from './event-source.ts';
import { streamNotFound } from './read-messages.ts';
import type { From, ReadRequest } from './read-request.ts';

/** The bytes of one write. */
export const WRITE_BYTES = 64 * 1024;

export async function read(
  log: EventLog,
  call: GrpcCall,
  request: ReadRequest & { readonly count: number },
): Promise<void> {
  const { stream: name, backwards, count, from } = request;
  if (count === 0 || (from === 'end' && !backwards)) return call.end(failures.invalid('what is read from where'));
  if (name === undefined) {
    const range = allRange(log, request);
    return range === undefined
      ? call.end(failures.unexpected())
      : send(call, allSource(log, request.filter), range, backwards);
  }
  const stream = log.stream(name);
  if (stream !== undefined && isTombstoned(log, stream)) return call.end(failures.deleted(name));
  // A stream of which nothing is left to see is found, unless it was deleted.
  if (stream === undefined || isSoftDeleted(log, name)) return call.end(OK, streamNotFound(name));
  const first = firstVisible(log, stream);
  const range = limited(rangeOf(request.from, stream.events.length, backwards), count, backwards, first);
  return send(call, streamSource(log, name), range, backwards);
}

/** The numbers from `from` to before `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Undefined if the position lies inside a record, or beyond the end when reading backwards. */
function allRange(
  log: EventLog,
  { from, backwards, count }: ReadRequest & { readonly count: number },
): Range | undefined {
  if (typeof from !== 'number') return limited(rangeOf(from, log.count, backwards), count, backwards, 0);
  const index = indexAt(log, from);
  if (index === undefined) return undefined;
  if (backwards && from > log.end) return undefined;
  // Reading backwards starts at a record's start: the record before it comes first.
  const range = backwards ? { from: 0, to: index } : { from: index, to: log.count };
  return limited(range, count, backwards, 0);
}

/** The index of the event at this position or after it; undefined if the position lies inside a record. */
export function indexAt(log: EventLog, position: number): number | undefined {
  const index = log.indexFrom(position);
  // The server looks at no record after its last one, so a position beyond that start is never wrong.
  if (index === log.count) return index;
  return log.position(index) === position || position === 0 ? index : undefined;
}

/** The range of a stream's events from a revision, which is included. */
function rangeOf(from: From, length: number, backwards: boolean): Range {
  if (from === 'start') return backwards ? { from: 0, to: Math.min(1, length) } : { from: 0, to: length };
  if (from === 'end') return backwards ? { from: 0, to: length } : { from: length, to: length };
  return backwards ? { from: 0, to: Math.min(from + 1, length) } : { from: Math.min(from, length), to: length };
}

const limited = ({ from, to }: Range, count: number, backwards: boolean, first: number): Range => {
  const start = Math.max(from, first);
  return backwards ? { from: Math.max(start, to - count), to } : { from: start, to: Math.min(to, start + count) };
};

async function send(call: GrpcCall, source: EventSource, { from, to }: Range, backwards: boolean): Promise<void> {
  source.count();
  let [low, high] = [from, to];
  while (low < high && !call.closed) {
    const frames: Buffer[] = [];
    if (backwards) {
      for (let bytes = 0; low < high && bytes < WRITE_BYTES; ) {
        high -= 1;
        const taken = source.take(high, high + 1, 1).frames;
        frames.push(...taken);
        bytes += taken.reduce((sum, frame) => sum + frame.length, 0);
      }
    } else {
      const taken = source.take(low, high, WRITE_BYTES);
      frames.push(...taken.frames);
      low = taken.next;
    }
    const all = joined(frames);
    if (low >= high) return call.end(OK, all);
    if (!call.send(all)) await call.drained();
  }
  call.end(OK, Buffer.alloc(0));
}

/** A single piece is not copied. */
export function joined(frames: readonly Buffer[]): Buffer {
  const [only] = frames;
  return only !== undefined && frames.length === 1 ? only : Buffer.concat(frames);
}
