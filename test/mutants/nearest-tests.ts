// The tests that are nearest to a source file in the graph of imports: those that a mutant of it has to survive.
import { cruise } from 'dependency-cruiser';

/** Tests in these folders run the code in processes of their own, which no mutant reaches, or take minutes. */
const ELSEWHERE = /^test\/(browser|cli|client|consumer|crash|docs|golden|nodes|races|simulation)\//;
/** So many files of tests of other folders hold a source that no test of its own folder reaches. */
const OF_OTHER_FOLDERS = 3;
/** Tests of the whole service take long: they are chosen last. */
const WHOLE = /^test\/http\//;
/** Each takes seconds, which every mutant that survives it would cost: they run with `--slow`. */
const SLOW = /(\.property|\/newest-word|\/words-of-all-sources|journal\/chain|\/recorded-keys|\/look-up-crowds|\/moved-clock)\.test\.ts$/;

export type Importers = ReadonlyMap<string, readonly string[]>;

/** The tests of `sources`, the nearest of each. Paths are relative to the root, with `/`. */
export function nearestTests(sources: readonly string[], importers: Importers, withSlow: boolean): readonly string[] {
  const ranks = new Map<string, number>();
  for (const source of sources) {
    for (const [test, rank] of nearestOf(source, importers, withSlow)) ranks.set(test, Math.min(rank, ranks.get(test) ?? rank));
  }
  return [...ranks]
    .toSorted((one, other) => is(SLOW, one[0]) - is(SLOW, other[0]) || one[1] - other[1] || one[0].localeCompare(other[0]))
    .map(([test]) => test);
}

const is = (kind: RegExp, test: string): number => Number(kind.test(test));

/** The tests of the source's own folder that reach it; where there are none, the nearest of other folders. */
function nearestOf(source: string, importers: Importers, withSlow: boolean): readonly (readonly [string, number])[] {
  const ownFolder = source.replace(/^src\//, 'test/').replace(/[^/]*$/, '');
  const tests = [...reached(source, importers)].filter(([test]) => withSlow || !SLOW.test(test));
  const nearest = tests.toSorted(
    (one, other) => is(WHOLE, one[0]) - is(WHOLE, other[0]) || one[1] - other[1] || one[0].localeCompare(other[0]),
  );
  const own = nearest.filter(([test]) => test.startsWith(ownFolder));
  return own.length > 0 ? own : nearest.slice(0, OF_OTHER_FOLDERS);
}

/** For each file of the sources and the tests, the files that import it. */
export async function importersOfAll(): Promise<Importers> {
  const { output } = await cruise(['src', 'test'], { doNotFollow: { path: 'node_modules' }, tsPreCompilationDeps: false });
  if (typeof output === 'string') throw new TypeError('the graph of imports came as text');
  return new Map(output.modules.map(({ source, dependents }) => [source, dependents]));
}

/** The tests that import the file, directly or through others, and over how many imports. */
function reached(source: string, importers: Importers): ReadonlyMap<string, number> {
  if (!importers.has(source)) throw new Error(`${source} is not a file that is imported`);
  const distances = new Map([[source, 0]]);
  const tests = new Map<string, number>();
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (distances.has(importer)) continue;
      distances.set(importer, distance + 1);
      if (importer.endsWith('.test.ts') && !ELSEWHERE.test(importer)) tests.set(importer, distance + 1);
    }
  }
  return tests;
}
