// A log whose whole is read in two parts: a rebuild reads the first half, and waits for the test to let it go on.
import type { EventStore } from '../../src/stores/event-store.ts';
import { aborted } from '../../src/world.ts';

export interface SlowedLog {
  /** From now on readings from the first event stop half-way. */
  readonly hold: () => void;
  /** The readings go on, and later ones do not stop. */
  readonly letGo: () => void;
}

/**
 * Changes the store itself, which the service already has. Events come one by one, so that progress is reported for
 * each.
 */
export function slowedLog(events: EventStore): SlowedLog {
  let gate: { readonly opened: Promise<void>; readonly open: () => void } | undefined;
  const follow = events.follow.bind(events);
  events.follow = async function* (after, categories, signal) {
    for await (const batch of follow(after, categories, signal)) {
      if (after !== -1n || gate === undefined) {
        yield batch;
        continue;
      }
      const half = Math.floor(batch.events.length / 2);
      for (const [at, event] of batch.events.entries()) {
        if (at === half) await Promise.race([gate?.opened, aborted(signal)]);
        if (signal.aborted) return;
        yield { events: [event], position: event.position, caughtUp: false };
      }
      yield { ...batch, events: [] };
    }
  };
  return {
    hold() {
      let open = (): void => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      gate = { opened, open };
    },
    letGo() {
      gate?.open();
      gate = undefined;
    },
  };
}
