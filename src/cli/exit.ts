// How a command ends: the meaning of a fault for its user, as a message and an exit code, and Ctrl-C.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CommanderError } from 'commander';
import { AppError } from '../app-error.ts';
import { documentsBegun, print, tell } from './output.ts';

/** 0 done · 1 refused, or a check found something · 2 wrong usage or setting · 3 a store is unavailable. */
export const EXIT = { done: 0, refused: 1, usage: 2, unavailable: 3 } as const;
type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command was understood and is not done: exit code 1. */
export class Refused extends AppError {
  /** What `--json` names it by: an error id of the API where there is one. */
  readonly errorId: string;

  constructor(message: string, errorId = 'Refused') {
    super('Refused', message);
    this.errorId = errorId;
  }
}

/** The command makes no sense with these arguments: exit code 2. */
export class WrongUsage extends AppError {
  constructor(message: string) {
    super('WrongUsage', message);
  }
}

/** A store or service that the effect depends on cannot be reached: exit code 3. */
export class Unavailable extends AppError {
  constructor(message: string, cause?: unknown) {
    super('Unavailable', message, cause);
  }
}

/** A worker ended while the service started; `exitCode` null: by a signal. */
export class StartFailed extends AppError {
  readonly exitCode: number | null;

  constructor(message: string, exitCode: number | null) {
    super('StartFailed', message);
    this.exitCode = exitCode;
  }
}

const CODES: ReadonlyMap<string, ExitCode> = new Map<string, ExitCode>([
  ['WrongSettings', EXIT.usage],
  ['WrongUsage', EXIT.usage],
  // The store was created by another version, for the other mode or with another secret: the setting is wrong, not the
  // store.
  ['OtherEventSchema', EXIT.usage],
  ['WrongMode', EXIT.usage],
  ['WrongSecret', EXIT.usage],
  ['NotAnEventStore', EXIT.usage],
  ['AccessDenied', EXIT.usage], // the user that the URL of the store names may not do what is needed
  ['NoSuchProjection', EXIT.usage],
  ['Unavailable', EXIT.unavailable],
  ['StoreUnavailable', EXIT.unavailable],
]);

interface Explanation {
  /** One of EXIT, or the code that a shell expects of a process that a signal ended. */
  readonly code: number;
  /** Undefined if the message has been printed already. */
  readonly message: string | undefined;
}

/** The exit code of a fault, and the line or lines for stderr. */
export function explain(fault: unknown): Explanation {
  if (fault instanceof CommanderError) {
    // commander has written its message or the help that was asked for; help without a request for it is wrong usage.
    const asked = fault.exitCode === 0;
    return { code: asked ? EXIT.done : EXIT.usage, message: undefined };
  }
  if (isOutOfFiles(fault)) return { code: EXIT.unavailable, message: OUT_OF_FILES };
  if (fault instanceof Interrupted) return { code: fault.exitCode, message: undefined };
  if (fault instanceof StartFailed && fault.exitCode !== null && fault.exitCode !== 0) {
    return { code: fault.exitCode, message: undefined }; // the worker has printed its own
  }
  if (fault instanceof AppError)
    return { code: CODES.get(fault.code) ?? EXIT.refused, message: withOwner(withCause(fault)) };
  // a refusal of the system, whose message names the file or the address
  if (fault instanceof Error && 'syscall' in fault)
    return { code: EXIT.unavailable, message: withOwner(`The system refuses a call: ${fault.message}.`) };
  return { code: EXIT.refused, message: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) };
}

/**
 * Ends the command by a fault: its exit code, its message on stderr, and with `--json` among the words of the command
 * line one document with both. `before`: the documents that the process had begun to print before this command; one of
 * the command itself stays the only one.
 */
export function endBy(fault: unknown, args: readonly string[], before = 0): void {
  const { code, message } = explain(fault);
  const words = message ?? toldByCommander(fault);
  if (words !== undefined && args.includes('--json') && documentsBegun() === before)
    print({ json: { error: { id: idOf(fault, code), message: words } }, text: '' }, { json: true });
  if (message !== undefined) tell(message);
  process.exitCode = code;
}

function idOf(fault: unknown, code: number): string {
  if (fault instanceof Refused) return fault.errorId;
  if (fault instanceof AppError) return fault.code;
  return code === EXIT.usage ? 'WrongUsage' : code === EXIT.unavailable ? 'Unavailable' : 'InternalError';
}

/** The mistake that commander has written to stderr; undefined if there was none. */
function toldByCommander(fault: unknown): string | undefined {
  const isMistake = fault instanceof CommanderError && fault.exitCode !== 0;
  return isMistake ? fault.message.replace(/^error: /, '') : undefined;
}

const OUT_OF_FILES =
  'This process may not open more files. Allow it at least 1024: `ulimit -n 1024` in a shell, LimitNOFILE=1024 for systemd, --ulimit nofile=1024 for docker.';

/** Any file or socket: of the program, or of a store. A fault of another thread keeps its message, not its code. */
const isOutOfFiles = (fault: unknown): boolean =>
  fault instanceof Error && (/\bE[MN]FILE\b/.test(fault.message) || isUnread(fault) || isOutOfFiles(fault.cause));

/** A package is there, and Node finds no module in it: it cannot open its package.json, and does not say why. */
function isUnread({ message }: Error): boolean {
  const [, path] = /^Cannot find (?:module|package) '([^']+)' imported from/.exec(message) ?? [];
  return path !== undefined && existsSync(dirname(path)) && openFilesAllowed() < ENOUGH_FILES;
}

const ENOUGH_FILES = 1_024;

/** NaN: as many as one likes, or this system does not say. */
function openFilesAllowed(): number {
  const report: { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } } =
    process.report.getReport();
  return Number(report.userLimits?.open_files?.soft);
}

/** Files of another user: which one it is, `ls -l` says. */
const withOwner = (message: string): string =>
  /\b(EACCES|EPERM)\b/.test(message) ? `${message}\nRun it as the user who owns these files.` : message;

function withCause({ message, cause }: AppError): string {
  return cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}

interface Interrupts {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** Removes the handlers. */
  stop(): void;
}

/** The exit code that a shell expects of a process that a signal ended. */
const NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;
type Name = keyof typeof NUMBERS;

/** `onFirst` reports that ending takes a moment. */
export function onInterrupt(onFirst: (name: Name) => void = () => undefined): Interrupts {
  const ending = new AbortController();
  const handle = (name: Name): void => {
    if (!ending.signal.aborted) {
      onFirst(name);
      ending.abort(new Interrupted(name));
      return;
    }
    // by the signal itself: `process.exit` waits for threads, and SQLite's binding aborts where one is in a call
    process.removeAllListeners(name);
    process.kill(process.pid, name);
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  return {
    signal: ending.signal,
    stop() {
      process.off('SIGINT', handle);
      process.off('SIGTERM', handle);
    },
  };
}

/**
 * Runs work that the first signal ends in order; `words` tell people so. Throws Interrupted then, and otherwise what
 * the work throws.
 */
export async function interruptible<T>(words: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, stop } = onInterrupt(() => tell(words));
  try {
    return await work(signal);
  } catch (fault) {
    throw signal.aborted ? signal.reason : fault;
  } finally {
    stop();
  }
}

export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(name: Name) {
    super(`interrupted by ${name}`);
    this.name = 'Interrupted';
    this.exitCode = 128 + NUMBERS[name];
  }
}
