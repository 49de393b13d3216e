// How `npm test` runs the compiled tests: the longest files first, so that none of them is left to one core at the end.
import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const COMPILED = 'dist/tests/test';

/** Below test/, the longest first, and those that wait between those that compute. The order is a matter of speed alone. */
const LONGEST = [
  'simulation/simulation',
  'browser/payments',
  'cli/workers/answers',
  'cli/workers/deaths',
  'cli/workers/ends',
  'nodes/faults',
  'browser/people',
  'browser/operations',
  'cli/stores',
  'browser/demo-shop',
  'browser/overview',
  'docs/guide-commands',
  'browser/checkout/challenge',
  'browser/docs',
  'consumer/consumer',
  'browser/checkout/pay',
  'crash/builds/every-stage',
  'crash/steps/on-servers',
  'crash/kill',
  'browser/first-start',
  'browser/disputes',
  'browser/checkout/look',
  'browser/checkout/safety',
  'webhooks/crashes',
  'crash/damaged-files',
  'browser/webhooks',
  'cli/serve',
  'stores/eventstoredb-outages',
  'nodes/reads',
  'stores/eventstoredb-event-store',
  'cli/copy',
  'browser/checkout/challenge-look',
  'crash/steps/on-sqlite',
  'races/sessions',
  'http/bad-input',
  'races/two-hundred',
  'stores/eventstoredb-appends',
  'stores/eventstoredb-follow',
  'docs/snippets',
  'stores/mongodb-faults',
  'stores/sqlite-event-store',
  'processors/sandbox/crash',
  'cli/shorter-log',
  'architecture',
  'races/processes',
  'cli/trigger',
  'cli/log',
  'browser/payment-past',
  'cli/payments-resolve',
  'cli/sandbox-controls',
  'projections/engine/rebuild/rebuild',
  'support/eventstoredb-loopback/death',
  'cli/commands',
  'crash/crash-points',
  'nodes/metrics',
  'cli/notifications',
  'cli/listen/listen',
  'cli/loading',
  'telemetry/metrics',
  'stores/eventstoredb-reads',
  'cli/keys',
  'cli/sandbox-url',
  'processors/sandbox/notifications/notifying',
  'crash/leaving',
  'stores/mongodb-long-work',
  'support/mongodb-loopback/survival',
  'cli/terminal',
].map((path) => `${path}.test.js`);

const unknown = LONGEST.filter((path) => !existsSync(join(COMPILED, path)));
if (unknown.length > 0) throw new Error(`no such test any more, or no \`npm run build:tests\`: ${unknown.join(', ')}`);

/** Files of tests live for seconds: where there is room for them in memory, no test waits for a disk. TMPDIR names another place. */
const MEMORY = '/dev/shm';
const MUCH_ROOM = 4 * 2 ** 30;

function hasRoom(folder) {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MUCH_ROOM;
  } catch {
    return false;
  }
}

if (process.env.TMPDIR === undefined && hasRoom(MEMORY)) process.env.TMPDIR = MEMORY;

const place = (path) => (LONGEST.includes(path) ? LONGEST.indexOf(path) : LONGEST.length);
const paths = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.js'));
const inOrder = paths.sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1));

/** Files at a time: some wait while others compute. Six, on two cores, took a minute longer. */
const JOBS = 4;

export default {
  parallel: true,
  jobs: JOBS,
  // Room for new objects, MiB: with the usual 16 a busy test spends a tenth of its time on clearing them away.
  'node-option': ['enable-source-maps', 'max-semi-space-size=32'],
  require: [`./${COMPILED}/support/mocha-hooks.js`, `./${COMPILED}/browser/support/announce.js`],
  timeout: 300_000,
  exit: false,
  spec: inOrder.map((path) => join(COMPILED, path)),
};
