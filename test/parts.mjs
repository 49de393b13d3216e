// The two parts of the suite. `npm test` runs the fast part: it holds each promise of the README and of the contract,
// and `npm run mutants -- --promises` shows that it does. `npm run test:rest` runs everything else, and `npm run
// test:all` both. A promise that several levels could hold is held by the lowest one, in the fast part; a file belongs
// to the rest if it takes seconds to repeat that over other stores, more seeds, more sizes, or in real processes.
// A text stands for every file whose path below test/ begins with it.

/** The files of the rest. */
export const REST = [
  'browser/',
  'cli/stores',
  'consumer/',
  'crash/builds/every-stage',
  'crash/damaged-files',
  'crash/first-builds',
  'crash/steps/on-servers',
  'docs/snippets',
  'nodes/',
  'races/processes',
  'simulation/many-worlds',
  'simulation/worlds',
  'stores/eventstoredb-',
  'stores/mongodb-',
  'support/eventstoredb-loopback/',
  'support/mongodb-loopback/',
];

/** One path of a person through each kind of page. In the rest they run again, at all widths and in both themes. */
export const BROWSER = [
  'browser/checkout/challenge.',
  'browser/checkout/fields.',
  'browser/checkout/pay.',
  'browser/checkout/safety',
  'browser/management',
  'browser/operations',
  'browser/payment-page',
  'browser/payments.',
  'browser/people',
];

/** True if the file, a path below test/, is one of the fast part. */
export const isFast = (path) => begins(BROWSER, path) || !begins(REST, path);

/** True if it is one of the rest. */
export const isRest = (path) => begins(REST, path);

const begins = (list, path) => list.some((one) => path.startsWith(one));
