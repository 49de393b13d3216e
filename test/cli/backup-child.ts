// A backup or a restore in a process of its own that is killed after a step, or runs to its end and says its steps.
import { join } from 'node:path';
import { makeBackup } from '../../src/cli/backup/make-backup.ts';
import { restoreBackup } from '../../src/cli/backup/restore-backup.ts';
import { readSecretFile, secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { Secrets } from '../../src/secrets.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { liveWorld } from '../../src/world.ts';

const [what, directory = '', dataDir = '', killedAfter] = process.argv.slice(2);
const report = (fault: unknown): void => console.error(fault);
const { signal } = new AbortController();
const steps: string[] = [];
const onStep = (step: string): void => {
  steps.push(step);
  if (step === killedAfter) process.kill(process.pid, 'SIGKILL');
};
const file = join(dataDir, 'events.db');
const stored = await readSecretFile(secretFileIn(dataDir));
const secrets = new Secrets(stored === undefined ? [] : [stored.secret]);
const common = { dataDir, world: liveWorld, report, signal, onStep };
if (what === 'backup') {
  const events = await openSqliteEventStore({ file, world: liveWorld, report });
  await makeBackup(directory, {
    ...common,
    secrets,
    source: { kind: 'sqlite', file },
    keys: { file: join(dataDir, 'keys.db') },
    events,
  });
  await events.close();
} else {
  const copyToTarget = (): Promise<void> => Promise.reject(new TypeError('the target is embedded'));
  await restoreBackup(directory, {
    ...common,
    target: { kind: 'sqlite', file },
    erasures: [],
    secrets,
    copyToTarget,
  });
}
process.stdout.write(JSON.stringify(steps));
