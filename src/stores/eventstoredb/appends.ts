// Appends until their outcome is known: an append without a conclusive answer is sent again (same ids, same place),
// then read. Text that EventStoreDB would not give back as it was sent is refused.
import { setMaxListeners } from 'node:events';
import { AppError } from '../../app-error.ts';
import { type World, within } from '../../world.ts';
import { checkAppend } from '../check-append.ts';
import type { Appended, NewEvent } from '../event-store.ts';
import type { StoreMeters } from '../store-meters.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { WrittenEvent } from '../written-event.ts';
import type { AppendAnswer, AppendRefusal } from './append-call.ts';
import type { AppendLine } from './append-line.ts';
import { type AppendMessages, appendRequest } from './append-messages.ts';
import { type AppendTurn, AppendTurns } from './append-turns.ts';
import { AccessDenied, messageOf } from './faults.ts';
import { tombstoned } from './lost-events.ts';
import type { Reads } from './reads.ts';
import { SendWindow } from './send-window.ts';
import type { EventStoreDbTimings } from './timings.ts';

/** Appends that one store holds at a time, and the UTF-16 units of their texts; more are refused. */
const MAX_APPENDS = 10_000;
const MAX_UNITS = 32 * 1024 * 1024;
/** Of these, under way to the server at a time. */
const WINDOW_UNITS = 4 * 1024 * 1024;
/** Pause before an append with an inconclusive answer is sent again. */
const AGAIN_MS = 100;

interface AppendsOptions {
  readonly line: AppendLine;
  readonly reads: Reads;
  readonly world: World;
  readonly meters: StoreMeters;
  readonly timings: EventStoreDbTimings;
  /** See EventStoreDbOptions. */
  readonly inOrder: boolean;
}

export class Appends {
  readonly #options: AppendsOptions;
  readonly #closed = new AbortController();
  readonly #window = new SendWindow(WINDOW_UNITS);
  readonly #turns: AppendTurns | undefined;
  #appends = 0;
  #units = 0;
  #onSettled: () => void = () => undefined;

  constructor(options: AppendsOptions) {
    this.#options = options;
    this.#turns = options.inOrder ? new AppendTurns() : undefined;
    setMaxListeners(0, this.#closed.signal); // every append that waits listens to it
  }

  /** As the port says. Throws StoreUnavailable, BrokenStream, AppError AccessDenied and AppendRefused, TypeError. */
  async append(stream: string, after: number, events: readonly NewEvent[]): Promise<Appended> {
    const units = checkAppend(stream, after, events);
    checkEventText(events);
    if (this.#closed.signal.aborted) throw new StoreUnavailable('the store is closed');
    if (this.#appends >= MAX_APPENDS || this.#units + units > MAX_UNITS)
      throw new StoreUnavailable(`${this.#appends} appends are already waiting for EventStoreDB`);
    this.#appends += 1;
    this.#units += units;
    try {
      if (this.#turns === undefined) return await this.#untilKnown(stream, after, events, units);
      return await this.#turns.take((turn) => this.#untilKnown(stream, after, events, units, turn));
    } finally {
      this.#appends -= 1;
      this.#units -= units;
      if (this.#appends === 0) this.#onSettled();
    }
  }

  /** No append begins from now on. Resolves when none is under way any more, or after `ms`. */
  async close(ms: number): Promise<void> {
    this.#closed.abort();
    const settled = new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
    if (this.#appends > 0) await within(this.#options.world, ms, () => settled);
  }

  async #untilKnown(
    stream: string,
    after: number,
    events: readonly NewEvent[],
    units: number,
    turn?: AppendTurn,
  ): Promise<Appended> {
    const { line, world, meters, timings } = this.#options;
    const request = appendRequest(stream, after, events);
    const until = world.monotonic() + timings.outcomePatienceMs;
    let mayBeWritten = false;
    let fault: unknown;
    for (;;) {
      const answer = await this.#try(request, units, mayBeWritten ? until : undefined, turn);
      if (answer.kind === 'unavailable') throw unavailable(fault ?? line.fault, mayBeWritten);
      // the line never holds a lost call: it makes the next turn wait, or ends it
      if (answer.kind === 'unsent') continue;
      if (answer.kind === 'refused' && !mayBeWritten) throw refusalOf(stream, answer);
      if (answer.kind === 'written') return 'written';
      if (answer.kind === 'conflict') {
        // A leader without a quorum answers so because it cannot commit some events, and these may be the very ones.
        const known = mayBeWritten ? await this.#find(stream, after, events) : 'conflict';
        if (known !== undefined) return known;
      } else if (answer.kind === 'refused' && isForGood(answer.why)) {
        if ((await this.#find(stream, after, events)) === 'written') return 'written';
        throw refusedAgain(refusalOf(stream, answer));
      } else {
        meters.outcomeUnknown();
        mayBeWritten = true;
        turn?.lost();
        fault = answer.kind === 'lost' ? answer.cause : new Error(answer.message);
      }
      if (world.monotonic() >= until) throw unavailable(fault, mayBeWritten);
      await world.sleep(AGAIN_MS, this.#closed.signal).catch(() => undefined);
      meters.retried();
    }
  }

  /** Waits for the line first: no append holds a place in the window without it. */
  async #try(
    request: AppendMessages,
    units: number,
    patienceUntil: number | undefined,
    turn: AppendTurn | undefined,
  ): Promise<AppendAnswer | { readonly kind: 'unavailable' }> {
    const { line } = this.#options;
    const call = line.current ?? (await line.call(patienceUntil));
    if (call === undefined) return { kind: 'unavailable' };
    const mayBeWritten = patienceUntil !== undefined;
    await turn?.come(mayBeWritten).catch((fault: unknown) => {
      throw unavailable(fault, mayBeWritten);
    });
    const entering = this.#window.enter(units);
    if (entering !== undefined) await entering;
    try {
      if (!call.isLost) turn?.sent();
      return await call.send(request);
    } finally {
      this.#window.leave(units);
    }
  }

  /**
   * Whether these events, which may have been written, are in their places, or other events are. Undefined if that
   * cannot be read now, and while a place is empty: its event may not be committed yet.
   */
  async #find(stream: string, after: number, events: readonly NewEvent[]): Promise<Appended | undefined> {
    try {
      const { events: there } = await this.#options.reads.page(stream, after, events.length);
      if ((there[0]?.revision ?? after + 1) !== after + 1)
        throw new Error('EventStoreDB hides the events at these positions');
      if (there.some(({ id }, index) => id !== events[index]?.id)) return 'conflict';
      return there.length === events.length ? 'written' : undefined;
    } catch (fault) {
      if (fault instanceof StoreUnavailable) return undefined;
      throw unavailable(fault, true);
    }
  }
}

function unavailable(fault: unknown, outcomeUnknown: boolean): StoreUnavailable {
  const why = outcomeUnknown ? 'the append was sent, and its outcome could not be determined' : 'nothing was sent';
  return new StoreUnavailable(`EventStoreDB is unavailable (${messageOf(fault)}): ${why}`, {
    cause: fault,
    outcomeUnknown,
  });
}

/** No other try will change it. */
const isForGood = (why: AppendRefusal): boolean => why !== 'not_ready' && why !== 'busy';

/** An append that is refused now may have been taken before. */
const refusedAgain = (refusal: AppError): StoreUnavailable =>
  new StoreUnavailable(
    `An append that was sent earlier is now refused, and it is not known whether it was written then: ${refusal.message}`,
    {
      cause: refusal,
      outcomeUnknown: true,
    },
  );

/** Nothing was written, and why. */
function refusalOf(stream: string, { why, message }: AppendAnswer & { readonly kind: 'refused' }): AppError {
  switch (why) {
    case 'denied':
      return new AccessDenied(`append to ${stream}`, undefined);
    case 'tombstoned':
      return tombstoned(stream);
    case 'not_ready':
    case 'busy':
      return new StoreUnavailable(`EventStoreDB accepts no appends now: ${message}`);
    case 'too_large':
    case 'bad_request':
      return new AppError('AppendRefused', `EventStoreDB refuses an append to ${stream}: ${message}`);
    default:
      return why satisfies never;
  }
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Throws TypeError for text that JSON.stringify would write otherwise (every client and the server's own pages parse
 * the text, and would see another text than the hashed one), and for ids that the server writes otherwise or refuses.
 */
function checkEventText(events: readonly NewEvent[]): void {
  for (const event of events) {
    const { id, data, metadata } = event;
    if (id === NIL_UUID || id !== id.toLowerCase())
      throw new TypeError(`the event id ${id} is nil or not in lower case`);
    if (WrittenEvent.is(event)) continue;
    if (!isCanonical(data) || !isCanonical(metadata))
      throw new TypeError(`the text of event ${id} differs from the output of JSON.stringify`);
  }
}

function isCanonical(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}
