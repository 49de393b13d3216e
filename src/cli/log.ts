// The log on stderr: JSON lines, readable lines on a terminal. No work waits for it, and lines that repeat are counted.
import { fstatSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { Notice } from '../app-error.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import type { LostLines } from '../telemetry/meters.ts';
import { liveWorld, type World } from '../world.ts';
import { asTyped } from './as-typed.ts';
import { BoundedWriter, defaultLimits, type Sink } from './bounded-writer.ts';
import { visibleDeep, visibleJson } from './output.ts';

/** The methods of a logger that are used here; `entry` holds the data of the message. */
export interface CommandLog {
  debug(entry: object, message: string): void;
  info(entryOrMessage: object | string, message?: string): void;
  warn(message: string): void;
  error(entry: object, message: string): void;
  isLevelEnabled(level: string): boolean;
  lost(): LostLines;
}

/** The time for the last writes when the process ends. */
const END_WITHIN_MS = 1_000;

/** A pipe takes so many bytes at once or none, so that the lines of several workers do not get into one another. */
const WHOLE_BYTES = 4_096;

const ends: (() => Promise<void>)[] = [];

/** For the end of the process: writes the waiting lines of every open log, within a second. */
export async function endLogs(): Promise<void> {
  for (const end of ends) await end(); // also a log that is still being opened while others end
}

/**
 * A line is handed to the system at once; warnings and errors that repeat are counted, see RepeatedLines. `worker`: the
 * number of this worker, which each line has.
 */
export async function openLog(level: string, worker?: number): Promise<CommandLog> {
  const { pino, stdTimeFunctions } = await import('pino');
  const isTerminal = process.stderr.isTTY === true;
  const asWritten = isTerminal ? await readable() : visibleJson;
  const writer: BoundedWriter = new BoundedWriter(
    stderrSink(),
    liveWorld,
    (dropped) => logger.warn({ dropped }, 'lines of this log were dropped: stderr did not accept them'),
    worker === undefined ? defaultLimits : { ...defaultLimits, chunkBytes: WHOLE_BYTES },
  );
  const timestamp = isTerminal ? true : stdTimeFunctions.isoTime;
  const logger = pino(
    { level, base: worker === undefined ? null : { worker }, timestamp },
    { write: (line: string) => writer.write(asWritten(line)) },
  );
  const lines = new RepeatedLines(({ level: its, entry, message }: Line) => logger[its](entry, message), liveWorld);
  process.once('exit', () => writer.flushNow());
  ends.push(() => {
    lines.flush();
    return writer.flush(END_WITHIN_MS);
  });
  return {
    debug: (entry, message) => logger.debug(entry, message),
    info: (entry, message) => (typeof entry === 'string' ? logger.info(entry) : logger.info(entry, message)),
    warn: (message) => logger.isLevelEnabled('warn') && lines.say({ level: 'warn', entry: {}, message }),
    error: (entry, message) => logger.isLevelEnabled('error') && lines.say({ level: 'error', entry, message }),
    isLevelEnabled: (its) => logger.isLevelEnabled(its),
    lost: () => ({ dropped: writer.dropped, repeated: lines.held }),
  };
}

/** Colours and a short time, for people. */
async function readable(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    translateTime: 'HH:MM:ss.l',
    ignore: 'worker',
    messageFormat: '{if worker}worker {worker}: {end}{msg}',
  });
  return (line) => asTyped(pretty(visibleDeep(JSON.parse(line))));
}

/** For commands that hardly ever have anything to log: the same, loaded with the first line. */
export function lazyLog(level: string): CommandLog {
  let opening: Promise<CommandLog> | undefined;
  const opened = (): Promise<CommandLog> => {
    const log = openLog(level);
    ends.push(async () => void (await log));
    return log;
  };
  const write = (line: (log: CommandLog) => void): void => {
    opening ??= opened();
    void opening.then(line);
  };
  return {
    debug: () => undefined,
    info: (entry, message) => write((log) => log.info(entry, message)),
    warn: (message) => write((log) => log.warn(message)),
    error: (entry, message) => write((log) => log.error(entry, message)),
    isLevelEnabled: () => false,
    lost: () => ({ dropped: 0, repeated: 0 }),
  };
}

const STDERR = 2;

/**
 * Pipes and sockets go through Node's own stream, which never blocks: a write that a thread of the pool made into a
 * full pipe would keep the process from ending until it is read. Files and terminals go through the pool, where Node's
 * stream would block.
 */
function stderrSink(): Sink {
  const kind = fstatSync(STDERR);
  return kind.isFIFO() || kind.isSocket() ? throughStream : throughPool;
}

const throughStream: Sink = {
  write: (bytes) =>
    new Promise((resolve, reject) => {
      process.stderr.write(bytes, (fault) => (fault instanceof Error ? reject(fault) : resolve(bytes.length)));
    }),
  writeNow: () => undefined, // the reader has no room for bytes that the stream has not taken
};

const writeInPool = promisify(write);

const throughPool: Sink = {
  write: async (bytes) => (await writeInPool(STDERR, bytes)).bytesWritten,
  writeNow(bytes) {
    try {
      writeSync(STDERR, bytes);
    } catch {
      // The disk is full to the end: there is nowhere to report it.
    }
  },
};

export interface Line {
  readonly level: 'warn' | 'error';
  readonly entry: object;
  readonly message: string;
}

interface RepetitionLimits {
  /** From the first line of any kind; after that, all kinds start again. */
  readonly windowMs: number;
  /** Lines of a kind that are written in a window. */
  readonly lines: number;
  /** The most kinds that are distinguished in a window; all further kinds count as one. */
  readonly kinds: number;
}
const defaultRepetition: RepetitionLimits = { windowMs: 10_000, lines: 20, kinds: 1_000 };

interface LineKind {
  written: number;
  held: number;
  last: Line;
}

export class RepeatedLines {
  readonly #write: (line: Line) => void;
  readonly #world: World;
  readonly #limits: RepetitionLimits;
  readonly #kinds = new Map<string, LineKind>();
  #window: AbortController | undefined;
  #held = 0;

  constructor(write: (line: Line) => void, world: World, limits: RepetitionLimits = defaultRepetition) {
    this.#write = write;
    this.#world = world;
    this.#limits = limits;
  }

  /** Lines that were counted and are never written, since the start. */
  get held(): number {
    return this.#held;
  }

  say(line: Line): void {
    if (this.#window === undefined) void this.#openWindow();
    const kind = this.#kindOf(line);
    kind.last = line;
    if (kind.written >= this.#limits.lines) {
      kind.held += 1;
      if (kind.held > 1) this.#held += 1; // the last of the kept lines is written
      return;
    }
    kind.written += 1;
    this.#write(line);
  }

  /** Writes the lines that were kept; the next line begins a new window. */
  flush(): void {
    this.#window?.abort();
    this.#window = undefined;
    for (const { held, last } of this.#kinds.values()) {
      if (held === 0) continue;
      this.#write({ ...last, entry: { ...last.entry, others: held - 1 } });
    }
    this.#kinds.clear();
  }

  #kindOf(line: Line): LineKind {
    const name = nameOf(line);
    const known = this.#kinds.get(name) ?? (this.#kinds.size < this.#limits.kinds ? undefined : this.#kinds.get(''));
    if (known !== undefined) return known;
    const kind: LineKind = { written: 0, held: 0, last: line };
    this.#kinds.set(this.#kinds.size < this.#limits.kinds ? name : '', kind);
    return kind;
  }

  async #openWindow(): Promise<void> {
    const window = new AbortController();
    this.#window = window;
    await this.#world.sleep(this.#limits.windowMs, window.signal).catch(() => undefined);
    if (!window.signal.aborted) this.flush();
  }
}

/** Ids are in the entry, not in the message; faults differ by their code. */
function nameOf({ level, entry, message }: Line): string {
  const fault = 'err' in entry && entry.err instanceof Error ? entry.err : undefined;
  const code = fault !== undefined && 'code' in fault ? String(fault.code) : fault?.name;
  return [level, message, code ?? ''].join('\n');
}

/**
 * Many parts meet an unavailable store again and again: its adapter says once when it became unavailable, and when it
 * is back.
 */
const AWAY_EVERY_MS = 5_000;

/**
 * Faults that no caller can act on, and notices, in the log; an unavailable store is told once in a while, and without
 * a stack.
 */
export function reportTo(
  log: Pick<CommandLog, 'warn' | 'error'>,
  world: Pick<World, 'monotonic'> = liveWorld,
): (fault: unknown) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (fault) => {
    if (fault instanceof Notice) return log.warn(fault.message);
    if (!(fault instanceof StoreUnavailable)) return log.error({ err: fault }, 'fault');
    const now = world.monotonic();
    if (now - saidAt < AWAY_EVERY_MS) return;
    saidAt = now;
    log.warn(fault.message);
  };
}
