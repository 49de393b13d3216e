// Generations in MongoDB: finished by a marker, dropped by any node, and removed without a rest.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { mongoDbBuilder } from '../../src/stores/mongodb/builder.ts';
import { Generations } from '../../src/stores/mongodb/generations.ts';
import { type Collection, NoSuchGeneration, type ReadModelStore } from '../../src/stores/read-models.ts';
import type { World } from '../../src/world.ts';
import { builtRows, type Order, type OrderKey, ordersOf, packedOf, row } from '../contract/read-models.suite.ts';
import { calmWorld } from '../support/calm-world.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

type Orders = Collection<Order, OrderKey>;

const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (fault: unknown) => fault,
  );

async function build(store: ReadModelStore, orders: Orders, ...ids: readonly string[]): Promise<void> {
  const builder = await store.build(orders);
  await builder.write(builtRows(orders, ...ids.map((id) => row(id, 0))));
  await builder.finish();
}

describe('A generation in MongoDB', () => {
  let server: ServerUnderTest;
  let client: MongoClient;
  let store: ReadModelStore;
  let other: ReadModelStore;
  before(async () => {
    server = await startServer();
    client = await MongoClient.connect(server.loopback.url);
    store = await server.open();
    other = await server.open();
  });
  after(async () => {
    await client.close();
    await server.dispose();
  });

  /** Collections of the server that belong to generations of a name. */
  const collectionsOf = async ({ name }: Orders): Promise<readonly string[]> =>
    (await client.db().listCollections().toArray())
      .map((one) => one.name)
      .filter((one) => one.startsWith(`${name}.`))
      .sort();

  /** A world in which no time passes: markers are believed for as long as the test lasts. */
  const stopped: World = { ...calmWorld, monotonic: () => 0 };

  it('that another node dropped is unknown within a second, to readers and writers', async () => {
    const orders = ordersOf(1);
    let ahead = 0;
    const reader = await server.open({ world: { ...calmWorld, monotonic: () => calmWorld.monotonic() + ahead } });
    await build(reader, orders, 'a');
    await reader.get(orders, ['a']);
    await other.drop(orders.name, 1);
    ahead = 1_000;
    expect(await faultOf(reader.get(orders, ['a']))).to.be.instanceOf(NoSuchGeneration);
    expect(await faultOf(reader.find(orders, { where: {}, limit: 1 }))).to.be.instanceOf(NoSuchGeneration);
    expect(await faultOf(reader.write(orders, [row('b', 0)]))).to.be.instanceOf(NoSuchGeneration);
  });

  it('is known to be finished, whatever is built in the moment in which its marker is read', async () => {
    const orders = ordersOf(1);
    await build(store, orders, 'a');
    for (let turns = 0; turns < 10; turns += 1) {
      let building: Promise<void> | undefined;
      const beginAnother = async (): Promise<void> => {
        for (let n = 0; n < turns; n += 1) await undefined;
        await generations.begin('another', 1, 'build');
      };
      const read = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
        const found = await work(new AbortController().signal);
        building ??= beginAnother();
        return found;
      };
      const write = <T>(work: () => Promise<T>): Promise<T> => work();
      const availability = { read, write, patiently: write, outlast: write };
      const connection = { database: client.db(), longWork: client.db() };
      const generations = new Generations({ connection, world: calmWorld, availability });
      await generations.mustBeFinished(orders.name, 1);
      await building;
    }
  });

  it('stays dropped under late writes after another node dropped it, and the next build removes the rest', async () => {
    const orders = ordersOf(1);
    const store = await server.open({ world: stopped });
    await build(store, orders, 'a');
    await store.get(orders, ['a']);
    await other.drop(orders.name, 1);
    await store.write(orders, [row('late', 0)]); // it looked a moment ago
    expect(await collectionsOf(orders)).to.deep.equal([`${orders.name}.1`]);
    expect(await faultOf(other.get(orders, ['late']))).to.be.instanceOf(NoSuchGeneration);
    expect(await other.generations(orders.name)).to.deep.equal([]);
    await build(other, { ...orders, generation: 2 }, 'a');
    expect(await collectionsOf(orders)).to.deep.equal([`${orders.name}.2`]);
  });

  it('costs no question of its own while it is in use', async () => {
    const orders = ordersOf(1);
    const store = await server.open({ world: stopped });
    await build(store, orders, 'a');
    await store.get(orders, ['a']);
    await server.loopback.counts({ reset: true });
    for (let n = 0; n < 100; n += 1) await store.get(orders, ['a']);
    const counts = await server.loopback.counts();
    const asked = (collection: string): number =>
      counts.find((one) => one.command === 'find' && one.collection === collection)?.times ?? 0;
    expect(asked(`${orders.name}.1`)).to.equal(100);
    expect(asked('generations')).to.be.lessThan(10);
  });

  it('of a builder that was killed leaves nothing to the next build', async () => {
    const orders = ordersOf(1);
    const killed = await other.build(orders);
    await killed.write(builtRows(orders, row('half', 0)));
    await build(store, { ...orders, generation: 2 }, 'a');
    expect(await collectionsOf(orders)).to.deep.equal([`${orders.name}.2`]);
    expect(await store.generations(orders.name)).to.deep.equal([2]);
    expect(await faultOf(killed.finish())).to.be.instanceOf(NoSuchGeneration);
    await killed.abort();
    expect(await collectionsOf(orders)).to.deep.equal([`${orders.name}.2`]);
  });

  it('that was dropped while it was built cannot be finished', async () => {
    const orders = ordersOf(1);
    const builder = await store.build(orders);
    await other.drop(orders.name, 1);
    await builder.write(builtRows(orders, row('a', 0)));
    expect(await faultOf(builder.finish())).to.be.instanceOf(NoSuchGeneration);
    await builder.abort();
    expect(await collectionsOf(orders)).to.deep.equal([]);
    expect(await store.generations(orders.name)).to.deep.equal([]);
  });

  it('is indexed last, when its documents are there', async () => {
    const orders = ordersOf(1);
    const builder = await store.build(orders);
    await builder.write(builtRows(orders, row('a', 0, { shop: 's' })));
    await builder.get(['a']);
    const namesOf = async (): Promise<readonly unknown[]> =>
      (await client.db().collection(`${orders.name}.1`).indexes()).map(({ key }) => Object.keys(key).join());
    expect(await namesOf()).to.deep.equal(['_id']);
    await builder.finish();
    expect(await namesOf()).to.deep.equal(['_id', 'k.shop,k.total,_id', 'k.total,_id', 'k.shop,k.open,k.total,_id']);
  });

  it('is filled from calls that overlap, and its builder reads rows that are still on their way', async () => {
    const orders = ordersOf(1);
    const builder = await store.build(orders);
    const ids = Array.from({ length: 3_000 }, (_, n) => `id-${n}`);
    const written = [0, 2, 1].map((revision) =>
      builder.write(builtRows(orders, ...ids.map((id) => row(id, revision, { total: revision })))),
    );
    const found = await builder.get(ids);
    expect(found).to.have.lengthOf(ids.length);
    for (const { revision, text } of found) expect([revision, text]).to.deep.equal([2, '{"total":2}']);
    await Promise.all(written);
    await builder.finish();
    expect(await store.count(orders)).to.equal(ids.length);
    expect(await store.find(orders, { where: { total: [0, 1] }, limit: 1 })).to.deep.equal([]);
  });

  it('says when rows could not be written, and leaves nothing when it is given up', async () => {
    const orders = ordersOf(1);
    const builder = await store.build(orders);
    await server.loopback.order({ fail: 'unauthorized', of: 'writes', times: 100, collection: `${orders.name}.1` });
    await builder.write(builtRows(orders, row('a', 0)));
    expect(await faultOf(builder.finish())).to.include({ code: 'StoreUnavailable' });
    await server.loopback.order({ behave: true });
    await builder.abort();
    expect(await collectionsOf(orders)).to.deep.equal([]);
  });

  it('is dropped when nothing of it is in transit any longer: a late row would bring it back', async () => {
    const happened: string[] = [];
    const write = async (rows: readonly { readonly _id: string }[]): Promise<void> => {
      const [first] = rows;
      if (first?._id === 'refused') throw new Error('refused');
      await sleep(30);
      happened.push('written');
    };
    const abort = async (): Promise<void> => void happened.push('dropped');
    const builder = mongoDbBuilder({ keys: [], write, read: async () => [], finish: async () => undefined, abort });
    for (const id of ['refused', 'late']) await builder.write(packedOf({ id, revision: 0, text: '{}', keys: [] }));
    await builder.abort();
    expect(happened).to.deep.equal(['written', 'dropped']);
  });
});
