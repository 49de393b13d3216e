// Ctrl-C and SIGTERM: the first asks the work to end in order, the second ends the process at once.
import { tell } from './output.ts';

export interface Interrupts {
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
