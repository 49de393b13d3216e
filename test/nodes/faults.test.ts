// Two nodes under load while their stores and they themselves fail, one after another. NODES_PAUSED_MS sets the pause
// of each store; NODES_SEED repeats a run.
import { expect } from 'chai';
import { aftermath } from '../crash/aftermath.ts';
import { besideOthers, calmWorld, pause } from '../support/calm-world.ts';
import { Memory, randomFrom, Shopper } from '../support/load.ts';
import type { Client } from '../support/load-client.ts';
import { until } from '../support/until.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import { effectsOf } from './refused.ts';

const PAUSED_MS = Number(process.env['NODES_PAUSED_MS'] ?? 8_000);
const SEED = Number(process.env['NODES_SEED'] ?? Date.now() % 1_000_000);
const SHOPPERS = 8;
/**
 * A shopper's pause between two checkouts, ms: without it the load is all that the machine can bear, for as long as the
 * faults last.
 */
const THINKS_MS = 1_000;
/** Three times the promised ten seconds, counted as on an undisturbed machine. */
const READY_AGAIN_MS = 30_000;
/** The time between two faults, ms. */
const QUIET_MS = 1_000;

describe(`two nodes while their stores and they themselves fail (seed ${SEED})`, function () {
  this.timeout(2 * PAUSED_MS + 500_000);
  const memory = new Memory({ storesMayBeUnavailable: true });
  const stopped = new AbortController();
  const shopping: Promise<void>[] = [];
  let cluster: Cluster;
  let nodes: ClusterNode[];
  let lastEndedAt = 0;

  before(async () => {
    cluster = await Cluster.open();
    nodes = [await cluster.serve(0), await cluster.serve(1)];
    for (let index = 0; index < SHOPPERS; index += 1) shopping.push(shopUntilStopped(index));
  });
  after(async () => {
    stopped.abort();
    await cluster.close();
    await Promise.all(shopping);
  });

  /**
   * Shops on the node at this place, restarted or not. A customer who was cut off or refused begins another checkout.
   */
  async function shopUntilStopped(index: number): Promise<void> {
    const shopper = new Shopper(`${SEED}-${index}`, memory, randomFrom(SEED + index), 'prompt');
    while (!stopped.signal.aborted) {
      const node = nodes[index % nodes.length];
      if (node !== undefined) await checkOutOnce(shopper, node.client);
      await pause(THINKS_MS);
    }
  }

  async function checkOutOnce(shopper: Shopper, client: Client): Promise<void> {
    const once = new AbortController();
    const shopping = shopper.shop(client, once.signal);
    once.abort(); // it looks there before the next checkout
    await shopping;
  }

  /** Waits until every node acknowledges writes again. */
  async function untilWritesGoThrough(): Promise<void> {
    for (const { client } of nodes) {
      await until(
        async () =>
          (await client.call('POST', '/client-session', { orderId: 'probe' }).catch(() => undefined))?.status === 200,
      );
    }
  }

  async function fault(what: string, begin: () => unknown, lastsMs: number, end: () => unknown): Promise<void> {
    await begin();
    await pause(lastsMs);
    await end();
    lastEndedAt = calmWorld.monotonic();
    await untilWritesGoThrough();
    console.log(`      ${what}: writes went through again after ${Math.round(calmWorld.monotonic() - lastEndedAt)} ms`);
    await pause(QUIET_MS);
  }

  it('acknowledge writes again after each fault', async () => {
    const { events, readModels } = cluster;
    await pause(QUIET_MS);
    await fault(
      'EventStoreDB paused',
      () => events.freeze(),
      PAUSED_MS,
      () => events.thaw(),
    );
    await fault(
      'EventStoreDB killed',
      () => events.kill(),
      500,
      () => events.start(),
    );
    await fault(
      'subscriptions dropped',
      () => events.order({ order: 'drop subscriptions', everyMs: 200 }),
      5_000,
      () => events.order({ order: 'behave' }),
    );
    await fault(
      'MongoDB paused',
      () => readModels.server.freeze(),
      PAUSED_MS,
      () => readModels.server.thaw(),
    );
    await fault(
      'MongoDB killed',
      () => readModels.server.kill(),
      500,
      () => readModels.server.start(),
    );
    await fault(
      'a node killed',
      () => nodes[1]?.serving.end('SIGKILL'),
      500,
      async () => {
        nodes[1] = await cluster.serve(1);
      },
    );
    await fault(
      'a node paused',
      () => nodes[0]?.serving.process.kill('SIGSTOP'),
      5_000,
      () => nodes[0]?.serving.process.kill('SIGCONT'),
    );
  });

  it('are ready soon after the last fault', async () => {
    for (const { client } of nodes) {
      for (let isReady = false; !isReady; ) {
        isReady = (await client.call('GET', '/health/ready')).status === 200;
        expect(calmWorld.monotonic() - lastEndedAt).to.be.lessThan(READY_AGAIN_MS);
        if (!isReady) await pause(20);
      }
    }
  });

  it('have answered everybody', async () => {
    stopped.abort();
    await Promise.all(shopping);
  });

  it('end in order', async () => {
    for (const { serving } of nodes) expect((await serving.end('SIGTERM')).code).to.equal(0);
  });

  it('answered no 5xx but 503, and no 503 to a request whose effect is in the log', async () => {
    const stores = await cluster.stores(besideOthers);
    const effects = await effectsOf(stores.events, new Set(memory.refused.keys()));
    await Promise.all([stores.events.close(), stores.readModels.close(), stores.sandbox.close()]);
    expect(effects.map(({ stream, revision, type }) => `${stream}@${revision} ${type}`)).to.deep.equal([]);
    const faults = nodes.flatMap(({ client }) => client.faults);
    expect(faults.filter((text) => !text.includes(': 503 '))).to.deep.equal([]);
    expect(memory.surprises).to.deep.equal([]);
  });

  aftermath({
    memory,
    open: (world) => cluster.stores(world),
    key: () => cluster.key,
    timeoutMs: 400_000,
    told: () => `two nodes and every fault, ${memory.refused.size} answers of 503`,
  });
});
