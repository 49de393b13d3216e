// How far the one process that follows the log lags, at several rates of appends by others, until it falls behind;
// against taking a backlog.
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Bench, rowOf } from './row.ts';
import { madeIn } from './support/data-directory.ts';
import { median } from './support/patches.ts';
import { AS_STARTED, end, LOAD_CORE, lineOf, pinned, SERVER_CORE } from './support/pinned.ts';
import { EVENTS_OF_ALL } from './support/ready-payments.ts';
import { temporary } from './support/temporary.ts';

/** The backlog that the follower has to take at once: its rate is that of a second or more. */
const BACKLOG = Number(process.env['BENCH_BACKLOG'] ?? 4_000);
const ROUND_MS = 6_000;
/** The shares of the rate at which it takes the backlog. */
const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9, 1.1];
/** The median lag of a follower that keeps up: it rests for up to 60 ms between two looks at the log. */
const KEEPS_UP_MS = 250;
const REACH = { live: 0.5, lagAtMost: 1 };

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const fromSource = [...AS_STARTED, '--import', 'tsx'];
const Followed = z.object({ at: z.number(), reached: z.number(), cpuMs: z.number() });
const Marks = z.array(z.tuple([z.number(), z.number()])).min(2);

interface Lag {
  readonly eventsPerSecond: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /** When the last append was written. */
  readonly eventsAtEnd: number;
}

export const bench: Bench = async () => {
  const directory = await temporary();
  const { dataDir, accountId } = await madeIn(directory, 'data');
  const child = pinned(SERVER_CORE, [...fromSource, here('support/following-node.ts'), dataDir]);
  const samples: z.output<typeof Followed>[] = [];
  if (child.stdout !== null)
    createInterface(child.stdout).on('line', (line) =>
      samples.push(Followed.parse(JSON.parse(line.slice('Followed '.length)))),
    );
  const append = async (payments: number, perSecond: number) => {
    const args = [here('support/paced-appends.ts'), dataDir, accountId, payments, perSecond];
    const line = await lineOf(pinned(LOAD_CORE, [...fromSource, ...args.map(String)]), /^Appended (.*)$/);
    const marks = Marks.parse(JSON.parse(line));
    const [, head = -1] = marks.at(-1) ?? [];
    while ((samples.at(-1)?.reached ?? -1) < head) await pause(20);
    return marks;
  };
  try {
    await append(BACKLOG / 4, Number.MAX_SAFE_INTEGER); // V8 compiles
    const backlog = ratesOf(await append(BACKLOG, Number.MAX_SAFE_INTEGER), samples);
    process.stderr.write(
      `  a backlog: ${Math.round(backlog.perSecond)} events/s, ${backlog.cpuMicros.toFixed(0)} µs of CPU each\n`,
    );
    const lags: Lag[] = [];
    for (const share of SHARES) {
      const perSecond = (backlog.perSecond * share) / EVENTS_OF_ALL;
      const marks = await append(Math.ceil((perSecond * ROUND_MS) / 1_000), perSecond);
      const lag = lagOf(marks, samples);
      lags.push(lag);
      const { cpuMicros } = ratesOf(marks, samples);
      const told = `${Math.round(lag.eventsPerSecond)} events/s: lag ${Math.round(lag.medianMs)} ms, p95 ${Math.round(lag.p95Ms)} ms`;
      process.stderr.write(`  ${told}, ${lag.eventsAtEnd} events at the end; ${cpuMicros.toFixed(0)} µs of CPU each\n`);
    }
    const live = lags.findLast(keepsUp);
    const half = lags[SHARES.indexOf(0.5)];
    return [
      rowOf(
        'events followed as they come, against a backlog',
        live?.eventsPerSecond ?? 0,
        backlog.perSecond,
        REACH.live,
        '1/s',
      ),
      rowOf(
        'lag (median) at half the rate of a backlog',
        half?.medianMs ?? Number.NaN,
        KEEPS_UP_MS,
        { atMost: REACH.lagAtMost },
        'ms',
      ),
    ];
  } finally {
    await end(child);
    await rm(directory, { recursive: true });
  }
};

/** A follower that falls behind has more than the appends of half a second before it in the end. */
const keepsUp = ({ medianMs, eventsAtEnd, eventsPerSecond }: Lag): boolean =>
  medianMs < KEEPS_UP_MS && eventsAtEnd < eventsPerSecond / 2;

type Marks = z.output<typeof Marks>;
type Samples = readonly z.output<typeof Followed>[];

/** The follower's rates, from the first append until it has reached the last. */
function ratesOf(marks: Marks, samples: Samples): { readonly perSecond: number; readonly cpuMicros: number } {
  const [[from, first] = [Number.NaN, Number.NaN]] = marks;
  const [, head = Number.NaN] = marks.at(-1) ?? [];
  const begin = samples.findLast(({ at }) => at <= from);
  const reached = samples.find((one) => one.reached >= head);
  const events = head - first;
  const ms = (reached?.at ?? Number.NaN) - from;
  return {
    perSecond: (events * 1_000) / ms,
    cpuMicros: (((reached?.cpuMs ?? Number.NaN) - (begin?.cpuMs ?? Number.NaN)) * 1_000) / events,
  };
}

/** How long the oldest event that was not followed had been in the log, at each sample while appends came. */
function lagOf(marks: Marks, samples: Samples): Lag {
  const [[from, first] = [Number.NaN, Number.NaN]] = marks;
  const [to, head] = marks.at(-1) ?? [Number.NaN, Number.NaN];
  const during = samples.filter(({ at }) => at > from && at <= to);
  const lags = during.map(({ at, reached }) => {
    const [since] = marks.find(([, its]) => its > reached) ?? [at];
    return Math.max(0, at - since);
  });
  const sorted = lags.toSorted((a, b) => a - b);
  return {
    eventsPerSecond: ((head - first) * 1_000) / (to - from),
    medianMs: median(sorted),
    p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
    eventsAtEnd: head - (during.at(-1)?.reached ?? first),
  };
}
