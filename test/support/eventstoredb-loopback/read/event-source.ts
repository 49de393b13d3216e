// The source of a read: the events of one stream or of $all, in order, numbered from 0, as frames.
import type { EventLog, LoggedStream } from '../log/event-log.ts';
import { checkpoint } from './read-messages.ts';
import type { EventFilter } from './read-request.ts';

/** Several frames, and the number after the last of them. */
export interface Taken {
  /** Empty if no event matched. */
  readonly frames: readonly Buffer[];
  /** The number of the next event. */
  readonly next: number;
}

export interface EventSource {
  /** The number of events so far. */
  count(): number;
  /** Takes events from number `from` to before `to`, up to about `maxBytes`. */
  take(from: number, to: number, maxBytes: number): Taken;
  /** True if `take` would include this event. */
  includes(number: number): boolean;
}

export function streamSource(log: EventLog, name: string): EventSource {
  let stream: LoggedStream | undefined;
  return {
    count: () => {
      stream ??= log.stream(name);
      return stream?.events.length ?? 0;
    },
    take(from, to, maxBytes) {
      const frames: Buffer[] = [];
      let [next, bytes] = [from, 0];
      while (next < to && bytes < maxBytes) {
        const index = stream?.events[next] ?? 0;
        const frame = log.frame(index);
        frames.push(frame);
        bytes += frame.length;
        next += 1;
      }
      return { frames, next };
    },
    includes: () => true,
  };
}

/** Neighbouring events come as one piece of the log, so that a million events cost little. */
export function allSource(log: EventLog, filter: EventFilter | undefined): EventSource {
  const includes = filter === undefined ? (): boolean => true : remembered(log, filter);
  let scanned = 0;
  return {
    count: () => log.count,
    take(from, to, maxBytes) {
      const frames: Buffer[] = [];
      let [next, bytes, run] = [from, 0, -1];
      const endRun = (): void => {
        if (run === -1) return;
        const frame = log.frames(run, next);
        frames.push(frame);
        bytes += frame.length;
        run = -1;
      };
      for (; next < to && bytes < maxBytes; next += 1) {
        const included = includes(next);
        // A run ends before it exceeds `maxBytes`: its bytes are only counted at its end.
        if (run !== -1 && (!included || log.beginsChunk(next) || log.position(next) - log.position(run) >= maxBytes))
          endRun();
        if (included && run === -1) run = next;
        if (filter === undefined) continue;
        scanned += 1;
        if (scanned % filter.checkpointEvents !== 0) continue;
        next += 1;
        endRun();
        next -= 1;
        frames.push(checkpoint(log.position(next)));
      }
      endRun();
      return { frames, next };
    },
    includes,
  };
}

/** Asks the filter once for each stream name or event type. */
function remembered(log: EventLog, { on, matches }: EventFilter): (index: number) => boolean {
  const known: (boolean | undefined)[] = [];
  return (index) => {
    const id = on === 'stream' ? log.streamId(index) : log.typeId(index);
    known[id] ??= matches(on === 'stream' ? log.streamName(index) : log.typeName(index));
    return known[id];
  };
}
