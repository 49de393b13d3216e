// The questions to MongoDB from many simultaneous callers: few, and never a question that is older than a caller which
// shares it.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { MAX_ROW_BYTES } from '../../src/stores/mongodb/guarded-bulk.ts';
import { SharedReads } from '../../src/stores/mongodb/newest-reads.ts';
import type { ParsedRow } from '../../src/stores/mongodb/stored-row.ts';
import type { Collection, ReadModelStore } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { type Order, type OrderKey, ordersOf, row } from '../contract/read-models.suite.ts';
import type { Count } from '../support/mongodb-loopback/orders.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

describe('Reads and writes of one process in MongoDB', () => {
  let server: ServerUnderTest;
  let store: ReadModelStore;
  let other: ReadModelStore;
  before(async () => {
    server = await startServer();
    store = await server.open();
    other = await server.open();
  });
  beforeEach(() => server.loopback.order({ behave: true }));
  after(() => server.dispose());

  const counted = async (command: string, orders: Collection<Order, OrderKey>): Promise<readonly Count[]> =>
    (await server.loopback.counts()).filter((one) => one.command === command && one.collection === `${orders.name}@1`);
  const times = (counts: readonly Count[]): number => counts.reduce((sum, one) => sum + one.times, 0);

  it('share one question when they ask in the same turn', async () => {
    const orders = ordersOf();
    const ids = Array.from({ length: 200 }, (_, n) => `id-${n}`);
    await Promise.all(ids.map((id) => store.write(orders, [row(id, 0)])));
    const found = await Promise.all([...ids, ...ids, 'none'].map((id) => store.get(orders, [id])));
    expect(found.flat().map(({ id }) => id)).to.deep.equal([...ids, ...ids]);
    const [updates] = await counted('update', orders);
    expect(updates).to.include({ times: 1, statements: 200, writeConcern: 'majority' });
    const [finds] = await counted('find', orders);
    expect(finds).to.include({ times: 1, readConcern: 'majority' });
    expect(await store.find(orders, { where: {}, limit: 1_000 })).to.have.lengthOf(200);
    expect(await counted('getMore', orders)).to.deep.equal([]);
  });

  it('gather while a write is under way, each told the result of its own rows', async () => {
    const orders = ordersOf();
    await store.write(orders, [row('b', 5)]);
    await server.loopback.order({ slowMs: 500 });
    const first = store.write(orders, [row('a', 0)]);
    await sleep(20); // it is on its way
    const later = [[row('a', 3), row('c', 0)], [row('a', 2)], [row('b', 5)], [row('a', 3)], [row('b', 6), row('b', 7)]];
    const written = await Promise.all([first, ...later.map((rows) => store.write(orders, rows))]);
    expect(written).to.deep.equal([['a'], ['a', 'c'], [], [], [], ['b']]);
    expect(times(await counted('update', orders))).to.equal(3);
    expect((await store.get(orders, ['a', 'b', 'c'])).map(({ revision }) => revision).sort()).to.deep.equal([0, 3, 7]);
  });

  it('write much in pieces that one command can carry', async () => {
    const orders = ordersOf();
    const rows = Array.from({ length: 18 }, (_, n) => row(`id-${n}`, 0, { text: 'x'.repeat(1024 * 1024) }));
    expect(await store.write(orders, rows)).to.have.lengthOf(18);
    expect(times(await counted('update', orders))).to.be.within(5, 9);
    expect(
      await store.get(
        orders,
        rows.map(({ id }) => id),
      ),
    ).to.have.lengthOf(18);
  });

  it('fail for the caller of a document that MongoDB does not take, and for no other caller', async () => {
    const orders = ordersOf();
    const text = 'é'.repeat(8 * 1024 * 1024); // two bytes each
    const [large, small] = await Promise.allSettled([
      store.write(orders, [row('beside', 0), row('large', 0, { text })]),
      store.write(orders, [row('small', 0)]),
    ]);
    expect(large).to.have.nested.property('reason.code', 'DocumentTooLarge');
    expect(small).to.deep.equal({ status: 'fulfilled', value: ['small'] });
    const fits = 'x'.repeat(MAX_ROW_BYTES - '{"text":""}'.length);
    expect(await store.write(orders, [row('fits', 0, { text: fits })])).to.deep.equal(['fits']);
    expect(await store.count(orders)).to.equal(2);
  });

  describe('of a collection that wants the newest', () => {
    const keysOf = (): Collection<Order, OrderKey> => ({ ...ordersOf(), freshness: 'linearizable' });

    it('read linearizably, one question for all that came before it', async () => {
      const keys = keysOf();
      await store.write(keys, [row('a', 0), row('b', 1)]);
      const found = await Promise.all(
        Array.from({ length: 100 }, (_, n) => store.get(keys, [n % 2 === 0 ? 'a' : 'b', 'none'])),
      );
      expect(found.flat().map(({ revision }) => revision)).to.deep.equal(Array.from({ length: 100 }, (_, n) => n % 2));
      const finds = (await counted('find', keys)).filter(({ readConcern }) => readConcern === 'linearizable');
      // a question for a missing document may be under way when the other callers come
      expect(times(finds)).to.be.within(3, 4);
    });

    it('cost no more for invented ids, and existing ones are read in the meantime', async () => {
      const keys = keysOf();
      await store.write(keys, [row('a', 0)]);
      await server.loopback.order({ slowMs: 50 });
      const madeUp = await Promise.allSettled(
        Array.from({ length: 1_000 }, (_, n) => store.get(keys, [`made-up-${n}`])).concat(store.get(keys, ['a'])),
      );
      const refused = madeUp.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(refused).to.have.lengthOf(896); // 4 are asked for and 100 wait
      expect(refused.every((fault) => fault instanceof StoreUnavailable)).to.equal(true);
      expect(madeUp.at(-1)).to.deep.include({ status: 'fulfilled' });
      const finds = await counted('find', keys);
      expect(times(finds.filter(({ readConcern }) => readConcern === 'linearizable'))).to.equal(105);
      expect(times(finds.filter(({ readConcern }) => readConcern === 'majority'))).to.be.within(1, 5);
    });

    it('find a document that another process made a moment ago', async () => {
      const keys = keysOf();
      for (let n = 0; n < 20; n += 1) {
        expect(await store.get(keys, [`new-${n}`])).to.deep.equal([]);
        await other.write(keys, [row(`new-${n}`, 0)]);
        expect(await store.get(keys, [`new-${n}`])).to.have.lengthOf(1);
      }
    });

    it('see at once every write that another process knows of, whatever was in progress', async () => {
      const keys = keysOf();
      await server.loopback.order({ slowMs: 5 });
      const going = new AbortController();
      const others = Array.from({ length: 20 }, async () => {
        while (!going.signal.aborted) await store.get(keys, ['a']);
      });
      for (let revision = 0; revision < 40; revision += 1) {
        await other.write(keys, [row('a', revision)]);
        expect((await store.get(keys, ['a']))[0]?.revision).to.equal(revision);
      }
      going.abort();
      await Promise.all(others);
    });
  });
});

describe('A read that must be the newest', () => {
  const newest = (revision: number): ParsedRow => ({ id: 'a', revision, doc: {} });
  /** A store whose answers the test gives. */
  function asked(): {
    readonly reads: SharedReads;
    readonly questions: { answer: (row: ParsedRow) => void; fail: (fault: Error) => void }[];
  } {
    const questions: { answer: (row: ParsedRow) => void; fail: (fault: Error) => void }[] = [];
    const read = (): Promise<ParsedRow> => new Promise((answer, fail) => questions.push({ answer, fail }));
    return { questions, reads: new SharedReads(read) };
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('is never shared with who came after it was asked', async () => {
    const { reads, questions } = asked();
    const early = [reads.get('a'), reads.get('a')];
    await turn();
    expect(questions).to.have.lengthOf(1);
    const late = [reads.get('a'), reads.get('a')]; // the key may have been revoked since
    await turn();
    expect(questions).to.have.lengthOf(1);
    questions[0]?.answer(newest(0));
    expect(await Promise.all(early)).to.deep.equal([newest(0), newest(0)]);
    await turn();
    expect(questions).to.have.lengthOf(2);
    questions[1]?.answer(newest(1));
    expect(await Promise.all(late)).to.deep.equal([newest(1), newest(1)]);
  });

  it('is asked again after a failed question', async () => {
    const { reads, questions } = asked();
    const early = reads.get('a').catch((fault: unknown) => fault);
    await turn();
    const late = reads.get('a');
    questions[0]?.fail(new Error('unavailable'));
    expect(await early).to.be.instanceOf(Error);
    await turn();
    questions[1]?.answer(newest(1));
    expect(await late).to.deep.equal(newest(1));
  });

  it('does not wait for those of other documents', async () => {
    const { reads, questions } = asked();
    void reads.get('a');
    const other = reads.get('b');
    await turn();
    expect(questions).to.have.lengthOf(2);
    questions[1]?.answer(newest(4));
    expect(await other).to.deep.equal(newest(4));
  });
});
