// npm run test:nodes: what depends on Node itself, on every version that the service supports: the first payment,
// kill -9, rebuild, backup and restore, verify, the readers of lines, the stores on SQLite, and the client as a shop
// loads it. npm fetches each version once. `npm run build:tests` has to come before it.
import { spawnSync } from 'node:child_process';

const VERSIONS = [22, 24, 26];
// The guides run the first payment, a backup and its restore, and the verifier.
const FILES = [
  'cli/audit-proofs',
  'cli/lines-of',
  'cli/rebuild-all',
  'cli/shorter-log',
  'client/loaded',
  'crash/damaged-files',
  'crash/kill',
  'docs/guide-commands',
  'stores/sqlite-append-handler',
  'stores/sqlite-event-store',
  'stores/sqlite-read-models',
  'stores/sqlite/file/existing-files',
  'stores/sqlite/file/group-commit',
  'stores/sqlite/log-damage',
  'stores/sqlite/read-model-cleaner',
  'webhooks/wire',
];

const TEST_FILES = FILES.map((file) => `${file}.test.js`).join(' ');
const failed = [];
for (const version of VERSIONS) {
  const node = `node-${process.platform}-${process.arch}@${version}`;
  const mocha = ['node', 'node_modules/mocha/bin/mocha.js', '--config', '.mocharc.compiled.mjs'];
  console.log(`\nNode ${version} of npm (${node})`);
  const { status } = spawnSync('npm', ['exec', '--yes', `--package=${node}`, '--', ...mocha], {
    stdio: 'inherit',
    env: { ...process.env, TEST_FILES },
  });
  if (status !== 0) failed.push(version);
}
if (failed.length > 0) {
  console.error(`The tests failed on Node ${failed.join(', ')}.`);
  process.exitCode = 1;
}
