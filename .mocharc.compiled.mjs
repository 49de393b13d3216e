// How `npm test` runs the compiled tests: the longest files first, so that none of them is left to one core at the end.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const COMPILED = 'dist/tests/test';

/** Below test/, the longest first: 15 s and more. The order is a matter of speed alone. */
const LONGEST = [
  'simulation/simulation.test',
  'browser/payments.test',
  'browser/first-start.test',
  'browser/people.test',
  'browser/overview.test',
  'browser/operations.test',
  'crash/steps/on-servers.test',
  'nodes/faults.test',
  'crash/steps/on-sqlite.test',
  'cli/stores.test',
  'crash/kill.test',
  'docs/snippets.test',
  'docs/guide-commands.test',
  'browser/demo-shop.test',
  'browser/docs.test',
  'browser/checkout/pay.test',
  'browser/checkout/safety.test',
  'browser/checkout/look.test',
  'crash/crash-points.test',
  'nodes/reads.test',
  'stores/eventstoredb-outages.test',
  'cli/copy.test',
  'architecture.test',
  'cli/commands.test',
  'cli/terminal.test',
  'cli/sandbox-controls.test',
  'cli/payments-resolve.test',
  'cli/serve.test',
  'cli/keys.test',
  'cli/notifications.test',
  'stores/mongodb-faults.test',
  'support/eventstoredb-loopback/death.test',
  'races/sessions.test',
  'races/processes.test',
  'processors/sandbox/crash.test',
].map((path) => `${path}.js`);

const unknown = LONGEST.filter((path) => !existsSync(join(COMPILED, path)));
if (unknown.length > 0) throw new Error(`no such test any more, or no \`npm run build:tests\`: ${unknown.join(', ')}`);

const place = (path) => (LONGEST.includes(path) ? LONGEST.indexOf(path) : LONGEST.length);
const paths = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.js'));
const inOrder = paths.sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1));

export default {
  'node-option': ['enable-source-maps'],
  require: [`./${COMPILED}/support/waits-once-for-minutes.js`, `./${COMPILED}/browser/support/announce.js`],
  timeout: 300_000,
  exit: false,
  spec: inOrder.map((path) => join(COMPILED, path)),
};
