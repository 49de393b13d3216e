// The deadline of a call to the sandbox: it is over as soon as the sandbox has no more work for the call, however long
// that takes.
import { setImmediate as turn } from 'node:timers/promises';
import type { Sandbox } from '../../../src/processors/sandbox/sandbox-interface.ts';
import type { World } from '../../../src/world.ts';

/**
 * The number of silent looks in a row: a call's next write comes after the first look, its follow-up after the second.
 */
const LOOKS = 4;
/** The account of no test: a write for it is done after all earlier writes. */
const NOBODY = { accountId: 'acc_nobody', apiKey: 'nothing' };

/**
 * Two worlds that know of each other: in the service's a wait of exactly `deadlineMs` is over when the sandbox is
 * silent, which is when nothing that it was asked for is still to be written and it waits for nothing that comes before
 * `deadlineMs`. So a call that hangs is given up at once, and one that is answered never, whatever the machine does
 * meanwhile.
 */
export class Silence {
  readonly #deadlineMs: number;
  #shortWaits = 0;
  /** Other work that a deadline waits for; none when it is undefined. */
  behind: (() => Promise<boolean>) | undefined;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  sandboxWorld(world: World): World {
    return {
      ...world,
      sleep: async (ms, signal) => {
        const isShort = ms < this.#deadlineMs;
        if (isShort) this.#shortWaits += 1;
        try {
          await world.sleep(ms, signal);
        } finally {
          if (isShort) this.#shortWaits -= 1;
        }
      },
    };
  }

  serviceWorld(world: World, sandbox: Sandbox): World {
    const sleep: World['sleep'] = (ms, signal) =>
      ms === this.#deadlineMs ? this.#untilSilent(sandbox, signal) : world.sleep(ms, signal);
    return { ...world, sleep };
  }

  async #untilSilent(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
    for (
      let looks = 0;
      looks < LOOKS;
      looks = this.#shortWaits === 0 && (await this.behind?.()) !== false ? looks + 1 : 0
    ) {
      await turn(); // the wait begins before the call
      signal.throwIfAborted();
      await sandbox.connect(NOBODY); // requests keep their order
    }
    signal.throwIfAborted();
  }
}
