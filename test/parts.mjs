// The two parts of the suite. `npm test` runs the fast part: it holds each promise of the README and of the contract,
// and `npm run mutants -- --promises` shows that it does. `npm run test:rest` runs everything else, and `npm run
// test:all` both. A promise that several levels could hold is held by the lowest one, in the fast part; a file belongs
// to the rest if it takes seconds to repeat that over other stores, more seeds, more sizes, or in real processes.
// A text stands for every file whose path below test/ begins with it.

/** The files of the rest. */
export const REST = [
  'architecture',
  'audit/threads',
  'browser/',
  'cli/backup.',
  'cli/compose',
  'cli/connections',
  'cli/copy',
  'cli/customers',
  'cli/damaged-keys',
  'cli/demo',
  'cli/doctor',
  'cli/give-way',
  'cli/keys-of-stores',
  'cli/listen/listen',
  'cli/loading',
  'cli/log',
  'cli/metrics-listener',
  'cli/narrow-terminal',
  'cli/notifications',
  'cli/payments-resolve',
  'cli/rebuild-',
  'cli/release',
  'cli/routing',
  'cli/running-address',
  'cli/sandbox',
  'cli/secrets-rewrap',
  'cli/shorter-log',
  'cli/stores',
  'cli/terminal',
  'cli/tracing',
  'cli/trigger',
  'cli/two-stores',
  'cli/unreadable-streams',
  'cli/webhooks',
  'cli/workers/',
  'client/compile-matrix',
  'consumer/',
  'crash/builds/every-stage',
  'crash/checkpoints',
  'crash/damaged-files',
  'crash/first-builds',
  'crash/leaving',
  'crash/steps/on-servers',
  'crash/steps/on-sqlite',
  'crash/stripe-calls',
  'docs/client-',
  'docs/guide-commands',
  'docs/python-page',
  'docs/snippets',
  'http/answer-size',
  'http/bad-input',
  'http/dashboard/customers',
  'http/dashboard/saved-views',
  'http/request-cost',
  'http/scenarios/faults',
  'inner-loop/inner-loop',
  'nodes/',
  'policies/leave-after-days',
  'processors/sandbox/crash',
  'processors/sandbox/ledger/ledger-tables',
  'processors/stripe/moved-histories',
  'processors/stub/conformance',
  'projections/engine/rebuild/silence',
  'projections/engine/rebuild/threads',
  'races/processes',
  'races/sessions',
  'races/two-hundred',
  'simulation/many-worlds',
  'simulation/worlds',
  'stores/eventstoredb-',
  'stores/mongodb-',
  'support/eventstoredb-loopback/',
  'support/mongodb-loopback/',
];

/**
 * The paths of a shopper and of a merchant's people. In the rest these files run again, with the tests of `itInRest`
 * and with a look at all widths.
 */
export const BROWSER = [
  'browser/checkout/challenge.',
  'browser/checkout/fields.',
  'browser/checkout/pay.',
  'browser/checkout/safety.',
  'browser/first-start',
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
