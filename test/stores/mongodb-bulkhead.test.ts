// Many slow lists at once in MongoDB: they wait for each other, and everything else goes on.
import { expect } from 'chai';
import type { MongoDbTimings } from '../../src/stores/mongodb/connection.ts';
import { noMeters } from '../../src/stores/store-meters.ts';
import { StoreBusy, StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { ordersOf, row } from '../contract/read-models.suite.ts';
import { pause } from '../support/calm-world.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

/** The driver counts in real time; a few reads and writes must fit in, however slow the machine is. */
const TIMINGS: MongoDbTimings = {
  readMs: 9_000,
  writeMs: 18_000,
  heartbeatMs: 1_000,
  silenceMs: 15_000,
  longWorkMs: 30_000,
};
const LISTS = 200;

describe('Lists in MongoDB', () => {
  let server: ServerUnderTest;
  before(async () => {
    server = await startServer();
  });
  after(() => server.dispose());

  it('that are slow and many leave connections to reads by id, writes, and lists of other read models', async () => {
    const available: boolean[] = [];
    const store = await server.open({
      timings: TIMINGS,
      meters: { ...noMeters, available: (is) => void available.push(is) },
    });
    const [slow, other] = [ordersOf(), ordersOf()];
    for (const orders of [slow, other]) await store.write(orders, [row('a', 0)]);
    await server.loopback.order({ slowReads: { collection: `${slow.name}@1`, ms: 60_000 } });
    let areOver = false;
    const lists = Promise.allSettled(
      Array.from({ length: LISTS }, () => store.find(slow, { where: {}, limit: 10 })),
    ).finally(() => {
      areOver = true;
    });
    await pause(300); // those that have a connection keep it
    expect(await store.get(other, ['a'])).to.deep.equal([row('a', 0)]);
    expect(await store.write(slow, [row('a', 1)])).to.deep.equal(['a']);
    expect(await store.find(other, { where: {}, limit: 10 })).to.have.lengthOf(1);
    expect(areOver).to.equal(false);
    const refused = (await lists).flatMap((list) => (list.status === 'rejected' ? [list.reason] : []));
    expect(refused).to.have.lengthOf(LISTS);
    expect(refused.filter((fault) => fault instanceof StoreBusy)).to.have.lengthOf(LISTS - 10);
    for (const fault of refused) expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(available).to.deep.equal([true]);
  });

  it('of callers leave places to due work, however many they are', async () => {
    const store = await server.open({ timings: { ...TIMINGS, readMs: 30_000 } });
    const orders = ordersOf();
    await store.write(orders, [row('a', 0, { shop: 's' })]);
    await server.loopback.order({ slowReads: { collection: `${orders.name}@1`, ms: 1_000 } });
    let answered = 0;
    const list = async (): Promise<void> => {
      await store.find(orders, { where: {}, limit: 10 });
      answered += 1;
    };
    const lists = Promise.allSettled(Array.from({ length: 100 }, list));
    expect(await store.find(orders, { where: { shop: ['s'] }, limit: 10, isDueWork: true })).to.have.lengthOf(1);
    expect(answered).to.be.lessThan(50); // in turn with the lists it would be after all of them
    await server.loopback.order({ slowReads: { collection: `${orders.name}@1`, ms: 0 } });
    await lists;
  });

  it('of one request share one deadline', async () => {
    const store = await server.open({ timings: TIMINGS });
    const orders = ordersOf();
    await store.write(orders, [row('a', 0)]);
    await server.loopback.order({ slowReads: { collection: `${orders.name}@1`, ms: 3_600 } });
    const finds = store.ofOneRequest?.();
    let answered = 0;
    const asked = (async () => {
      for (; answered < 10; answered += 1) await finds?.find(orders, { where: {}, limit: 10 });
    })();
    const fault = await asked.catch((met: unknown) => met);
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(answered).to.be.lessThan(3); // of 3.6 s each
    await server.loopback.order({ slowReads: { collection: `${orders.name}@1`, ms: 0 } });
    expect(await store.ofOneRequest?.().find(orders, { where: {}, limit: 10 })).to.have.lengthOf(1);
  });

  it('take their turn when they are quick: none is refused', async () => {
    const store = await server.open(); // patient, however slow the machine is
    const orders = ordersOf();
    await store.write(orders, [row('a', 0)]);
    await server.loopback.order({ slowReads: { collection: `${orders.name}@1`, ms: 10 } });
    const found = await Promise.all(Array.from({ length: 100 }, () => store.find(orders, { where: {}, limit: 10 })));
    for (const rows of found) expect(rows).to.deep.equal([row('a', 0)]);
  });
});
