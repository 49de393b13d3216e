// The tests that are nearest to a source file in the graph of imports: those that a mutant of it has to survive.
import { dirname } from 'node:path';
import { type Importers, reached } from '../inner-loop/imports.ts';

/** Tests in these folders run the code in processes of their own, which no mutant reaches, or take minutes. */
const ELSEWHERE = /^test\/(browser|cli|client|consumer|crash|docs|golden|nodes|races|simulation)\//;
/**
 * So many files of tests of other folders hold a source that no test of its own folder, or of the one above it,
 * reaches.
 */
const OF_OTHER_FOLDERS = 3;
/** Tests of the whole service take long: they are chosen last. */
const WHOLE = /^test\/http\//;
/** Each takes seconds, which every mutant that survives it would cost: they run with `--slow`. */
const SLOW =
  /(\.property|\/newest-word|\/words-of-all-sources|journal\/chain|commands\/idempotency|\/recorded-keys|\/look-up-crowds|\/moved-clock)\.test\.ts$/;

/** The tests of `sources`, the nearest of each. Paths are relative to the root, with `/`. */
export function nearestTests(sources: readonly string[], importers: Importers, withSlow: boolean): readonly string[] {
  const ranks = new Map<string, number>();
  for (const source of sources) {
    for (const [test, rank] of nearestOf(source, importers, withSlow))
      ranks.set(test, Math.min(rank, ranks.get(test) ?? rank));
  }
  return [...ranks]
    .toSorted(
      (one, other) => is(SLOW, one[0]) - is(SLOW, other[0]) || one[1] - other[1] || one[0].localeCompare(other[0]),
    )
    .map(([test]) => test);
}

const is = (kind: RegExp, test: string): number => Number(kind.test(test));

/**
 * The tests of the source's own folder that reach it; if there are none, those of the folder above it, otherwise the
 * nearest of others.
 */
function nearestOf(source: string, importers: Importers, withSlow: boolean): readonly (readonly [string, number])[] {
  const ownFolder = source.replace(/^src\//, 'test/').replace(/[^/]*$/, '');
  const tests = testsOf(source, importers).filter(([test]) => withSlow || !SLOW.test(test));
  const nearest = tests.toSorted(
    (one, other) => is(WHOLE, one[0]) - is(WHOLE, other[0]) || one[1] - other[1] || one[0].localeCompare(other[0]),
  );
  const own = nearest.filter(([test]) => test.startsWith(ownFolder));
  if (own.length > 0) return own;
  const above = nearest.filter(([test]) => dirname(test) === dirname(ownFolder));
  return above.length > 0 ? above : nearest.slice(0, OF_OTHER_FOLDERS);
}

/** The tests of this process that import the file, directly or through others, and over how many imports. */
function testsOf(source: string, importers: Importers): readonly (readonly [string, number])[] {
  if (!importers.has(source)) throw new Error(`${source} is not a file that is imported`);
  return [...reached([source], importers)].filter(([path]) => path.endsWith('.test.ts') && !ELSEWHERE.test(path));
}
