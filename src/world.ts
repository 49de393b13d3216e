// Everything that is not a function of its input: time, randomness, waiting, the network.
import { randomBytes } from 'node:crypto';

/**
 * The one seam to clock and chance; a lint rule forbids Date, Math.random, timers, fetch and crypto's randomness
 * elsewhere.
 */
export interface World {
  /** Business time: milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never jumps; for deadlines and leases only. */
  monotonic(): number;
  /**
   * Milliseconds of business time that have passed, free of the machine's wall clock: `monotonic` plus every movement
   * of the business clock. Only differences mean anything, and only within one process.
   */
  steady(): number;
  randomBytes(size: number): Uint8Array;
  /** Rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** The kernel is asked for this much at a time: asking for sixteen bytes costs as much as for a page. */
const POOL_BYTES = 8_192;

function pooledRandomBytes(): (size: number) => Uint8Array {
  let pool = Buffer.alloc(0);
  let used = 0;
  return (size) => {
    if (size > POOL_BYTES / 16) return randomBytes(size);
    if (used + size > pool.length) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += size;
    return pool.subarray(used - size, used); // never handed out twice: a new pool is a new buffer
  };
}

/**
 * Not that of node:timers/promises, which makes an error of its own, with its stack, of every wait that is no longer
 * needed. It ends a turn of the event loop after its timer: a process that was paused hears all waiting messages before
 * it calls anybody silent.
 */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    let turn: NodeJS.Immediate | undefined;
    const stop = (): void => {
      clearTimeout(timer);
      clearImmediate(turn);
      reject(signal.reason);
    };
    const endInNextTurn = (): void => {
      turn = setImmediate(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
    };
    let timer: NodeJS.Timeout | undefined;
    if (ms > 0) timer = setTimeout(endInNextTurn, ms);
    else endInNextTurn();
    signal.addEventListener('abort', stop, { once: true });
  });
}

export const liveWorld: World = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  steady: () => performance.now(),
  randomBytes: pooledRandomBytes(),
  sleep,
  fetch: (url, init) => fetch(url, init),
};

/** How far business time has been moved ahead of the machine's clock, ms. */
export const movedAheadMs = (world: Pick<World, 'steady' | 'monotonic'>): number =>
  Math.round(world.steady() - world.monotonic());

/** `pay_` + 48 bits of time + 80 random bits, hex: sortable by time, unguessable. */
export const newId = (world: World, prefix: string): string =>
  `${prefix}_${world.now().toString(16).padStart(12, '0')}${Buffer.from(world.randomBytes(10)).toString('hex')}`;

/** A version 4 UUID: the only kind of event id that the EventStoreDB client survives. */
export function newUuid(world: World): string {
  const bytes = Buffer.from(world.randomBytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * The newest texts of formatTime, each at the lowest eight bits of its time: a payment's times are formatted for each
 * answer and message.
 */
const formatted: { readonly ms: number; readonly text: string }[] = Array.from({ length: 256 }, () => ({
  ms: Number.NaN,
  text: '',
}));

/** RFC 3339 in UTC with `Z` and milliseconds (contract §1). */
export function formatTime(ms: number): string {
  const place = ms & 255;
  const known = formatted[place];
  if (known?.ms === ms) return known.text;
  const text = new Date(ms).toISOString();
  formatted[place] = { ms, text };
  return text;
}

const TIME = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Milliseconds of an RFC 3339 time with any offset, or undefined: 24:00 and a day that its month lacks are not valid. A
 * leap second, which only the last minute of a month in UTC can have, counts as the second after it (contract §1).
 */
export function parseTime(text: string): number | undefined {
  const [, day, minute, second, fraction = '', offset = ''] = TIME.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  if (second !== '60') return Date.parse(`${day}T${minute}:${second}${fraction}${offset.toUpperCase()}`);
  const after = Date.parse(`${day}T${minute}:59${fraction}${offset.toUpperCase()}`) + 1_000;
  return formatTime(after).slice(8, 19) === '01T00:00:00' ? after : undefined;
}

/** Date.parse takes 30 February for 1 March. */
function isDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && formatTime(midnight).startsWith(day);
}

/**
 * The end of a pause of `ms` that is under way, or begins now: one for all who wait, because what is done together
 * costs less. It is over at once for the last of `most` and all before.
 */
export function sharedPause(
  world: Pick<World, 'sleep'>,
  ms: number,
  most = Number.POSITIVE_INFINITY,
): () => Promise<void> {
  let pause: { readonly end: Promise<void>; readonly over: AbortController } | undefined;
  let waiting = 0;
  const begin = (): NonNullable<typeof pause> => {
    const over = new AbortController();
    const end = world.sleep(ms, over.signal).then(ended, ended);
    return { end, over };
  };
  const ended = (): void => {
    pause = undefined;
    waiting = 0;
  };
  return () => {
    pause ??= begin();
    waiting += 1;
    if (waiting >= most) pause.over.abort(OVER);
    return pause.end;
  };
}

/** Runs work once this turn of the event loop has received all that waits. */
export const atEndOfTurn = (work: () => void): void => void setImmediate(work);

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** For `catch`: undefined if the signal has aborted; otherwise throws the fault. */
export const unlessAborted =
  (signal: AbortSignal) =>
  (fault: unknown): undefined => {
    if (!signal.aborted) throw fault;
  };

/** Made once: an abort without a reason makes a DOMException with its stack, which cost as much as an append. */
export const OVER = new DOMException('The work has ended or run out of time', 'AbortError');

/**
 * Runs work under a deadline of `ms` milliseconds; the signal it gets aborts then.
 * 'timeout' means that the outcome is unknown, never that it failed.
 */
export async function within<T>(
  world: World,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | 'timeout'> {
  const over = new AbortController(); // one for both: whichever comes first ends the other
  const expired = world.sleep(ms, over.signal).then(
    () => 'timeout' as const,
    () => 'timeout' as const,
  );
  try {
    return await Promise.race([work(over.signal), expired]);
  } finally {
    over.abort(OVER);
  }
}

const WOKEN = new DOMException('The pause is over', 'AbortError');

/** Wakes all that pause between two rounds of due work, because something falls due before the pause is over. */
export class Alarm {
  readonly #sleepers = new Set<AbortController>();
  #rung = 0;

  /** Ends every pause that is under way, and the next one of everybody who has been at work since before. */
  ring(): void {
    this.#rung += 1;
    for (const sleeper of this.#sleepers) sleeper.abort(WOKEN);
  }

  /** How often it was rung: a pause compares this, so that a ring during the work before it is not missed. */
  get rung(): number {
    return this.#rung;
  }

  /** Pauses for ms, until it is rung (also when it was since `rung`), or until the signal aborts. Never rejects. */
  async sleep(world: Pick<World, 'sleep'>, ms: number, signal: AbortSignal, rung: number): Promise<void> {
    if (this.#rung !== rung || signal.aborted) return;
    const woken = new AbortController();
    const stop = (): void => woken.abort(WOKEN);
    this.#sleepers.add(woken);
    signal.addEventListener('abort', stop, { once: true });
    await world.sleep(ms, woken.signal).catch(() => undefined);
    signal.removeEventListener('abort', stop);
    this.#sleepers.delete(woken);
  }
}
