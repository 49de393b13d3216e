// npm run mutants -- FILES: changes the source files in small ways, one at a time, and says which changes no test
// notices. npm run mutants -- --promises: plants the faults of promises/.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { importersOfAll } from '../inner-loop/imports.ts';
import { nearestTests } from './nearest-tests.ts';

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Of Stryker: its report, and what it remembers of all runs (`--force` forgets it). */
const REPORTS = 'dist/mutants';

/**
 * Stryker remembers a run that came to its end, so an interrupted one loses at most so many files. Each batch costs a
 * start.
 */
const FILES_AT_ONCE = 8;

const args = process.argv.slice(2);
if (args.includes('--promises')) {
  const { plantFaults } = await import('./promises/search.ts');
  process.exit(await plantFaults(args));
}
const wanted = args.filter((arg) => !arg.startsWith('--'));
if (wanted.length === 0) {
  console.error('Name the source files, or folders: npm run mutants -- src/domain/payment/change.ts src/journal');
  process.exit(2);
}
process.chdir(ROOT);
const files = wanted
  .map((path) => relative(ROOT, path).replace(/\/$/, ''))
  .flatMap((path) => (path.endsWith('.ts') ? [path] : sourcesIn(path)));
const importers = await importersOfAll();
const batches = Array.from({ length: Math.ceil(files.length / FILES_AT_ONCE) }, (_, index) =>
  files.slice(index * FILES_AT_ONCE, (index + 1) * FILES_AT_ONCE),
);
for (const batch of batches) {
  const tests = nearestTests(batch, importers, args.includes('--slow'));
  console.log(
    `${batch.length} files:\n  ${batch.join('\n  ')}\nheld against ${tests.length} files of tests:\n  ${tests.join('\n  ')}`,
  );
  await new Stryker({
    testRunner: 'mocha',
    plugins: ['./test/mutants/node_modules/@stryker-mutator/mocha-runner/dist/src/index.js'],
    mochaOptions: { spec: [...tests], config: '.mocharc.json' },
    testRunnerNodeArgs: ['--import', 'tsx'],
    mutate: batch,
    // Texts for people are held by the tests of the documents, and no promise is one of them.
    mutator: { excludedMutations: ['StringLiteral'], plugins: [] },
    coverageAnalysis: 'perTest',
    // There is no such file, so Stryker changes none: TypeScript is stripped here, and never checked.
    tsconfigFile: 'none.json',
    reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only', 'clear-text', 'html', 'json'],
    clearTextReporter: {
      allowColor: process.stdout.isTTY,
      logTests: false,
      reportTests: false,
      reportScoreTable: true,
      skipFull: true,
      allowEmojis: false,
      reportMutants: true,
    },
    htmlReporter: { fileName: `${REPORTS}/report.html` },
    jsonReporter: { fileName: `${REPORTS}/report.json` },
    // A change of what a module computes when it loads needs a fresh process and all the tests: minutes for each
    // schema.
    ignoreStatic: true,
    incremental: true,
    incrementalFile: `${REPORTS}/incremental.json`,
    force: args.includes('--force'),
    concurrency: 2,
    tempDirName: 'dist/.stryker',
    ignorePatterns: ['dist', 'docs', 'web', 'bench', 'deploy'],
    timeoutMS: 5000,
  }).runMutationTest();
}
