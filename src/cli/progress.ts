// Progress of long work on stderr: a bar with rate and time left on a terminal, one line every 5 s elsewhere.
import type { World } from '../world.ts';
import { tell } from './output.ts';

export interface Progress {
  /** `done` of `total`, which may both grow; `step`: the current step. */
  update(done: number, total: number | About, step?: string): void;
  stop(): void;
}

/** A total that is not counted. */
export interface About {
  readonly about: number;
}

/**
 * The estimated total, from the share that is done (0 to 1): a log shows how far it was read, but not how many events
 * it holds.
 */
export const totalBy = (done: number, share: number): number | About =>
  share >= 1 ? done : { about: share <= 0 ? done : Math.max(done, Math.round(done / share)) };

const LINE_EVERY_MS = 5_000;

/** `title` names the work, `unit` the counted things (plural). */
export function openProgress(title: string, unit: string, world: World): Promise<Progress> {
  return process.stderr.isTTY === true ? bar(title, unit, world) : Promise.resolve(lines(title, unit, world));
}

async function bar(title: string, unit: string, world: World): Promise<Progress> {
  const { default: progress } = await import('cli-progress');
  const started = world.monotonic();
  const format = `${title} {step}[{bar}] {percentage}% | {value}/{total} ${unit} | {rate}/s | {left} s left`;
  const single = new progress.SingleBar({
    format,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: false,
    barsize: 20,
  });
  let isDrawn = false;
  return {
    update(done, of, step) {
      const total = numberIn(of);
      const rate = rateOf(done, world.monotonic() - started);
      const payload = { rate, left: secondsLeft(done, total, rate) ?? '?', step: step === undefined ? '' : `${step} ` };
      if (isDrawn) single.setTotal(total);
      if (isDrawn) single.update(done, payload);
      else single.start(total, done, payload);
      isDrawn = true;
    },
    stop: () => single.stop(),
  };
}

/** One line every 5 s. */
export function lines(title: string, unit: string, world: World): Progress {
  const started = world.monotonic();
  let told = started;
  return {
    update(done, of, step) {
      const total = numberIn(of);
      const now = world.monotonic();
      if (now - told < LINE_EVERY_MS) return;
      told = now;
      const rate = rateOf(done, now - started);
      const left = secondsLeft(done, total, rate);
      const rest = left === undefined ? '' : `, ${left} s left`;
      tell(
        `${title}${step === undefined ? '' : ` ${step}`}: ${done} of ${typeof of === 'number' ? total : `about ${total}`} ${unit}, ${rate}/s${rest}`,
      );
    },
    stop: () => undefined,
  };
}

const numberIn = (total: number | About): number => (typeof total === 'number' ? total : total.about);

/** A second. */
const rateOf = (done: number, ms: number): number => (ms <= 0 ? 0 : Math.round((done * 1_000) / ms));

/** Undefined: unknown. */
const secondsLeft = (done: number, total: number, rate: number): number | undefined =>
  rate === 0 ? undefined : Math.ceil(Math.max(0, total - done) / rate);

/** The progress of one step after the other. */
export class ShownSteps {
  readonly #world: World;
  readonly #every: { readonly [unit: string]: number };
  #step = '';
  #shown = 0;
  #progress: Promise<Progress> | undefined;

  /** `every`: how much of a unit is between two updates of the display. */
  constructor(world: World, every: { readonly [unit: string]: number }) {
    this.#world = world;
    this.#every = every;
  }

  /** `share`: of the step, 0 to 1. */
  readonly show = (step: string, unit: string, done: number, share: number): void => {
    if (step === this.#step && done - this.#shown < (this.#every[unit] ?? 1) && share < 1) return;
    if (step !== this.#step) {
      this.end();
      this.#step = step;
      this.#progress = openProgress(step, unit, this.#world);
    }
    this.#shown = done;
    void this.#progress?.then((progress) => progress.update(done, totalBy(done, share)));
  };

  readonly end = (): void => {
    void this.#progress?.then((progress) => progress.stop());
    this.#progress = undefined;
    this.#step = '';
  };
}
