// projections rebuild over the built command line: one read model of all cannot be built, and one goes on without a
// stream.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { unpark } from '../../src/projections/engine/parked/parked-records.ts';
import { allProjections } from '../../src/projections/models/all.ts';
import { users } from '../../src/projections/models/users.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { liveWorld } from '../../src/world.ts';
import { takeOut } from '../support/altered-log.ts';
import { until } from '../support/until.ts';
import { Place } from './processes.ts';

describe('projections rebuild --all, where a read model cannot be built', () => {
  const place = new Place();
  const parts = (file: string) => ({ file: join(place.dir, 'data', file), world: liveWorld, report: () => undefined });
  after(() => place.remove());

  it('builds all others, names it at the end with the reason, and exits 1', async () => {
    const serving = await place.serve();
    const events = await openSqliteEventStore(parts('events.db'));
    const metadata = JSON.stringify({ schemaVersion: 1, recordedAt: 1, previousHash: '' });
    await events.append('user-newer', -1, [{ id: randomUUID(), type: 'UserPraised', data: '{}', metadata }]);
    await events.close();
    await until(async () => (await place.run('projections parked users')).stdout.includes('user-newer'));
    await serving.end('SIGTERM');
    // As if a newer node had brought the read model past the event: an older one must not put a generation without it
    // in its place.
    const readModels = await openSqliteReadModels(parts('read-models.db'));
    await unpark(readModels, { name: users.name, generation: 1 }, 'user-newer');
    await readModels.close();

    const { code, stdout, stderr } = await place.run('projections rebuild --all --json');
    expect([code, stderr]).to.deep.equal([
      1,
      'users: The log holds events of a newer version of the service: let that version rebuild users. Nothing was changed.\n',
    ]);
    const { data } = z
      .object({ data: z.array(z.looseObject({ name: z.string(), swapped: z.boolean() })) })
      .parse(JSON.parse(stdout));
    expect(data.filter(({ swapped }) => swapped).map(({ name }) => name)).to.deep.equal(
      allProjections.map(({ name }) => name).filter((name) => name !== users.name),
    );
  });
});

describe('projections rebuild of totals that have counted more of a stream than its log still holds', () => {
  const place = new Place();
  after(() => place.remove());

  it('says that they have other holes once the stream is released, and exits 0: nothing else differs', async () => {
    const serving = await place.serve();
    const { paymentId } = z.looseObject({ paymentId: z.string() }).parse(await place.json(`demo --url ${serving.url}`));
    await serving.end('SIGTERM');
    await takeOut(join(place.dir, 'data/events.db'), `payment-${paymentId}`, 1);
    expect((await place.run('projections rebuild payments')).code).to.equal(1); // puts the break on record
    expect((await place.run('projections rebuild daily-totals')).code).to.equal(1);
    expect((await place.run(`projections release ${paymentId}`)).code).to.equal(0);

    const { code, stdout, stderr } = await place.run('projections rebuild daily-totals');
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/^daily-totals .* other holes, swapped /m);
    expect((await place.run('projections rebuild daily-totals')).stdout).to.match(/^daily-totals .* equal, swapped /m);
  });
});
