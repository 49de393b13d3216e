// Stalled read models in words: those that stay at an event, and streams that they continue without
// ("webhooks since 18:40, 32 events").

import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import { formatTime, type World } from '../../../world.ts';
import type { ProjectionPosition } from '../follow/positions.ts';
import { LIMITS, LOG, type ParkedStream } from '../parked/parked-records.ts';
import type { EngineTimings } from '../timings.ts';
import { countLag, MOST_COUNTED, recordedAtOf } from './lag.ts';

export interface NotMoving {
  /** The names of the read models; `log` for a broken stream, which is so in all. */
  readonly projections: readonly string[];
  /** Only this stream; undefined: nothing of these read models moves. */
  readonly stream?: string;
  /** When the first event that waits was recorded, or was found to wait where it does not say, ms. */
  readonly since: number;
  /** The number of waiting events, up to MOST_COUNTED, or MOST_IN_STREAM. */
  readonly events: number;
}

/** Parked streams that are looked at: a longer list is read by nobody. */
const MOST_STREAMS = 20;
/** Events of one that are counted: a stream may be parked for months, and more says nothing new. */
const MOST_IN_STREAM = 100;

interface StandstillParts {
  readonly events: EventStore;
  readonly world: Pick<World, 'now' | 'monotonic'>;
  readonly timings: Pick<EngineTimings, 'stillMs'>;
  readonly positions: () => Promise<readonly ProjectionPosition[]>;
  readonly parked: () => readonly ParkedStream[];
}

/** A process's view, by a look now and then: whichever process follows the log, each one sees whether it moves. */
export class Standstill {
  readonly #parts: StandstillParts;
  /** By read model: its position, and since when (World.monotonic) it has been seen there. */
  readonly #seen = new Map<string, { readonly position: bigint; readonly since: number }>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #found: readonly NotMoving[] = [];

  constructor(parts: StandstillParts) {
    this.#parts = parts;
  }

  /** As of the last look. */
  get found(): readonly NotMoving[] {
    return this.#found;
  }

  /**
   * Looks where it is time; reads as many events as wait. Rejects with StoreUnavailable, and with the signal's reason.
   */
  async look(signal: AbortSignal): Promise<void> {
    const { world, timings } = this.#parts;
    const now = world.monotonic();
    if (now - this.#lookedAt < timings.stillMs / 2) return;
    this.#lookedAt = now;
    this.#found = [...(await this.#readModels(now, signal)), ...(await this.#streams(signal))];
  }

  async #readModels(at: number, signal: AbortSignal): Promise<readonly NotMoving[]> {
    const { events, world, timings, positions } = this.#parts;
    const found: NotMoving[] = [];
    const all = await positions();
    const head = await events.head();
    for (const { name, categories, position } of all) {
      const seen = this.#seen.get(name);
      if (seen?.position !== position) this.#seen.set(name, { position, since: at });
      const isStill = seen?.position === position && position < head && at - seen.since >= timings.stillMs;
      if (!isStill) continue;
      const { count, oldest = world.now() - (at - seen.since) } = await countLag(
        events,
        categories,
        position,
        MOST_COUNTED,
        signal,
      );
      if (count > 0 && world.now() - oldest >= timings.stillMs)
        found.push({ projections: [name], since: oldest, events: count });
    }
    return found;
  }

  async #streams(signal: AbortSignal): Promise<readonly NotMoving[]> {
    const byStream = new Map<string, ParkedStream[]>();
    for (const one of this.#parts.parked()) {
      if (one.projection === LIMITS.name) continue;
      const known = byStream.get(one.stream);
      if (known !== undefined) known.push(one);
      else if (byStream.size < MOST_STREAMS) byStream.set(one.stream, [one]);
    }
    const found: NotMoving[] = [];
    for (const [stream, records] of byStream) {
      signal.throwIfAborted();
      const projections = records.some(({ projection }) => projection === LOG.name)
        ? [LOG.name]
        : records.map(({ projection }) => projection);
      const from = Math.min(...records.map(({ revision }) => revision));
      const { count, oldest = Math.min(...records.map(({ at }) => at)) } = await this.#waitingIn(stream, from, signal);
      found.push({ projections, stream, since: oldest, events: count });
    }
    return found;
  }

  /** The existing events of the stream from a revision on. */
  async #waitingIn(
    stream: string,
    from: number,
    signal: AbortSignal,
  ): Promise<{ readonly count: number; readonly oldest: number | undefined }> {
    let count = 0;
    let oldest: number | undefined;
    try {
      for await (const stored of this.#parts.events.read(stream, from - 1)) {
        signal.throwIfAborted();
        oldest ??= recordedAtOf(stored);
        count += 1;
        if (count >= MOST_IN_STREAM) break;
      }
    } catch (fault) {
      if (!(fault instanceof BrokenStream)) throw fault; // a lost stream has none
    }
    return { count, oldest };
  }
}

/** Names of read models that say little to people, by what they make. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['payment-messages', 'webhooks'],
  ['webhook-queues', 'deliveries of webhooks'],
  ['daily-totals', 'totals'],
  ['searched-payments', 'search'],
  [LOG.name, 'every answer'],
]);
const MOST_WORDS = 3;

/** As in a sentence. */
export const wordsOf = (projection: string): string => WORDS.get(projection) ?? projection.replaceAll('-', ' ');

/** For a metric's label: a read model that stands is another matter than streams that it goes on without. */
export function labelOf(projection: string, { stream }: Pick<NotMoving, 'stream'>): string {
  if (stream === undefined) return wordsOf(projection);
  return projection === LOG.name ? 'broken streams' : `streams of ${wordsOf(projection)}`;
}

/**
 * "webhooks since 18:40, 32 events", and "webhooks, totals of payment-pay_1 since 2026-11-23 18:40, 1 event", in UTC.
 * `now` in ms.
 */
export function inWords({ projections, stream, since, events }: NotMoving, now: number): string {
  const names = projections.map(wordsOf);
  const more = names.length > MOST_WORDS ? ` and ${names.length - MOST_WORDS} more` : '';
  const what = `${names.slice(0, MOST_WORDS).join(', ')}${more}${stream === undefined ? '' : ` ${projections.includes(LOG.name) ? 'about' : 'of'} ${stream}`}`;
  const time = formatTime(since);
  const when =
    formatTime(now).slice(0, DAY) === time.slice(0, DAY)
      ? time.slice(DAY + 1, MINUTE)
      : time.slice(0, MINUTE).replace('T', ' ');
  return `${what} since ${when}, ${events < (stream === undefined ? MOST_COUNTED : MOST_IN_STREAM) ? '' : 'at least '}${events} ${events === 1 ? 'event' : 'events'}`;
}
const DAY = 'YYYY-MM-DD'.length;
const MINUTE = 'YYYY-MM-DDTHH:MM'.length;
