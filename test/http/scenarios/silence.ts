// The deadline of a call to the sandbox: it is over as soon as the sandbox has no more work for the call, however long
// that takes.
import { setImmediate as turn } from 'node:timers/promises';
import { Deadlines } from '../../../src/deadlines.ts';
import type { Sandbox } from '../../../src/processors/sandbox/sandbox-interface.ts';
import type { World } from '../../../src/world.ts';

/**
 * The silent looks in a row after which a call is given up: its next write comes after the first look, its follow-up
 * after the second.
 */
const LOOKS = 4;
/** The account of no test: a write for it is done after all earlier writes. */
const NOBODY = { accountId: 'acc_nobody', apiKey: 'nothing' };

/**
 * The sandbox is silent when nothing that it was asked for is still to be written, and it waits for nothing that comes
 * before `deadlineMs`. Each look at a silent sandbox takes its part of the `deadlines`; a wait of exactly `deadlineMs`
 * ends after as many looks. A call that hangs is given up at once. A call that is answered is never given up, whatever
 * the machine does meanwhile.
 */
export class Silence {
  readonly #deadlineMs: number;
  #sandbox: Sandbox | undefined;
  #shortWaits = 0;
  #silentMs = 0;
  /** Other work that a deadline waits for; none when it is undefined. */
  behind: (() => Promise<boolean>) | undefined;
  /** The deadlines of the service's calls to the sandbox. */
  readonly deadlines: Deadlines;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
    const sleep: World['sleep'] = async (_ms, signal) => {
      if (await this.#isSilent(signal)) this.#silentMs += deadlineMs / LOOKS;
    };
    this.deadlines = new Deadlines({ monotonic: () => this.#silentMs, sleep }, deadlineMs);
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
    this.#sandbox = sandbox;
    const sleep: World['sleep'] = (ms, signal) =>
      ms === this.#deadlineMs ? this.#untilSilent(signal) : world.sleep(ms, signal);
    return { ...world, sleep };
  }

  async #untilSilent(signal: AbortSignal): Promise<void> {
    for (let looks = 0; looks < LOOKS; looks = (await this.#isSilent(signal)) ? looks + 1 : 0);
  }

  async #isSilent(signal: AbortSignal): Promise<boolean> {
    await turn(); // the wait begins before the call
    signal.throwIfAborted();
    await this.#sandbox?.connect(NOBODY); // requests keep their order
    signal.throwIfAborted();
    return this.#shortWaits === 0 && (await this.behind?.()) !== false;
  }
}
