// The tests that are nearest to a source file in the graph of imports: those that a mutant of it has to survive.
import { cruise } from 'dependency-cruiser';

/** Tests in these folders run the code in processes of their own, which no mutant reaches, or take minutes. */
const ELSEWHERE = /^test\/(browser|cli|consumer|crash|docs|golden|nodes|races|simulation)\//;
/** So many files of tests at most: mutants are many, and each of them runs the tests that cover it. */
const MOST = 40;

/** The tests of each file of `sources`, nearest first. Paths are relative to the root, with `/`. */
export async function nearestTests(sources: readonly string[]): Promise<readonly string[]> {
  const importers = await importersOf(['src', 'test']);
  const found = new Map<string, number>();
  for (const source of sources) {
    for (const [test, distance] of reached(source, importers)) found.set(test, Math.min(distance, found.get(test) ?? distance));
  }
  const isMirror = (test: string): boolean => sources.some((source) => test.startsWith(`test/${folderOf(source).slice('src/'.length)}/`));
  const rank = ([test, distance]: readonly [string, number]): number => (isMirror(test) ? 0 : distance);
  return [...found]
    .toSorted((one, other) => rank(one) - rank(other) || one[0].localeCompare(other[0]))
    .slice(0, MOST)
    .map(([test]) => test);
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** For each file, the files that import it. */
async function importersOf(roots: string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { output } = await cruise(roots, { doNotFollow: { path: 'node_modules' }, tsPreCompilationDeps: false });
  if (typeof output === 'string') throw new TypeError('the graph of imports came as text');
  return new Map(output.modules.map(({ source, dependents }) => [source, dependents]));
}

/** The tests that import the file, directly or through others, and over how many imports. */
function reached(source: string, importers: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> {
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
