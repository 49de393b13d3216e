// How far the read models lagged in each minute of the last day: a bounded ring of hours, kept with the read models.
import type { Collection, ReadModels } from '../../stores/read-models.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { type World, within } from '../../world.ts';

/** One minute: the longest lag that was seen in it. */
export interface LagSample {
  /** Minutes since the epoch, of the machine's clock. */
  readonly minute: number;
  readonly seconds: number;
  /** The read model that lagged so; left out where none did. */
  readonly name?: string;
}

interface Hour {
  /** Hours since the epoch. */
  readonly hour: number;
  /** 1 or more. */
  readonly writes: number;
  /** In order; a minute without a report of any process is left out. */
  readonly samples: readonly LagSample[];
}

const KEPT_HOURS = 24;
/** One more than are kept: the newest is not full. */
const HOURS = KEPT_HOURS + 1;
/** More than all nodes write in an hour, so that a later hour is always newer than the one whose place it takes. */
const REVISIONS_AN_HOUR = 100_000;
const MINUTES = 60;
const MINUTE_MS = 60_000;

const lagHistory: Collection<Hour, never> = { name: 'lag-history', version: 1, keys: {}, indexes: [] };
const placeOf = (hour: number): string => String(hour % HOURS);
const hourOf = ({ minute }: LagSample): number => Math.floor(minute / MINUTES);

/** The samples of the last day up to `now` (ms, the machine's clock), oldest first. Rejects with StoreUnavailable. */
export async function lagSamples(readModels: Pick<ReadModels, 'get'>, now: number): Promise<readonly LagSample[]> {
  const rows = await readModels.get(
    lagHistory,
    Array.from({ length: HOURS }, (_, place) => String(place)),
  );
  const last = Math.floor(now / MINUTE_MS);
  return rows
    .flatMap(({ doc }) => doc.samples)
    .filter(({ minute }) => minute > last - KEPT_HOURS * MINUTES && minute <= last)
    .sort((a, b) => a.minute - b.minute);
}

interface LagHistoryParts {
  readonly readModels: Pick<ReadModels, 'get' | 'write'>;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  /** ms, of the machine: the business clock of test mode jumps. */
  readonly machineTime: () => number;
  /** Seconds by read model. */
  readonly lags: (signal: AbortSignal) => Promise<ReadonlyMap<string, number>>;
}

/** How often the lag is looked at; a minute keeps the longest of its looks. */
const LOOK_EVERY_MS = 15_000;
const LOOK_WITHIN_MS = 5_000;
/** Minutes that wait for a store that is unavailable. */
const WAITING = 2 * MINUTES;
/** Tries of a write that other nodes overtake; the next one is a minute away. */
const TRIES = 5;
/** Nodes look at different moments of a minute: a smaller difference is not worth a write. */
const SAME_SECONDS = 1;

export class LagHistory {
  readonly #parts: LagHistoryParts;
  /** Not written yet, by minute. */
  readonly #waiting = new Map<number, LagSample>();

  constructor(parts: LagHistoryParts) {
    this.#parts = parts;
  }

  /** Looks every quarter of a minute, and writes the minutes that are over, until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, report } = this.#parts;
    while (!signal.aborted) {
      await world.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.look();
      await this.write().catch((fault: unknown) => {
        if (!(fault instanceof StoreUnavailable)) report(fault); // other code reports an unavailable store
      });
    }
  }

  /** One look; an unknown lag leaves no sample. */
  async look(): Promise<void> {
    const { world, lags, machineTime } = this.#parts;
    const seen = await within(world, LOOK_WITHIN_MS, (signal) => lags(signal).catch(() => undefined));
    if (seen === 'timeout' || seen === undefined) return;
    const minute = Math.floor(machineTime() / MINUTE_MS);
    const [name, seconds] = [...seen].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
    const before = this.#waiting.get(minute);
    if (before !== undefined && before.seconds >= seconds) return;
    this.#waiting.set(minute, { minute, seconds, ...(name !== '' && { name }) });
    if (this.#waiting.size > WAITING) this.#waiting.delete(Math.min(...this.#waiting.keys()));
  }

  /** Writes the minutes that are over. Rejects with StoreUnavailable; they are then written later. */
  async write(): Promise<void> {
    const now = Math.floor(this.#parts.machineTime() / MINUTE_MS);
    const over = [...this.#waiting.values()].filter(({ minute }) => minute < now);
    for (const hour of new Set(over.map(hourOf))) {
      const samples = over.filter((one) => hourOf(one) === hour);
      await this.#add(hour, samples);
      for (const { minute } of samples) this.#waiting.delete(minute);
    }
  }

  async #add(hour: number, samples: readonly LagSample[]): Promise<void> {
    const { readModels } = this.#parts;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [row] = await readModels.get(lagHistory, [placeOf(hour)]);
      const there = row?.doc.hour === hour ? row.doc : { hour, writes: 0, samples: [] };
      if (row !== undefined && row.doc.hour > hour) return; // another clock is a day ahead
      const byMinute = new Map(there.samples.map((one) => [one.minute, one]));
      const news = samples.filter(
        ({ minute, seconds }) => seconds > (byMinute.get(minute)?.seconds ?? Number.NEGATIVE_INFINITY) + SAME_SECONDS,
      );
      if (news.length === 0) return; // another node was here first
      for (const one of news) byMinute.set(one.minute, one);
      const writes = there.writes + 1;
      const doc: Hour = { hour, writes, samples: [...byMinute.values()].sort((a, b) => a.minute - b.minute) };
      const written = await readModels.write(lagHistory, [
        { id: placeOf(hour), revision: hour * REVISIONS_AN_HOUR + writes, doc },
      ]);
      if (written.length > 0) return;
    }
  }
}
