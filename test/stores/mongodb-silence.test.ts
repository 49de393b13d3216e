// Single connections to MongoDB that go silent, and single answers that never come: the store itself is there all the
// time.
import { expect } from 'chai';
import type { MongoDbTimings } from '../../src/stores/mongodb/connection.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { noMeters } from '../../src/stores/store-meters.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { ordersOf, row } from '../contract/read-models.suite.ts';
import { calmWorld, pause } from '../support/calm-world.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';
import { PATIENT_MODELS } from './patient-timings.ts';

const TIMINGS: MongoDbTimings = {
  readMs: 400,
  writeMs: 800,
  heartbeatMs: 10_000,
  silenceMs: 10_000,
  longWorkMs: 2_000,
};
/** For what is to be answered: a stand-in on a loaded machine may take longer than `TIMINGS` gives it. */
const UNHURRIED: MongoDbTimings = { ...TIMINGS, readMs: 4_000, writeMs: 20_000 };
/** The margin for a loaded machine. */
const SLACK_MS = 4_000;
/** Connections that stand open when they go silent. */
const CONNECTIONS = 12;

const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (fault: unknown) => fault,
  );

describe('MongoDB whose connections go silent', () => {
  let server: ServerUnderTest;
  let available: boolean[];
  beforeEach(async () => {
    available = [];
    server = await startServer();
  });
  const open = (timings: MongoDbTimings): Promise<ReadModelStore> =>
    server.open({ timings, meters: { ...noMeters, available: (is) => void available.push(is) } });
  afterEach(() => server.dispose());

  it('is used again automatically, however many calls failed', async () => {
    const store = await open(TIMINGS);
    const orders = Array.from({ length: CONNECTIONS }, () => ordersOf());
    for (const one of orders) await store.write(one, [row('a', 0)]);
    await server.loopback.order({ slowMs: 20 }); // so that each read has a connection of its own
    for (let turn = 0; turn < 3; turn += 1) await Promise.all(orders.map((one) => faultOf(store.get(one, ['a']))));
    await server.loopback.order({ slowMs: 0 });
    await server.loopback.order({ silence: true });
    const from = calmWorld.monotonic();
    let served = 0;
    for (const one of orders) {
      while (calmWorld.monotonic() - from < 5 * TIMINGS.writeMs + SLACK_MS) {
        if ((await faultOf(store.get(one, ['a']))) !== undefined) await pause(20);
        else break;
      }
      if ((await faultOf(store.write(one, [row('a', 1)]))) === undefined) served += 1;
    }
    expect(served).to.equal(CONNECTIONS);
    expect(available.at(-1)).to.equal(true);
  });

  it('stays available when connections of one query are closed, and answers it', async () => {
    const store = await open(PATIENT_MODELS);
    const orders = ordersOf();
    await store.write(orders, [row('a', 0)]);
    // The driver asks twice; both connections are closed.
    await server.loopback.order({ fail: 'reset_before', of: 'reads', collection: `${orders.name}@1`, times: 2 });
    expect(await store.get(orders, ['a'])).to.deep.equal([row('a', 0)]);
    expect(available).to.deep.equal([true]);
  });

  it('stays available for all others when one query got no answer', async () => {
    const store = await open(UNHURRIED);
    const [slow, others] = [ordersOf(), ordersOf()];
    for (const orders of [slow, others]) await store.write(orders, [row('a', 0)]);
    await server.loopback.order({ fail: 'silent_before', of: 'reads', collection: `${slow.name}@1` });
    expect(await faultOf(store.get(slow, ['a']))).to.be.instanceOf(StoreUnavailable);
    expect(await store.get(others, ['a'])).to.deep.equal([row('a', 0)]);
    expect(await store.get(slow, ['a'])).to.deep.equal([row('a', 0)]);
    expect(available).to.deep.equal([true]);
  });
});
