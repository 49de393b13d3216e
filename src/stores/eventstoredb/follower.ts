// Follows the log through everything that ends subscriptions: each time from the last event that the consumer has
// handled.
import { AppError, Notice } from '../../app-error.ts';
import { type World, within } from '../../world.ts';
import type { Batch } from '../event-store.ts';
import type { StoreMeters } from '../store-meters.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import type { Connections } from './connections.ts';
import { isUnexpected, lastingFault, messageOf } from './faults.ts';
import type { LogEnd } from './log-end.ts';
import { Subscription } from './subscription.ts';
import type { EventStoreDbTimings } from './timings.ts';

interface FollowerOptions {
  readonly connections: Connections;
  readonly end: LogEnd;
  readonly world: World;
  readonly meters: StoreMeters;
  readonly timings: EventStoreDbTimings;
  readonly report: (fault: unknown) => void;
}

/**
 * Pause before the log is followed again when a subscription brought nothing and was short; doubled each time, up to
 * `followPauseMs`.
 */
const FIRST_PAUSE_MS = 25;
/** Further back by more bytes of log than this, the server is first asked for the wanted categories only. */
const FAR_BEHIND = 16n * 1024n * 1024n;
/** How often in a row a subscription may fail as unexpected before its position is said to be the reason. */
const MAX_UNEXPECTED = 5;

/**
 * As the port says. Throws faults that no other try will change: AppError AccessDenied, LogEndsBefore, NoSuchPosition,
 * ForeignEvent.
 */
export async function* follow(
  options: FollowerOptions,
  after: bigint,
  categories: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  const { world, meters, timings } = options;
  const absence = new Absence(options);
  let position = after;
  let isFirst = true;
  let told = false;
  let fruitless = 0;
  let unexpected = 0;
  while (!signal.aborted) {
    let subscribed: Subscribed | undefined;
    try {
      subscribed = await subscribe(options, position, categories, isFirst, signal);
      isFirst = false;
      absence.over();
      for (;;) {
        const batch = await subscribed.subscription.next();
        unexpected = 0;
        const { narrow } = subscribed;
        const moved = batch.position > position;
        // On an idle log each subscription brings that it has caught up, and nothing else: no reason to take the next
        // one at once.
        if (batch.events.length > 0 || moved) fruitless = 0;
        const caughtUp = batch.caughtUp && !narrow;
        const hasNews = batch.events.length > 0 || batch.limits !== undefined;
        if (hasNews || moved || (caughtUp && !told)) yield { ...batch, caughtUp };
        // Only now it has been handled.
        position = batch.position;
        told = caughtUp;
        if (batch.caughtUp && narrow) break;
      }
    } catch (fault) {
      if (signal.aborted) return;
      const lasting = fault instanceof StoreUnavailable ? undefined : lastingFault(fault, 'follow $all');
      if (lasting !== undefined) throw lasting;
      unexpected = isUnexpected(fault) ? unexpected + 1 : 0;
      if (unexpected >= MAX_UNEXPECTED) throw new NoSuchPosition(position, fault);
      if (subscribed !== undefined) meters.dropped();
      if (subscribed !== undefined && world.monotonic() - subscribed.since >= timings.followPauseMs) fruitless = 0;
      absence.goesOn(fault);
      const pause = fruitless === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (fruitless - 1), timings.followPauseMs);
      fruitless += 1;
      if (pause > 0) await world.sleep(pause, signal).catch(() => undefined);
    } finally {
      subscribed?.end();
    }
  }
}

interface Subscribed {
  readonly subscription: Subscription;
  /** It brings the wanted categories only, and so never says how far the others have been seen. */
  readonly narrow: boolean;
  /** Of World.monotonic. */
  readonly since: number;
  readonly end: () => void;
}

async function subscribe(
  { connections, end: logEnd, world, timings }: FollowerOptions,
  after: bigint,
  categories: readonly string[],
  isFirst: boolean,
  signal: AbortSignal,
): Promise<Subscribed> {
  const head = await unlessAborted(logEnd.head(), signal);
  if (head < after) throw new LogEndsBefore(after, head);
  const narrow = isFirst && categories.length > 0 && head - after > FAR_BEHIND;
  const wanted = categories.map((category) => `${category}-`);
  const subscription = new Subscription({ after, wanted, narrow, head });
  const cancel = (): void => subscription.cancel(signal.reason);
  const end = (): void => {
    signal.removeEventListener('abort', cancel);
    subscription.cancel(new Error('the follower was stopped'));
  };
  signal.addEventListener('abort', cancel, { once: true });
  const connection = connections.current();
  try {
    const opened = await within(world, timings.readMs, () => unlessAborted(subscription.open(connection), signal));
    if (opened === 'timeout') throw new Error(`a subscription was not confirmed within ${timings.readMs} ms`);
    return { subscription, narrow, since: world.monotonic(), end };
  } catch (fault) {
    end();
    connections.suspect(connection);
    throw fault;
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
    work.catch(() => undefined);
  }
}

/**
 * Says once that the log can't be followed, when that lasts, and once that it can again; shorter absences are ordinary.
 */
class Absence {
  readonly #options: FollowerOptions;
  #since: number | undefined;
  #told = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  goesOn(fault: unknown): void {
    const { world, timings, report } = this.#options;
    this.#since ??= world.monotonic();
    if (this.#told || world.monotonic() - this.#since < timings.absenceMs) return;
    this.#told = true;
    report(
      new Notice(
        `EventStoreDB has been unreachable for ${this.#seconds()} s, and is retried every second: ${messageOf(fault)}`,
      ),
    );
  }

  over(): void {
    if (this.#told) this.#options.report(new Notice(`EventStoreDB is followed again, after ${this.#seconds()} s.`));
    this.#told = false;
    this.#since = undefined;
  }

  #seconds(): number {
    return Math.round((this.#options.world.monotonic() - (this.#since ?? this.#options.world.monotonic())) / 1_000);
  }
}

/** The server would take the position, and bring nothing for ever. */
class LogEndsBefore extends AppError {
  constructor(after: bigint, head: bigint) {
    super(
      'LogEndsBefore',
      `The log of EventStoreDB ends at ${head}, before ${after}, from which it should be followed: it was restored from an older backup, or it is ` +
        'another log. Put the right log back, or start once with `counterfoil serve --accept-shorter-log`.',
    );
  }
}

class NoSuchPosition extends AppError {
  constructor(after: bigint, cause: unknown) {
    super(
      'NoSuchPosition',
      `EventStoreDB cannot follow its log from ${after} on: there is no event at this position, so the position belongs to another log. Restore the right log, or run \`counterfoil projections rebuild --all\`.`,
      cause,
    );
  }
}
