// npm run mutants -- --promises: plants each fault of the list, and says which file of tests notices it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Importers, importersOfAll, reached, withStarted } from '../../inner-loop/imports.ts';
import { ROOT } from '../../support/root.ts';
import { ALL_FAULTS } from './all.ts';
import type { Fault, PlantedFault } from './fault.ts';
import { type Ended, runTests } from './run-tests.ts';
import { type Planted, Workshop } from './workshop.ts';

const HELP = `npm run mutants -- --promises [options]
  --only TEXT    only faults whose promise or name has the text
  --part PART    fast or rest; without it the fast part first, then the rest for what it missed, or the other way round
                 for what a file of the rest noticed last
  --nearest N    only the N nearest files of tests of each fault, besides the one that noticed it last
  --jobs N       faults at a time, each in a copy of its own (1)
  --keep FOLDER  keeps there what was built, for a next run of the same sources
  --new          only faults that no file of tests has noticed yet, as noticed.json has it
  --list         name the faults, and plant none
`;

/** Fault to file of tests: where the next run begins. */
const NOTICED = join(ROOT, 'test/mutants/promises/noticed.json');
/** Holds the list itself, so it fails with any fault. */
const OWN = 'mutants/promises.test.ts';
/** The fast part has to notice so many of all faults, and both parts every one. */
const SHARE_OF_FAST = 0.9;
/** Files that are run together are of so many seconds. */
const SECONDS_TOGETHER = 15;
const FILES_TOGETHER = 8;
/** A file that takes longer by so many times is as far as one that is an import further away. */
const AS_FAR = 2;

type Part = 'fast' | 'rest';
const Noticed = z.record(z.string(), z.string());
const Times = z.record(z.string(), z.object({ seconds: z.number() }));

const noticedBefore = (): Readonly<Record<string, string>> =>
  existsSync(NOTICED) ? Noticed.parse(JSON.parse(readFileSync(NOTICED, 'utf8'))) : {};

const keyOf = ({ promise, name }: Fault): string => `${promise}: ${name}`;

interface Found {
  readonly by: string;
  readonly part: Part;
}

export async function plantFaults(args: readonly string[]): Promise<number> {
  const { values: options } = parseArgs({
    args: [...args],
    options: {
      promises: { type: 'boolean' },
      only: { type: 'string' },
      part: { type: 'string' },
      nearest: { type: 'string' },
      jobs: { type: 'string' },
      keep: { type: 'string' },
      new: { type: 'boolean' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const { only, part } = options;
  if (options.help === true || (part !== undefined && !['fast', 'rest'].includes(part))) {
    process.stdout.write(HELP);
    return options.help === true ? 0 : 2;
  }
  const known = options.new === true ? noticedBefore() : {};
  const faults = ALL_FAULTS.filter(
    (fault) => (only === undefined || keyOf(fault).includes(only)) && !(keyOf(fault) in known),
  );
  if (options.list === true) {
    for (const fault of faults) process.stdout.write(`${keyOf(fault)}\n`);
    return 0;
  }
  const parts: readonly Part[] = part === undefined ? ['fast', 'rest'] : [part === 'rest' ? 'rest' : 'fast'];
  const most = options.nearest === undefined ? Number.POSITIVE_INFINITY : Number(options.nearest);
  process.chdir(ROOT);
  const search = await Search.open(most);
  const first = await Workshop.open(search.graph, options.keep === undefined ? undefined : resolve(options.keep));
  const workshops = [first];
  for (let job = 1; job < Number(options.jobs ?? 1); job += 1) workshops.push(await first.copy());
  const found = new Map<Fault, Found | undefined>();
  const left = [...faults];
  const work = async (workshop: Workshop): Promise<void> => {
    for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
      const since = performance.now();
      const by = await search.noticed(workshop, fault, parts);
      found.set(fault, by);
      const seconds = Math.round((performance.now() - since) / 1_000);
      const words =
        by === undefined ? 'NOTICED BY NOTHING' : `noticed by ${by.by}${by.part === 'rest' ? ' (the rest)' : ''}`;
      process.stdout.write(`${found.size}/${faults.length} ${keyOf(fault)}: ${words}, ${seconds} s\n`);
    }
  };
  try {
    await Promise.all(workshops.map(work));
  } finally {
    for (const workshop of workshops) await workshop.close();
  }
  return told(faults, found, parts);
}

/** The table, and the exit code. */
function told(faults: readonly Fault[], found: ReadonlyMap<Fault, Found | undefined>, parts: readonly Part[]): number {
  const promises = [...new Set(faults.map(({ promise }) => promise))];
  const count = (of: readonly Fault[], part: Part | undefined): number =>
    of.filter((fault) => found.get(fault)?.part === part).length;
  const row = (name: string, of: readonly Fault[]): string =>
    [name.padEnd(44), of.length, count(of, 'fast'), count(of, 'rest'), count(of, undefined)]
      .map((cell) => String(cell).padStart(8))
      .join('');
  const lines = [
    `${' '.repeat(44)}  faults    fast    rest nothing`,
    ...promises.map((promise) =>
      row(
        promise,
        faults.filter((fault) => fault.promise === promise),
      ),
    ),
    row('all', faults),
  ];
  process.stdout.write(`\n${lines.join('\n')}\n`);
  const missed = faults.filter((fault) => found.get(fault) === undefined);
  if (missed.length > 0)
    process.stdout.write(`\nNoticed by nothing:\n${missed.map((fault) => `  ${keyOf(fault)}\n`).join('')}`);
  const isFastEnough = !parts.includes('fast') || count(faults, 'fast') >= SHARE_OF_FAST * faults.length;
  return missed.length === 0 && isFastEnough ? 0 : 1;
}

class Search {
  readonly graph: Importers;
  readonly #most: number;
  readonly #parts: Parts;
  readonly #seconds: (test: string) => number;
  readonly #noticed: Map<string, string>;
  /** Whether a file passes without a fault; asked once. */
  readonly #sound = new Map<string, Promise<boolean>>();

  private constructor(most: number, parts: Parts, graph: Importers) {
    this.#most = most;
    this.#parts = parts;
    this.graph = graph;
    this.#noticed = new Map(Object.entries(noticedBefore()));
    const read = (path: string) => (existsSync(path) ? Times.parse(JSON.parse(readFileSync(path, 'utf8'))) : {});
    const times = { ...read('test/inner-loop/times.json'), ...read('dist/inner-loop/test-times.json') };
    this.#seconds = (test) => times[test.replace(/\.ts$/, '.js')]?.seconds ?? 1;
  }

  static async open(most: number): Promise<Search> {
    return new Search(most, await partsOfTests(), withStarted(await importersOfAll()));
  }

  /**
   * The file of tests that notices it, in the first of the parts that has one. Where a file of the rest noticed it
   * last, the fast part has none, as far as is known: it is asked last, because all of it would take minutes.
   */
  async noticed(workshop: Workshop, fault: Fault, parts: readonly Part[]): Promise<Found | undefined> {
    const tests = this.#nearest(fault);
    const hint = this.#noticed.get(keyOf(fault));
    const isOfRestAlone = hint !== undefined && !this.#parts.isFast(hint);
    for (const part of isOfRestAlone ? parts.toReversed() : parts) {
      const isOf = part === 'fast' ? this.#parts.isFast : this.#parts.isRest;
      const look =
        'find' in fault ? this.#failing.bind(this, workshop, fault) : this.#breaking.bind(this, workshop, fault);
      const by = await look(tests.filter(isOf), part);
      if (by === undefined) continue;
      this.#remember(fault, by);
      return { by, part };
    }
    return undefined;
  }

  async #failing(
    workshop: Workshop,
    fault: PlantedFault,
    tests: readonly string[],
    part: Part,
  ): Promise<string | undefined> {
    const hint = this.#noticed.get(keyOf(fault));
    for (const files of this.#inGroups(tests, hint)) {
      let left: readonly string[] = files;
      while (left.length > 0) {
        const ended = await runWith(workshop, fault, left, part);
        if (ended.kind === 'passed') break;
        const by = ended.file ?? left[0] ?? '';
        // A slow machine makes tests late, and files that are run together may disturb each other.
        const isSure = left.length === 1 && !ended.isTimeout;
        const again = isSure ? ended : await runWith(workshop, fault, [by], part);
        if (again.kind === 'failed' && (await this.#isSound(workshop, by, part))) {
          process.stdout.write(`  ${wordsOf(again)}\n`);
          return by;
        }
        left = left.slice(left.indexOf(by) + 1);
      }
    }
    return undefined;
  }

  /** The file whose test of this name finds the broken one. */
  async #breaking(workshop: Workshop, fault: Fault, tests: readonly string[], part: Part): Promise<string | undefined> {
    const grep = `(^|[ :])${fault.name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
    for (const file of tests) {
      const ended = await runTests(workshop.root, { files: [file], grep, part });
      if (ended.kind === 'passed' && ended.passes > 0) return file;
    }
    return undefined;
  }

  /** Whether it passes without a fault. */
  #isSound(workshop: Workshop, test: string, part: Part): Promise<boolean> {
    const key = `${part} ${test}`;
    const known = this.#sound.get(key);
    if (known !== undefined) return known;
    const sound = runTests(workshop.root, { files: [test], part }).then((ended) => {
      if (ended.kind === 'failed')
        process.stdout.write(`  ${test} fails without a fault, too, and is left out: ${wordsOf(ended)}\n`);
      return ended.kind === 'passed';
    });
    this.#sound.set(key, sound);
    return sound;
  }

  /** The one that noticed it last, alone; then groups of those that take little time. */
  #inGroups(tests: readonly string[], hint: string | undefined): readonly (readonly string[])[] {
    const groups: string[][] = hint !== undefined && tests.includes(hint) ? [[hint]] : [];
    let [group, seconds]: [string[], number] = [[], 0];
    for (const test of tests) {
      if (test === hint) continue;
      if (group.length === FILES_TOGETHER || (group.length > 0 && seconds + this.#seconds(test) > SECONDS_TOGETHER)) {
        groups.push(group);
        [group, seconds] = [[], 0];
      }
      group.push(test);
      seconds += this.#seconds(test);
    }
    return group.length === 0 ? groups : [...groups, group];
  }

  /** Every file of tests, below test/: the one that noticed it last first, then the nearest and quickest. */
  #nearest(fault: Fault): readonly string[] {
    const file = 'find' in fault ? fault.file : fault.brokenIn;
    const distances = reached([file], this.graph);
    const own = file.replace(/^(client\/)?src\//, '').split('/');
    const rank = (test: string): number => {
      const distance = distances.get(`test/${test}`) ?? 100;
      const shared = test.split('/').filter((step, place) => step === own[place]).length;
      return distance - 2 * shared + Math.log(this.#seconds(test)) / Math.log(AS_FAR);
    };
    const tests = [...this.graph.keys()]
      .filter((path) => path.startsWith('test/') && path.endsWith('.test.ts'))
      .map((path) => path.slice('test/'.length))
      .filter((test) => test !== OWN && ('find' in fault || (distances.get(`test/${test}`) ?? 100) <= 1));
    const hint = this.#noticed.get(keyOf(fault));
    const ordered = tests.toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
    return [
      ...ordered.filter((test) => test === hint),
      ...ordered.filter((test) => test !== hint).slice(0, this.#most),
    ];
  }

  #remember(fault: Fault, by: string): void {
    this.#noticed.set(keyOf(fault), by);
    const known = ALL_FAULTS.map(keyOf).filter((key) => this.#noticed.has(key));
    writeFileSync(
      NOTICED,
      `${JSON.stringify(Object.fromEntries(known.map((key) => [key, this.#noticed.get(key)])), undefined, 2)}\n`,
    );
  }
}

async function runWith(workshop: Workshop, fault: PlantedFault, files: readonly string[], part: Part): Promise<Ended> {
  const planted: Planted = workshop.plant(fault);
  try {
    await planted.bundleFor(files.map((file) => `test/${file}`));
    return await runTests(workshop.root, { files, part });
  } finally {
    planted.takeOut();
  }
}

const wordsOf = (ended: Ended): string =>
  ended.kind === 'passed' ? 'passed' : `${ended.title}: ${ended.why.split('\n')[0] ?? ''}`.slice(0, 200);

/** Whether a file of tests, below test/, is one of the fast part, and of the rest; some are of both. */
const Parts = z.object({
  isFast: z.custom<(test: string) => boolean>((value) => typeof value === 'function'),
  isRest: z.custom<(test: string) => boolean>((value) => typeof value === 'function'),
});
type Parts = z.output<typeof Parts>;
const partsOfTests = async (): Promise<Parts> =>
  Parts.parse(await import(pathToFileURL(join(ROOT, 'test/parts.mjs')).href));
