// Everything of the client that is not a function of its input: time, chance and waiting, by the means that Node, Deno,
// browsers and workers share. The network is an option of the client.

/** Tests replace it; a merchant never sees it. */
export interface Outside {
  /** Milliseconds since the epoch, for dates that a server names. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for deadlines. */
  monotonic(): number;
  /** 0 to 1, without 1. */
  chance(): number;
  newKey(): string;
  /** Calls `then` after `ms`, unless the answered function is called before. */
  after(ms: number, then: () => void): () => void;
}

const UINT32 = 2 ** 32;

export const liveOutside: Outside = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  chance: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / UINT32,
  newKey: () => crypto.randomUUID(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or as soon as the signal aborts: the caller looks which of them it was. */
export function pause(outside: Outside, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = outside.after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
