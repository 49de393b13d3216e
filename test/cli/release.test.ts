// counterfoil projections release, with books and rebuilds beside a running service: their exit codes before it and
// after it.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { liveWorld } from '../../src/world.ts';
import { until } from '../support/until.ts';
import { Place, type Serving } from './processes.ts';

const FOREIGN = 'payment-foreign';
const Health = z.strictObject({ status: z.string(), streams: z.array(z.string()).optional() }).loose();
const Released = z.strictObject({ stream: z.string(), from: z.int(), isNew: z.boolean() });
const Parked = z.strictObject({
  data: z.array(z.looseObject({ projection: z.string(), stream: z.string(), isReleased: z.boolean() })),
});
const Books = z.looseObject({
  equal: z.boolean(),
  holes: z.array(z.unknown()),
  released: z.array(z.unknown()),
  differences: z.array(z.unknown()),
});
const Shown = z.looseObject({ data: z.array(z.looseObject({ type: z.string(), data: z.unknown() })) });

/** An event that nobody can read, as another program would write it. */
async function appendForeign(dir: string): Promise<void> {
  const events = await openSqliteEventStore({
    file: join(dir, 'data/events.db'),
    world: liveWorld,
    report: () => undefined,
  });
  await events.append(FOREIGN, -1, [{ id: randomUUID(), type: 'Foreign', data: 'nonsense', metadata: 'nonsense' }]);
  await events.close();
}

describe('a stream that no command of ours ever wrote, and that no read model can read', () => {
  const place = new Place();
  let serving: Serving;
  let paid = '';
  before(async () => {
    serving = await place.serve();
    paid = z.looseObject({ paymentId: z.string() }).parse(await place.json(`demo --url ${serving.url}`)).paymentId;
    await appendForeign(place.dir);
    await until(async () => (await health()).status === 'degraded');
  });
  after(() => place.remove());
  const health = async (): Promise<z.infer<typeof Health>> =>
    Health.parse(await (await fetch(`${serving.url}/health/ready`)).json());
  const oneLine = (text: string): string => text.trim().replaceAll('\n', ' ');

  it('is a hole that the books name, and a break that a rebuild names: both exit 1', async () => {
    const books = await place.run('books --json');
    expect(Books.parse(JSON.parse(books.stdout))).to.deep.include({
      equal: false,
      holes: [{ stream: FOREIGN, revision: 0 }],
      released: [],
      differences: [],
    });
    expect(books.code).to.equal(1);
    expect(oneLine((await place.run('books')).stdout)).to.match(
      /Without payment-foreign from revision 0 on: .* Equal otherwise\.$/,
    );
    const rebuilt = await place.run('projections rebuild payments');
    expect([rebuilt.code, rebuilt.stderr]).to.deep.equal([
      1,
      'payments: the log is broken in 1 stream, such as payment-foreign.\n' +
        'payments: 1 documents differ from the live ones, such as foreign. The read model built from the log is live now.\n',
    ]);
  });

  it('is released by two operators at once, once, and the running service goes on without it', async () => {
    expect(await health()).to.deep.include({ status: 'degraded', streams: [FOREIGN] });
    const both = await Promise.all([1, 2].map(() => place.json(`projections release ${FOREIGN}`)));
    const found = both.map((one) => Released.parse(one));
    expect(found.map(({ stream, from }) => [stream, from])).to.deep.equal([
      [FOREIGN, 0],
      [FOREIGN, 0],
    ]);
    expect(found.filter(({ isNew }) => isNew)).to.have.length(1);
    await until(async () => (await health()).status === 'ready');
    expect((await place.run('projections parked')).stdout).to.equal('No parked streams.\n');
  });

  it('is listed with --released, as released, in 80 columns', async () => {
    const { data } = Parked.parse(await place.json('projections parked --released'));
    expect(data.length).to.be.above(1);
    for (const one of data)
      expect(one).to.deep.include({ stream: FOREIGN, revision: 0, type: 'Foreign', isReleased: true });
    expect(Parked.parse(await place.json('projections parked')).data).to.deep.equal([]);
    const { data: its } = Parked.parse(await place.json('projections parked log --released'));
    expect(its.map(({ projection }) => projection)).to.deep.equal(['log']);
    const { stdout } = await place.run('projections parked --released');
    expect(stdout.match(/broken, released$/gm)).to.have.length(data.length);
    for (const line of stdout.split('\n')) expect(line.length, line).to.be.at.most(80);
  });

  it('is on record as an act of the operator', async () => {
    const { data: events } = Shown.parse(await place.json(`audit show act-released-${FOREIGN}`));
    expect(events.map(({ type, data }) => [type, data])).to.deep.equal([
      ['ParkedStreamReleaseRequested', { stream: FOREIGN, revision: 0, upTo: 0 }],
    ]);
  });

  it('is no longer a hole of the books or a difference of a rebuild: both exit 0, and say that it is left out', async () => {
    const books = await place.run('books');
    expect([books.code, oneLine(books.stdout).match(/Without .*$/)?.[0]]).to.deep.equal([
      0,
      'Without payment-foreign from revision 0 on: an operator released the stream, and its payments are counted up to that revision. Equal.',
    ]);
    const rebuilt = await place.run('projections rebuild payments');
    expect([rebuilt.code, rebuilt.stderr]).to.deep.equal([0, '']);
    expect((await health()).status).to.equal('ready');
    await serving.end('SIGTERM');
    const again = await place.run(`projections release ${FOREIGN}`);
    expect([again.code, again.stdout]).to.deep.equal([
      0,
      'Every read model continues without payment-foreign from revision 0 on. The stream was already released.\n',
    ]);
  });

  it('is refused, with the reason, where nothing is to be released', async () => {
    for (const [arguments_, code, stderr] of [
      [paid, 1, `payment-${paid} is not parked: every read model can read it.\n`],
      ['payment-none', 1, 'There is no stream payment-none in the log.\n'],
      [
        'nothing',
        2,
        '"nothing" is not a stream: allowed is <category>-<id>, or the id of a payment or an agreement.\n',
      ],
    ] as const) {
      const ran = await place.run(`projections release ${arguments_}`);
      expect([ran.code, ran.stderr, ran.stdout]).to.deep.equal([code, stderr, '']);
    }
    const absent = await place.run(`projections release ${FOREIGN} --data-dir elsewhere`);
    expect([absent.code, absent.stderr]).to.match(/^2,There is no store in .*elsewhere yet\./);
    const unavailable = await place.run(
      `projections release ${FOREIGN} --read-models mongodb://127.0.0.1:9/x --store-wait 0`,
    );
    expect(unavailable.code, unavailable.stderr).to.equal(3);
  });
});

describe('a broken stream that no read model has met yet', () => {
  const place = new Place();
  after(() => place.remove());

  it('cannot be released, and is said to be broken in the words of audit streams', async () => {
    await (await place.serve()).end('SIGTERM');
    await appendForeign(place.dir);
    const [fault = ''] = (await place.run('audit streams')).stderr.split('\n');
    expect(fault).to.match(/^payment-foreign is broken at revision 0: /);
    const { code, stderr } = await place.run(`projections release ${FOREIGN}`);
    expect([code, stderr.startsWith(`${fault}. It is not parked`)], stderr).to.deep.equal([1, true]);
  });
});
