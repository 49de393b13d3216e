// Checks of the whole log go on past a stream that cannot be read, mark it, and exit 1 at the end.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { liveWorld } from '../../src/world.ts';
import { alterLog } from '../support/altered-log.ts';
import { Place } from './processes.ts';

const Paid = z.looseObject({ paymentId: z.string() });
const Streams = z.strictObject({
  data: z.array(
    z.strictObject({
      stream: z.string(),
      events: z.int(),
      firstRecordedAt: z.string().nullable(),
      lastRecordedAt: z.string().nullable(),
      broken: z.strictObject({ revision: z.int(), fault: z.string() }).optional(),
    }),
  ),
});
const Diff = z.looseObject({
  equal: z.boolean(),
  payments: z.int(),
  differenceCount: z.int(),
  differences: z.array(z.unknown()),
});

describe('a check of the whole log', () => {
  const place = new Place();
  const ids: string[] = [];
  const file = (): string => join(place.dir, 'data/events.db');
  before(async () => {
    const serving = await place.serve();
    for (let n = 0; n < 3; n += 1) ids.push(Paid.parse(await place.json(`demo --url ${serving.url}`)).paymentId);
    await serving.end('SIGTERM');
    const events = await openSqliteEventStore({ file: file(), world: liveWorld, report: () => undefined });
    const foreign = { id: randomUUID(), type: 'Counted', data: '{"n":1}', metadata: '{}' };
    await events.append('inventory-1', -1, [foreign]);
    await events.close();
  });
  after(() => place.remove());

  it('lists a stream of another program without judging it: audit streams exits 0', async () => {
    const { data } = Streams.parse(await place.json('audit streams'));
    expect(data.at(-1)).to.deep.equal({
      stream: 'inventory-1',
      events: 1,
      firstRecordedAt: null,
      lastRecordedAt: null,
    });
    expect(data.every(({ broken }) => broken === undefined)).to.equal(true);
  });

  it('marks the streams that cannot be read, and lists all others: audit streams exits 1', async () => {
    const [cut = '', gap = '', whole = ''] = ids.map((id) => `payment-${id}`);
    await alterLog(file(), cut, { kind: 'dataCut', n: 6 });
    await alterLog(file(), gap, { kind: 'deleted', n: 1 });
    const ran = await place.run('audit streams --prefix payment- --json');
    const { data } = Streams.parse(JSON.parse(ran.stdout));
    expect(data.map(({ stream, events, broken }) => [stream, events, broken])).to.deep.equal([
      [cut, 7, { revision: 6, fault: `${cut} is broken at revision 6: it is not JSON` }],
      [gap, 6, { revision: 2, fault: `${gap} is broken at revision 2: it comes after 0` }],
      [whole, 7, undefined],
    ]);
    expect(ran.code).to.equal(1);
    expect(ran.stderr.trim().split('\n')).to.deep.equal([
      ...data.flatMap(({ broken }) => broken?.fault ?? []),
      '2 streams cannot be read.',
    ]);
    const table = (await place.run('audit streams --prefix payment-')).stdout;
    expect(table.match(/cannot be read/g)).to.have.length(2);
  });

  it('compares all other payments with the ledger, and marks those that cannot be read: sandbox diff exits 1', async () => {
    const [cut, gap] = ids;
    const serving = await place.serve();
    for (const id of [cut, gap]) expect((await place.run(`audit show ${id}`)).code).to.equal(1);
    expect((await place.run('projections rebuild --all')).code).to.equal(1); // puts both breaks on record
    const ran = await place.run('sandbox diff --json');
    const { equal, payments, differenceCount, differences } = Diff.parse(JSON.parse(ran.stdout));
    expect({ code: ran.code, equal, payments, differenceCount }).to.deep.equal({
      code: 1,
      equal: false,
      payments: 2,
      differenceCount: 2,
    });
    expect(differences).to.have.deep.members([
      { paymentId: cut, unreadable: `payment-${cut} is broken at revision 6: its data is not JSON` },
      { paymentId: gap, unreadable: `payment-${gap} is broken at revision 2: it comes after 0` },
    ]);
    expect((await place.run('sandbox diff')).stdout).to.contain(
      `${gap} was not compared: payment-${gap} is broken at revision 2`,
    );
    await serving.end('SIGTERM');
  });
});
