// kill -9 while a start builds its read models: the next start takes the work over, and prints its address and its
// link.
import { join } from 'node:path';
import { expect } from 'chai';
import { writeSessions } from '../../bench/support/stored-sessions.ts';
import {
  type CatalogEntry,
  type CatalogGeneration,
  catalogEntries,
} from '../../src/projections/engine/generations/catalog-entry.ts';
import { clientSessions } from '../../src/projections/models/client-sessions.ts';
import { users } from '../../src/projections/models/users.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { calmWorld } from '../support/calm-world.ts';
import { DataDirectory } from '../support/service-process.ts';
import { until } from '../support/until.ts';

/** Longer than a log whose read models a start builds before it listens. */
const LONG_LOG = 5_200;

describe('kill -9 of a start that builds its read models', () => {
  let directory: DataDirectory;
  beforeEach(async () => {
    directory = new DataDirectory();
    const { serving } = await directory.serve();
    await serving.end('SIGTERM');
    const events = await directory.events();
    await writeSessions(events, directory.accountId, LONG_LOG);
    await events.close();
  });
  afterEach(() => directory.remove());

  it('leaves a claim on `users` that the next start takes over: its address comes first, its link when `users` is there', async () => {
    await leaveBegun(directory.dir);
    const again = await directory.place.serve('--log-level warn');
    expect(again.stdout()).to.equal(`Listening on ${again.url}\n`);
    expect((await fetch(`${again.url}/health/ready`)).status).to.equal(503);
    await until(() => /\nDashboard: \S+\/#\/welcome\/\S+\n$/.test(again.stdout()));
    await until(async () => (await fetch(`${again.url}/health/ready`)).status === 200);
    expect(await again.end('SIGTERM')).to.include({ code: 0 });
  });

  it('leaves the same to a start that prints JSON, whose one line comes when the link is there', async () => {
    await leaveBegun(directory.dir);
    const again = await directory.place.serve('--json --log-level warn');
    expect(JSON.parse(again.stdout()))
      .to.have.property('dashboardLink')
      .that.matches(/\/#\/welcome\//);
  });
});

/** The catalog as a start leaves it that was killed before `users` was live, and had not begun with the sessions. */
async function leaveBegun(dir: string): Promise<void> {
  const store = await openSqliteReadModels({
    file: join(dir, 'read-models.db'),
    world: calmWorld,
    report: () => undefined,
  });
  const change = async (
    name: string,
    change: (one: CatalogGeneration) => readonly CatalogGeneration[],
  ): Promise<void> => {
    const [row] = await store.get(catalogEntries, [name]);
    if (row === undefined) throw new Error(`there is no entry of ${name}`);
    const doc: CatalogEntry = { ...row.doc, generations: row.doc.generations.flatMap(change) };
    await store.write(catalogEntries, [{ id: name, revision: row.revision + 1, doc }]);
  };
  await change(users.name, (one) => [{ ...one, state: 'building', builder: 'build_dead', beat: 3 }]);
  await change(clientSessions.name, () => []);
  await store.close();
}
