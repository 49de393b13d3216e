// Decides an append as the real server does: written, written before, or a wrong expected revision.
import type { EventLog, LoggedStream } from '../log/event-log.ts';
import type { ProposedEvent } from '../log/event-record.ts';
import { isSoftDeleted, isTombstoned, metastreamOf } from '../log/stream-metadata.ts';

/** A number: the 0-based revision of the stream's last event. */
export type Expected = 'any' | 'no_stream' | 'stream_exists' | number;

export type Decision =
  | { readonly kind: 'write' }
  /** The events are already there; `revision` is that of the last one. */
  | { readonly kind: 'already_written'; readonly revision: number }
  /** `current` is undefined without a stream. */
  | { readonly kind: 'wrong_expected'; readonly current: number | undefined }
  | { readonly kind: 'deleted' };

/**
 * How many event ids the server remembers for appends that expect 'any'. A real server has a cache of some megabytes.
 */
const REMEMBERED = 100_000;

/** Ids of events that were written since the start. Only with these an append that expects 'any' is compared. */
export class RecentIds {
  readonly #indexes = new Map<string, number>();

  add(id: string, index: number): void {
    this.#indexes.set(id, index);
    if (this.#indexes.size <= REMEMBERED) return;
    for (const oldest of this.#indexes.keys()) {
      this.#indexes.delete(oldest);
      return;
    }
  }

  index(id: string): number | undefined {
    return this.#indexes.get(id);
  }
}

export function decide(
  log: EventLog,
  recent: RecentIds,
  append: { readonly stream: string; readonly expected: Expected; readonly events: readonly ProposedEvent[] },
): Decision {
  const stream = log.stream(append.stream);
  const head = (stream?.events.length ?? 0) - 1;
  if (stream !== undefined && isTombstoned(log, stream)) return { kind: 'deleted' };
  const softDeleted = isSoftDeleted(log, append.stream);
  const wrong: Decision = { kind: 'wrong_expected', current: head < 0 ? undefined : head };
  switch (append.expected) {
    case 'stream_exists':
      if (softDeleted) return { kind: 'deleted' };
      if (head < 0 && log.stream(metastreamOf(append.stream)) === undefined) return wrong;
      return decideAny(log, recent, stream, append.events);
    case 'any':
      return decideAny(log, recent, stream, append.events);
    case 'no_stream':
      return decideAt(-1);
    default:
      return decideAt(append.expected);
  }

  function decideAt(expected: number): Decision {
    if (expected === head) return { kind: 'write' };
    if (stream === undefined || expected > head) return wrong;
    const repeated = repeatedFrom(log, stream, expected + 1, append.events);
    if (repeated === 0 && expected === -1 && softDeleted) return { kind: 'write' };
    if (repeated === 0 || repeated < append.events.length) return wrong;
    return { kind: 'already_written', revision: expected + repeated };
  }
}

/** How many of the events, from the first on, are in the stream from this revision on. Their data is not compared. */
function repeatedFrom(log: EventLog, stream: LoggedStream, revision: number, events: readonly ProposedEvent[]): number {
  const differs = events.findIndex((event, offset) => {
    const index = stream.events[revision + offset];
    return index === undefined || log.eventId(index) !== event.id;
  });
  return differs === -1 ? events.length : differs;
}

function decideAny(
  log: EventLog,
  recent: RecentIds,
  stream: LoggedStream | undefined,
  events: readonly ProposedEvent[],
): Decision {
  let last: number | undefined;
  for (const [offset, event] of events.entries()) {
    const index = recent.index(event.id);
    if (index === undefined || stream === undefined || log.streamId(index) !== stream.id) {
      return offset === 0
        ? { kind: 'write' }
        : { kind: 'wrong_expected', current: stream === undefined ? undefined : stream.events.length - 1 };
    }
    last = index;
  }
  if (last === undefined || stream === undefined) return { kind: 'write' };
  return { kind: 'already_written', revision: stream.events.indexOf(last) };
}
