// A rebuild on a log that has lost its end: it is done, and appends no event that would hide the loss.
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { quickMain } from './built.ts';
import { Place } from './processes.ts';

describe('counterfoil on an older copy of the log', () => {
  // Files are replaced under the commands: each of them is a process of its own, so that none holds an older file open.
  const place = new Place(quickMain());
  after(() => place.remove());

  it('rebuilds a read model without an event of it, and says so', async () => {
    await (await place.serve()).end('SIGTERM');
    const log = join(place.dir, 'data/events.db');
    const copy = join(place.dir, 'older.db');
    await copyFile(log, copy);
    expect((await place.run('accounts create --name Later')).code).to.equal(0);
    for (const rest of ['-wal', '-shm']) await rm(`${log}${rest}`, { force: true });
    await copyFile(copy, log);
    const streams = (await place.run('audit streams')).stdout;
    const rebuilt = await place.run('projections rebuild payments');
    expect(rebuilt.stderr).to.include('No event records this request: the read models belong to another log.');
    expect((await place.run('audit streams')).stdout).to.equal(streams);
    // Once all are of this log, acts are on record again.
    expect((await place.run('projections rebuild --all')).stderr).to.include('No event records');
    expect((await place.run('projections rebuild payments')).stderr).not.to.include('No event records');
    expect((await place.run('audit streams --prefix act-')).stdout).to.match(/act-act_\w+/);
  });
});
