// How `npm test` runs the compiled tests: the longest files first, so that none of them is left to one core at the end.
import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const COMPILED = 'dist/tests/test';

/** Below test/, the longest first, and those that wait between those that compute. The order is a matter of speed alone. */
const LONGEST = [
  'simulation/simulation',
  'nodes/faults',
  'browser/payments',
  'crash/steps/on-servers',
  'browser/people',
  'consumer/consumer',
  'cli/stores',
  'browser/first-start',
  'crash/steps/on-sqlite',
  'browser/overview',
  'stores/eventstoredb-outages',
  'browser/operations',
  'crash/kill',
  'browser/webhooks',
  'docs/snippets',
  'browser/disputes',
  'docs/guide-commands',
  'browser/demo-shop',
  'nodes/reads',
  'browser/docs',
  'stores/mongodb-faults',
  'browser/checkout/pay',
  'cli/copy',
  'browser/checkout/safety',
  'browser/checkout/look',
  'crash/damaged-files',
  'browser/checkout/challenge',
  'browser/checkout/challenge-look',
  'browser/payment-past',
  'crash/crash-points',
  'http/bad-input',
  'webhooks/crashes',
  'races/sessions',
  'races/two-hundred',
  'stores/eventstoredb-event-store',
  'stores/sqlite-event-store',
  'stores/eventstoredb-follow',
  'architecture',
  'cli/serve',
  'cli/shorter-log',
  'cli/log',
  'cli/commands',
  'cli/terminal',
  'cli/sandbox-controls',
  'cli/payments-resolve',
  'cli/keys',
  'cli/notifications',
  'support/eventstoredb-loopback/death',
  'races/processes',
  'processors/sandbox/crash',
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

export default {
  // Room for new objects, MiB: with the usual 16 a busy test spends a tenth of its time on clearing them away.
  'node-option': ['enable-source-maps', 'max-semi-space-size=32'],
  require: [`./${COMPILED}/support/mocha-hooks.js`, `./${COMPILED}/browser/support/announce.js`],
  timeout: 300_000,
  exit: false,
  spec: inOrder.map((path) => join(COMPILED, path)),
};
