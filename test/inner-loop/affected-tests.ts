// Which tests a change can break: those that reach a changed file by imports, and those that read it.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Importers, reached } from './imports.ts';

/** Files outside the graph, and a file in the graph through which tests read them. */
const READ_THROUGH: readonly (readonly [RegExp, string])[] = [
  [/^web\//, 'test/browser/support/browser.ts'],
  [/\.md$/, 'test/docs/pages.ts'],
  [/^(\.dependency-cruiser\.mjs|biome.*)$/, 'test/architecture.test.ts'],
  [/^test\/golden\//, 'test/golden/golden-log.ts'],
];

/**
 * The nearest first. Of a changed file that is gone there is nothing to run: what imported it has changed too, or does
 * not compile.
 */
export function affectedTests(changed: readonly string[], importers: Importers): readonly string[] {
  const sources = changed.flatMap((path) => (importers.has(path) ? [path] : readersOf(path, importers)));
  return [...reached(sources, importers)]
    .filter(([path]) => path.endsWith('.test.ts'))
    .toSorted((one, other) => one[1] - other[1] || one[0].localeCompare(other[0]))
    .map(([path]) => path);
}

/** The files of the tests that read the file: they hold its name as a text. */
function readersOf(path: string, importers: Importers): readonly string[] {
  const through = READ_THROUGH.filter(([kind]) => kind.test(path)).map(([, reader]) => reader);
  const named = new RegExp(`['"\`/]${basename(path).replaceAll('.', '\\.')}['"\`]`);
  const naming = [...importers.keys()].filter(
    (file) => file.startsWith('test/') && named.test(readFileSync(file, 'utf8')),
  );
  return [...through, ...naming];
}

/** As many of the nearest as take at most `seconds` together, and at least one. */
export function within(
  seconds: number,
  tests: readonly string[],
  secondsOf: (test: string) => number,
): readonly string[] {
  let sum = 0;
  return tests.filter((test, place) => {
    const fits = place === 0 || sum + secondsOf(test) <= seconds;
    if (fits) sum += secondsOf(test);
    return fits;
  });
}
