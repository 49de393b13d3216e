// MongoDB unavailable, silent, reset and without a primary: no acknowledged write is lost, callers hear in time, and
// everything recovers automatically.
import { expect } from 'chai';
import type { MongoDbTimings } from '../../src/stores/mongodb/connection.ts';
import type { ReadModelStore, Stored } from '../../src/stores/read-models.ts';
import { noMeters } from '../../src/stores/store-meters.ts';
import { StoreUnavailable, unlessUnavailable } from '../../src/stores/store-unavailable.ts';
import { type Order, ordersOf, row } from '../contract/read-models.suite.ts';
import { calmWorld, pause } from '../support/calm-world.ts';
import { until } from '../support/until.ts';
import { type AnsweringServer, serveAnswers } from './mongodb-answers.ts';
import { openModels, type ServerUnderTest, startServer } from './mongodb-server.ts';
import { PATIENT_MODELS } from './patient-timings.ts';

const TIMINGS: MongoDbTimings = { readMs: 400, writeMs: 800, heartbeatMs: 500, silenceMs: 500, longWorkMs: 10_000 };
/**
 * The margin for a loaded machine. The deadlines are real, as the driver's own are: what is not ours to end takes its
 * 30 s and more.
 */
const SLACK_MS = 20_000;

const PRIMARY = {
  helloOk: true,
  isWritablePrimary: true,
  maxWireVersion: 21,
  minWireVersion: 0,
  logicalSessionTimeoutMinutes: 30,
  ok: 1,
};

interface Outcome {
  readonly fault: unknown;
  readonly ms: number;
}
async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  const from = calmWorld.monotonic();
  const fault = await work.then(
    () => undefined,
    (met: unknown) => met,
  );
  return { fault, ms: calmWorld.monotonic() - from };
}

function expectUnavailable({ fault, ms }: Outcome, atMostMs: number): void {
  expect(fault).to.be.instanceOf(StoreUnavailable);
  expect(String(fault)).to.contain('MongoDB at 127.0.0.1');
  expect(ms).to.be.lessThan(atMostMs + SLACK_MS);
}

describe('MongoDB without a majority', () => {
  it('fails a write that the majority does not confirm in time, as one whose outcome is unknown', async () => {
    const server: AnsweringServer = await serveAnswers((name) => {
      const address = `127.0.0.1:${server.port}`;
      if (name === 'listCollections')
        return { ok: 1, cursor: { id: 0n, ns: 'counterfoil.$cmd.listCollections', firstBatch: [] } };
      const writeConcernError = {
        code: 64,
        codeName: 'WriteConcernFailed',
        errmsg: 'waiting for replication timed out',
      };
      if (name === 'update') return { ok: 1, n: 1, nModified: 1, writeConcernError };
      return { ...PRIMARY, setName: 'rs0', hosts: [address], me: address };
    });
    const met: string[] = [];
    const store = await openModels(`mongodb://127.0.0.1:${server.port}`, {
      timings: TIMINGS,
      meters: {
        ...noMeters,
        outcomeUnknown: () => met.push('unknown'),
        available: (is) => met.push(is ? 'available' : 'unavailable'),
      },
    });
    try {
      const { fault } = await outcomeOf(store.write({ ...ordersOf(), indexes: [] }, [row('a', 0)]));
      expect(fault).to.be.instanceOf(StoreUnavailable);
      expect(String(fault)).to.contain('waiting for replication timed out');
      expect(met).to.deep.equal(['available', 'unavailable', 'unknown']);
    } finally {
      await store.close();
      server.close();
    }
  });
});

describe('MongoDB that misbehaves', () => {
  let server: ServerUnderTest;
  let store: ReadModelStore;
  let notices: string[];
  let available: boolean[];
  beforeEach(async () => {
    notices = [];
    available = [];
    server = await startServer();
    const meters = { ...noMeters, available: (is: boolean) => void available.push(is) };
    // On a busy machine the first connection may take longer than these timings allow.
    await until(async () => {
      const options = { timings: TIMINGS, meters, report: (notice: unknown) => void notices.push(String(notice)) };
      const opened = await server.open(options).catch(unlessUnavailable(undefined));
      if (opened !== undefined) store = opened;
      return opened !== undefined;
    });
  });
  afterEach(() => server.dispose());

  /** Gives no call up, where the server answers in the end. */
  const patiently = (): Promise<ReadModelStore> =>
    server.open({ timings: PATIENT_MODELS, report: (notice) => void notices.push(String(notice)) });

  /** Resolves when the store answers again; to ms. */
  async function untilItAnswers(work: () => Promise<unknown>): Promise<number> {
    const from = calmWorld.monotonic();
    await until(async () => (await outcomeOf(work())).fault === undefined);
    return calmWorld.monotonic() - from;
  }

  it('paused: reads and writes are given up in time, the next fail at once, and it goes on when the server does', async () => {
    const orders = ordersOf();
    await store.write(orders, [row('a', 0)]);
    server.loopback.server.freeze();
    const [read, found, write] = await Promise.all([
      outcomeOf(store.get(orders, ['a'])),
      outcomeOf(store.find(orders, { where: {}, limit: 1 })),
      outcomeOf(store.write(orders, [row('a', 1)])),
    ]);
    expectUnavailable(read, TIMINGS.readMs);
    expectUnavailable(found, TIMINGS.readMs);
    expectUnavailable(write, TIMINGS.writeMs);
    await until(() => available.length >= 2);
    await pause(500);
    // nothing was asked
    for (const { fault } of [
      await outcomeOf(store.get(orders, ['a'])),
      await outcomeOf(store.write(orders, [row('a', 2)])),
    ])
      expect(String(fault)).to.match(
        /\/counterfoil\w* is unavailable: (no response within|Server selection timed out)/,
      );
    await pause(2_000); // its connections are closed meanwhile
    server.loopback.server.thaw();
    expect(await untilItAnswers(() => store.write(orders, [row('a', 3)]))).to.be.lessThan(1_000 + SLACK_MS);
    expect(await store.get(orders, ['a'])).to.deep.equal([row('a', 3)]);
    expect(available).to.deep.equal([true, false, true]);
    const told = notices.map((notice) => notice.replace(/counterfoil_test_\w+/, 'counterfoil').replace(/\d+/g, '…'));
    expect(told.map((notice) => notice.replace(/unavailable: .*/, 'unavailable'))).to.deep.equal([
      'MongoDB at ….….….…:…/counterfoil is unavailable',
      'MongoDB at ….….….…:…/counterfoil is back after … ms',
    ]);
  });

  it('paused while rows wait: none waits much longer than a write may take', async () => {
    const orders = ordersOf();
    await store.write(orders, [row('a', 0)]);
    server.loopback.server.freeze();
    const outcomes = Array.from({ length: 8 }, async (_, n) => {
      await pause(n * 100);
      return outcomeOf(store.write(orders, [row(`id-${n}`, 0)]));
    });
    for (const outcome of await Promise.all(outcomes)) expectUnavailable(outcome, TIMINGS.writeMs + 500);
    server.loopback.server.thaw();
  });

  it('killed and started again: every acknowledged row is there', async () => {
    const orders = ordersOf();
    const ids = Array.from({ length: 200 }, (_, n) => `id-${n}`);
    const patient = await patiently();
    await Promise.all(ids.map((id) => patient.write(orders, [row(id, 4)])));
    await server.loopback.server.kill();
    expectUnavailable(await outcomeOf(store.get(orders, ['id-1'])), TIMINGS.readMs);
    expectUnavailable(await outcomeOf(store.write(orders, [row('id-1', 5)])), TIMINGS.writeMs);
    await server.loopback.server.start();
    expect(await untilItAnswers(() => store.get(orders, ['id-1']))).to.be.lessThan(1_000 + SLACK_MS);
    expect(await patient.get(orders, ids)).to.have.lengthOf(ids.length);
  });

  it('that resets a connection: the driver sends the same write again, and the answer is right', async () => {
    const orders = ordersOf();
    const store = await patiently();
    for (const [revision, fail] of (['reset_before', 'reset_after', 'not_primary'] as const).entries()) {
      await server.loopback.order({ fail, of: 'writes', collection: `${orders.name}@1` });
      expect(await store.write(orders, [row('a', revision)])).to.deep.equal(['a']);
    }
    expect(await store.write(orders, [row('a', 2)])).to.deep.equal([]);
  });

  it('that resets connections twice: a read is asked again, a write is left to its caller', async () => {
    const orders = ordersOf();
    const store = await patiently();
    await store.write(orders, [row('a', 0)]);
    await server.loopback.order({ fail: 'reset_before', of: 'reads', times: 2 });
    expect(await store.get(orders, ['a'])).to.deep.equal([row('a', 0)]);
    await server.loopback.order({ fail: 'reset_before', of: 'writes', times: 2 });
    const { fault } = await outcomeOf(store.write(orders, [row('a', 1)]));
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(await store.write(orders, [row('a', 1)])).to.deep.equal(['a']);
    expect(notices).to.deep.equal([]); // too short to be told
  });

  it('that wrote and said nothing: the row exists, and a repetition is stale', async () => {
    const orders = ordersOf();
    await store.get(orders, ['a']);
    await server.loopback.order({ fail: 'silent_after', of: 'writes', collection: `${orders.name}@1` });
    expectUnavailable(await outcomeOf(store.write(orders, [row('a', 0)])), TIMINGS.writeMs);
    const patient = await patiently();
    expect(await patient.get(orders, ['a'])).to.deep.equal([row('a', 0)]);
    expect(await patient.write(orders, [row('a', 0)])).to.deep.equal([]);
  });

  it('that is not the primary for a while: callers hear in time, and it continues with the next primary', async () => {
    const orders = ordersOf();
    await store.write(orders, [row('a', 0)]);
    await server.loopback.order({ primary: false });
    expectUnavailable(await outcomeOf(store.get({ ...orders, freshness: 'linearizable' }, ['a'])), TIMINGS.readMs);
    expectUnavailable(await outcomeOf(store.write(orders, [row('a', 1)])), TIMINGS.writeMs);
    await server.loopback.order({ primary: true });
    expect(await untilItAnswers(() => store.write(orders, [row('a', 2)]))).to.be.lessThan(1_000 + SLACK_MS);
  });

  it('is closed in time while it is paused', async () => {
    const orders = ordersOf();
    await store.write(orders, [row('a', 0)]);
    server.loopback.server.freeze();
    const reading = outcomeOf(store.get(orders, ['a']));
    const writing = outcomeOf(store.write(orders, [row('a', 1)]));
    await pause(50);
    expect((await outcomeOf(store.close())).ms).to.be.lessThan(TIMINGS.writeMs + 1_000 + SLACK_MS);
    expectUnavailable(await reading, TIMINGS.readMs);
    expectUnavailable(await writing, TIMINGS.writeMs);
    server.loopback.server.thaw();
  });

  it('at random under load from two processes: every acknowledged write is there, and nothing is acknowledged that is not', async () => {
    const orders = ordersOf();
    const other = await server.open({ timings: TIMINGS });
    const acknowledged = new Map<string, number>();
    const told = new Map<string, number>();
    const over = new AbortController();
    const writer = async (by: ReadModelStore, place: number): Promise<void> => {
      for (let n = 0; !over.signal.aborted; n += 1) {
        const id = `id-${(n * 7 + place) % 50}`;
        const revision = Math.floor(n / 10);
        const written = await by.write(orders, [row(id, revision, { total: revision })]).catch(() => undefined);
        if (written === undefined) await pause(20);
        // written, or something newer is there
        else acknowledged.set(id, Math.max(acknowledged.get(id) ?? -1, revision));
        if (written?.includes(id) === true) told.set(`${id}@${revision}`, (told.get(`${id}@${revision}`) ?? 0) + 1);
      }
    };
    const writers = [store, other].flatMap((by, process) =>
      Array.from({ length: 8 }, (_, n) => writer(by, process * 8 + n)),
    );
    const { loopback } = server;
    for (const fail of [
      'reset_before',
      'reset_after',
      'not_primary',
      'silent_after',
      'reset_after',
      'silent_before',
    ] as const) {
      await loopback.order({ fail, of: 'commands', times: 3 });
      await pause(300);
    }
    loopback.server.freeze();
    await pause(1_500);
    loopback.server.thaw();
    await pause(500);
    await loopback.server.kill();
    await loopback.server.start();
    await untilItAnswers(() => store.get(orders, ['id-0']));
    await pause(500);
    await until(() => acknowledged.size >= 50);
    over.abort();
    await Promise.all(writers);
    await loopback.order({ behave: true });
    await untilItAnswers(() => store.get(orders, ['id-0']));
    const found = new Map(
      (await (await patiently()).get(orders, [...acknowledged.keys()])).map((one: Stored<Order>) => [one.id, one]),
    );
    expect(acknowledged.size).to.equal(50);
    for (const [id, revision] of acknowledged) {
      expect(found.get(id)?.revision).to.be.at.least(revision);
      expect(found.get(id)?.doc.total).to.equal(found.get(id)?.revision);
    }
    for (const [which, times] of told) expect(times, which).to.equal(1);
  });
});
