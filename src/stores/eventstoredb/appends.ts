// Appends until their outcome is known: what may have been written is sent again, with the same ids at the same place, then read.

import { AppError } from '../../app-error.ts';
import type { World } from '../../world.ts';
import { checkAppend } from '../check-append.ts';
import type { Appended, NewEvent } from '../event-store.ts';
import type { StoreMeters } from '../store-meters.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import type { Answer } from './append-call.ts';
import type { AppendLine } from './append-line.ts';
import { checkEventText } from './check-event-text.ts';
import { AccessDenied, messageOf, StreamTombstoned } from './faults.ts';
import type { Reads } from './reads.ts';
import { appendRequest } from './requests.ts';
import type { EventStoreDbTimings } from './timings.ts';

/** Appends that one store holds at a time, and the UTF-16 units of their texts; more are refused. */
const MAX_APPENDS = 10_000;
const MAX_UNITS = 64 * 1024 * 1024;
/** The server gives up waiting for its disks after 2 s; what it calls late much sooner was late by its clock when it came. */
const SERVER_GIVES_UP_MS = 1_000;
/** Pause before what was answered, but not conclusively, is sent again. */
const AGAIN_MS = 100;

export interface AppendsOptions {
  readonly line: AppendLine;
  readonly reads: Reads;
  readonly world: World;
  readonly meters: StoreMeters;
  readonly timings: EventStoreDbTimings;
}

export class Appends {
  readonly #options: AppendsOptions;
  readonly #closed = new AbortController();
  #appends = 0;
  #units = 0;

  constructor(options: AppendsOptions) {
    this.#options = options;
  }

  /** As the port says. Throws StoreUnavailable, AppError AccessDenied, StreamTombstoned and AppendRefused, TypeError. */
  async append(stream: string, after: number, events: readonly NewEvent[]): Promise<Appended> {
    const units = checkAppend(stream, after, events);
    checkEventText(events);
    if (this.#closed.signal.aborted) throw new StoreUnavailable('the store is closed');
    if (this.#appends >= MAX_APPENDS || this.#units + units > MAX_UNITS)
      throw new StoreUnavailable(`${this.#appends} appends wait for EventStoreDB already`);
    this.#appends += 1;
    this.#units += units;
    try {
      return await this.#untilKnown(stream, after, events);
    } finally {
      this.#appends -= 1;
      this.#units -= units;
    }
  }

  /** No append begins from now on. */
  close(): void {
    this.#closed.abort();
  }

  async #untilKnown(stream: string, after: number, events: readonly NewEvent[]): Promise<Appended> {
    const { line, world, meters, timings } = this.#options;
    const request = appendRequest(stream, after, events);
    const until = world.monotonic() + timings.outcomePatienceMs;
    let mayBeWritten = false;
    let fault: unknown;
    for (let tries = 1; ; tries += 1) {
      const call = await line.call(mayBeWritten ? until : undefined);
      if (call === undefined || (mayBeWritten && world.monotonic() >= until)) throw unavailable(fault ?? line.fault, mayBeWritten);
      if (tries > 1) meters.retried();
      const answer = await call.send(request);
      if (answer.kind === 'unsent') continue;
      if (answer.kind === 'refused' && !mayBeWritten) throw refusalOf(stream, answer);
      if (answer.kind === 'late' && !mayBeWritten && answer.afterMs < SERVER_GIVES_UP_MS) throw tooLateAtOnce(answer.afterMs);
      if (answer.kind === 'written' || answer.kind === 'conflict') {
        if (!mayBeWritten) return answer.kind;
        const found = await this.#find(stream, after, events);
        if (found !== undefined) return found;
      } else {
        meters.outcomeUnknown();
        mayBeWritten = true;
        fault = faultIn(answer);
      }
      await world.sleep(AGAIN_MS, this.#closed.signal).catch(() => undefined);
    }
  }

  /** Whether the events are in their places; undefined when that can not be read now. */
  async #find(stream: string, after: number, events: readonly NewEvent[]): Promise<Appended | undefined> {
    try {
      const { events: there } = await this.#options.reads.page(stream, after, events.length);
      return events.every(({ id }, index) => there[index]?.id === id) ? 'written' : 'conflict';
    } catch (fault) {
      if (fault instanceof StoreUnavailable) return undefined;
      throw fault;
    }
  }
}

function unavailable(fault: unknown, outcomeUnknown: boolean): StoreUnavailable {
  const why = outcomeUnknown ? 'the append was sent, and whether it was written could not be found out' : 'nothing was sent';
  return new StoreUnavailable(`EventStoreDB is away (${messageOf(fault)}): ${why}`, { cause: fault, outcomeUnknown });
}

const tooLateAtOnce = (afterMs: number): StoreUnavailable =>
  new StoreUnavailable(
    `EventStoreDB called an append late ${Math.round(afterMs)} ms after it was sent. Look whether the clocks of this machine and the server agree.`,
  );

function faultIn(answer: Answer): unknown {
  if (answer.kind === 'lost') return answer.cause;
  return new Error(answer.kind === 'refused' ? answer.message : 'EventStoreDB could not write in its time');
}

/** Nothing was written, and why. */
function refusalOf(stream: string, { why, message }: Answer & { readonly kind: 'refused' }): AppError {
  switch (why) {
    case 'denied':
      return new AccessDenied(`append to ${stream}`, undefined);
    case 'tombstoned':
      return new StreamTombstoned(`append to ${stream}`, undefined);
    case 'not_ready':
      return new StoreUnavailable(`EventStoreDB takes no appends now: ${message}`);
    case 'too_large':
    case 'bad_request':
      return new AppError('AppendRefused', `EventStoreDB refuses an append to ${stream}: ${message}`);
    default:
      return why satisfies never;
  }
}
