// Waits for a store that is still coming up: after a machine has started, a service is often faster than its stores.
import { Notice } from '../../app-error.ts';
import type { Config } from '../../config.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { aborted, type World } from '../../world.ts';

export interface StoreWait {
  /** No attempt begins later than this; 0: there is one attempt. */
  readonly ms: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Without a signal a signal to the process ends the wait, and the process. */
export const storeWaitOf = (
  { storeWait }: Pick<Config, 'storeWait'>,
  signal: AbortSignal = new AbortController().signal,
): StoreWait => ({
  ms: storeWait * 1_000,
  signal,
});

/** Waits for stores that are opened together: embedded ones start with the process. */
export const waitForAll = (
  config: Pick<Config, 'storeWait' | 'eventStore' | 'readModels'>,
  signal?: AbortSignal,
): StoreWait =>
  storeWaitOf(
    config.eventStore.kind === 'sqlite' && config.readModels.kind === 'sqlite' ? { storeWait: 0 } : config,
    signal,
  );

interface WaitParts {
  readonly world: Pick<World, 'monotonic' | 'sleep'>;
  readonly report: (fault: unknown) => void;
}

interface Closable {
  close(): Promise<void>;
}

/** An attempt may itself take 10 s: people hear of the wait before it ends. */
const SAID_AFTER_MS = 2_000;
const TRY_AGAIN_MS = 500;

/**
 * The result of `open`, which is tried again while it throws StoreUnavailable; one line says so. `what`: the store, for
 * that line. Throws the fault of the last attempt, and the signal's reason.
 */
export async function waitForStore<Store extends Closable>(
  what: string,
  { ms, signal }: StoreWait,
  { world, report }: WaitParts,
  open: () => Promise<Store>,
): Promise<Store> {
  const until = world.monotonic() + ms;
  const ended = new AbortController();
  const say = (): void =>
    report(new Notice(`The ${what} does not respond yet. This process waits for it for up to ${ms / 1_000} s.`));
  if (ms > 0) void world.sleep(SAID_AFTER_MS, AbortSignal.any([signal, ended.signal])).then(say, () => undefined);
  const over = aborted(AbortSignal.any([signal, ended.signal])).then(() => 'over' as const);
  try {
    for (;;) {
      try {
        return await unlessOver(open(), over, signal);
      } catch (fault) {
        if (!(fault instanceof StoreUnavailable) || world.monotonic() >= until) throw fault;
      }
      await world.sleep(TRY_AGAIN_MS, signal);
    }
  } finally {
    ended.abort();
  }
}

/**
 * Runs `open`, which opens several stores, and starts it again if one of them responded and became unavailable before
 * all were open. Each such fault is reported; after the first one, no attempt begins later than `ms`. Throws the last
 * one, and the signal's reason.
 */
export async function openAgain<T>(
  { ms, signal }: StoreWait,
  { world, report }: WaitParts,
  open: () => Promise<T>,
): Promise<T> {
  let until: number | undefined;
  for (;;) {
    try {
      return await open();
    } catch (fault) {
      until ??= world.monotonic() + ms;
      if (!(fault instanceof StoreUnavailable) || world.monotonic() >= until) throw fault;
      report(fault);
    }
    await world.sleep(TRY_AGAIN_MS, signal);
  }
}

/** A store that is opened after the signal is closed. */
async function unlessOver<Store extends Closable>(
  opening: Promise<Store>,
  over: Promise<'over'>,
  signal: AbortSignal,
): Promise<Store> {
  const opened = await Promise.race([opening, over]);
  if (opened !== 'over') return opened;
  void opening.then(
    (store) => store.close(),
    () => undefined,
  );
  throw signal.reason;
}
