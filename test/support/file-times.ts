// Mocha loads this for `npm test`: it keeps the time of each test file, from which .mocharc.compiled.mjs makes the
// order of the next run.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Context } from 'mocha';
import { z } from 'zod';

/** The last run of each file on this machine. Every run writes it, so it is not committed. */
const KEPT = 'dist/inner-loop/test-times.json';
/** For a fresh clone: the files of some seconds. `KEEP_TIMES=yes npm test` writes it. */
const COMMITTED = 'test/inner-loop/times.json';
const SECONDS_TO_COMMIT = 4;
/** A line for each file of this run: workers append to it. */
const RUN = 'dist/inner-loop/test-times.jsonl';
const COMPILED = 'dist/tests/test';
const SLOWEST = 10;
const MS = 1_000;
/** Unit of the times in /proc/<pid>/stat, in ms. */
const TICK_MS = 10;

/** `seconds` of the clock decide the order; `cpu`, in seconds too, is what can be made cheaper. */
const FileTime = z.object({ seconds: z.number(), cpu: z.number() });
const FileTimes = z.record(z.string(), FileTime);
const Line = FileTime.extend({ file: z.string() });

let since = now();

export const mochaHooks = {
  /** Runs once for each file, in the worker that ran it. */
  afterAll(this: Context): void {
    const root = this.test?.parent;
    const file = [...(root?.suites ?? []), ...(root?.tests ?? [])].find((one) => one.file !== undefined)?.file;
    const then = since;
    since = now();
    if (file === undefined) return;
    const line = { file: relative(COMPILED, file), seconds: since.seconds - then.seconds, cpu: since.cpu - then.cpu };
    appendFileSync(RUN, `${JSON.stringify(line)}\n`);
  },
};

/** Runs once, in Mocha's first process. */
export function mochaGlobalSetup(): void {
  mkdirSync(dirname(RUN), { recursive: true });
  rmSync(RUN, { force: true });
}

/** Runs once, in Mocha's first process. */
export function mochaGlobalTeardown(): void {
  if (!existsSync(RUN)) return;
  const lines = readFileSync(RUN, 'utf8').trimEnd().split('\n');
  const times = lines.map((line) => Line.parse(JSON.parse(line))).toSorted((one, other) => other.cpu - one.cpu);
  rmSync(RUN);
  const kept = existsSync(KEPT) ? FileTimes.parse(JSON.parse(readFileSync(KEPT, 'utf8'))) : {};
  for (const { file, seconds, cpu } of times) kept[file] = { seconds: rounded(seconds), cpu: rounded(cpu) };
  writeFileSync(KEPT, `${JSON.stringify(kept, undefined, 2)}\n`);
  if (process.env['KEEP_TIMES'] === 'yes') commit(kept);
  const all = times.reduce((sum, { cpu }) => sum + cpu, 0);
  const slowest = times.slice(0, SLOWEST).map(({ file, cpu }) => `${cpu.toFixed(1).padStart(7)} s  ${file}`);
  process.stdout.write(
    `${times.length} files of tests took ${Math.round(all)} s of CPU; the slowest:\n${slowest.join('\n')}\n`,
  );
}

const rounded = (seconds: number): number => Math.round(seconds * 10) / 10;

/** In whole seconds, and in the order of names, so that a difference can be read. */
function commit(kept: z.output<typeof FileTimes>): void {
  const long = Object.entries(kept).filter(
    ([file, { seconds }]) => seconds >= SECONDS_TO_COMMIT && existsSync(join(COMPILED, file)),
  );
  // As Biome formats it.
  const whole = long.map(([file, time]) => `  "${file}": { "seconds": ${Math.round(time.seconds)} }`);
  writeFileSync(COMMITTED, `{\n${whole.toSorted().join(',\n')}\n}\n`);
}

/** The clock, and the CPU time of this process and of all that it started; without /proc both are the clock's. */
function now(): z.output<typeof FileTime> {
  const seconds = performance.now() / MS;
  const processes = allProcesses();
  if (processes.length === 0) return { seconds, cpu: seconds };
  const { user, system } = process.cpuUsage();
  const childrenOf = (pid: number): readonly Process[] => processes.filter(({ parent }) => parent === pid);
  const descendants = [...childrenOf(process.pid)];
  for (const { pid } of descendants) descendants.push(...childrenOf(pid));
  const ended = processes.find(({ pid }) => pid === process.pid)?.endedMs ?? 0;
  const ms = (user + system) / MS + ended + descendants.reduce((sum, { ownMs, endedMs }) => sum + ownMs + endedMs, 0);
  return { seconds, cpu: ms / MS };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ownMs: number;
  /** The CPU time of its children that have ended. */
  readonly endedMs: number;
}

function allProcesses(): readonly Process[] {
  if (!existsSync('/proc/self/stat')) return [];
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(join('/proc', name, 'stat'), 'utf8');
      // The program's name stands in brackets and may hold blanks. After it come the state, the parent, ten more
      // fields, and the times.
      const [, parent = 0, ...rest] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = rest.slice(9);
      return [
        { pid: Number(name), parent, ownMs: (user + system) * TICK_MS, endedMs: (endedUser + endedSystem) * TICK_MS },
      ];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}
