// kill -9 again and again under load, on one data directory: CRASH_ROUNDS says how often (30), CRASH_SEED repeats a run.
import { expect } from 'chai';
import { defaultTimings } from '../../src/commands/house.ts';
import { defaultTimings as defaultEngineTimings } from '../../src/projections/engine/timings.ts';
import { type Acknowledged, Memory, randomFrom, Shopper } from '../support/load.ts';
import { Client } from '../support/load-client.ts';
import { serveNode } from '../support/load-node.ts';
import { merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { DataDirectory, errorsIn } from '../support/service-process.ts';
import { movableWorld } from '../support/test-world.ts';
import {
  claimedInVain,
  differencesOf,
  hangingSessions,
  hangingWork,
  LOOK_UPS_MS,
  letFallDue,
  lostOf,
  unlikeRebuilt,
  verifyChains,
} from './books.ts';

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 30);
const SEED = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
const SHOPPERS = 16;
/** How long a process lives under load, ms. */
const SHORTEST_MS = 100;
const LONGEST_MS = 700;
/** Now and then a rebuild dies with it, somewhere between its first event and its last flip; that takes longer. */
const REBUILD_MS = 5_000;

/** Nobody waits 25 s here for a call that never answers; but what is still under way must not outlive the leaps of the clock. */
const timings = { ...defaultTimings, answerWithinMs: 3_000 };

/** Builders of read models that were killed give no more signs of life; nobody else is there to wait for. */
const engineTimings = { ...defaultEngineTimings, pollMs: 200, abandonedMs: 1_000 };

describe(`kill -9 under load, ${ROUNDS} times (seed ${SEED})`, function () {
  this.timeout(60_000 + ROUNDS * 5_000);
  const directory = new DataDirectory();
  const memory = new Memory();
  const random = randomFrom(SEED);
  const shoppers = Array.from({ length: SHOPPERS }, (_, index) => new Shopper(`${SEED}-${index}`, memory, randomFrom(SEED + 1 + index)));
  const seen = { sentAgain: 0 };
  after(() => directory.remove());

  async function round(known: ReadonlyMap<string, Acknowledged>, isRebuilding: boolean): Promise<void> {
    const { serving, client } = await directory.serve();
    // What was acknowledged since the last look, and what nobody knows about.
    const fresh = [...memory.acknowledged.values()].filter((one) => known.get(one.path) !== one);
    expect(await lostOf(client, fresh)).to.deep.equal([]);
    const sentAgain = memory.sendAgain(client);
    const over = new AbortController();
    const rebuild = isRebuilding ? directory.startToKill('projections rebuild --all') : undefined;
    const livesMs = SHORTEST_MS + random() * ((isRebuilding ? REBUILD_MS : LONGEST_MS) - SHORTEST_MS);
    const shopping = shoppers.map((shopper) => shopper.shop(client, over.signal));
    await new Promise((resolve) => setTimeout(resolve, livesMs));
    await Promise.all([serving.end('SIGKILL'), rebuild?.kill()]);
    over.abort();
    await Promise.all(shopping);
    seen.sentAgain += await sentAgain;
    client.close();
    expect([...client.faults, ...errorsIn(serving.stderr()), ...memory.surprises]).to.deep.equal([]);
  }

  it('loses nothing that was acknowledged, and what was not is done once when it is asked for again', async () => {
    for (let n = 0; n < ROUNDS; n += 1) {
      const known = new Map(memory.acknowledged);
      await round(known, n % 10 === 7);
    }
    expect(memory.writes).to.be.greaterThan(ROUNDS * 10);
  });

  describe('and afterwards', function () {
    this.timeout(60_000 + ROUNDS * 500);
    const world = movableWorld();
    const logged: string[] = [];
    const closing: (() => Promise<void>)[] = [];
    let stores: Stores;
    let node: TestNode;
    let client: Client;
    let givenBack = 0;

    before(async () => {
      stores = await directory.stores(world);
      node = await nodeOn(stores, { cardTestingLimits: false, timings, engineTimings });
      const served = await serveNode(node, stores.sandbox, logged, { policies: false });
      client = new Client(served.url, directory.key);
      closing.push(async () => {
        client.close();
        await served.close();
        await Promise.all([stores.events.close(), stores.readModels.close(), stores.sandbox.close()]);
      });
      while (!node.service.readiness().ready) await world.sleep(20, new AbortController().signal);
    });
    after(async () => {
      for (const close of closing) await close();
    });

    it('everything that was ever acknowledged is there', async () => {
      expect(await lostOf(client, memory.acknowledged.values())).to.deep.equal([]);
    });

    it('the read models equal a rebuild from the first event on', async () => {
      expect(await unlikeRebuilt(node.service)).to.deep.equal([]);
    });

    it('every outcome is known in time, and every write that was never answered is', async () => {
      await letFallDue(node.service, world, LOOK_UPS_MS);
      seen.sentAgain += await memory.sendAgain(client);
      expect([memory.unanswered, memory.surprises]).to.deep.equal([[], []]);
      expect(await lostOf(client, memory.acknowledged.values())).to.deep.equal([]);
      await letFallDue(node.service, world, LOOK_UPS_MS);
      expect(await hangingWork(node.service.readModels)).to.deep.equal([]);
      expect(await differencesOf(await stores.sandbox.ledger(), node.service.readModels)).to.deep.equal([]);
    });

    it('no session and no token is held by nobody', async () => {
      expect(await hangingSessions(node.service)).to.deep.equal([]);
      const free = await claimedInVain(node.service);
      for (const { token, accountId } of free) {
        const asked = { paymentMethodToken: token, orderId: 'again', currencyCode: 'EUR' as const, amount: 5 };
        const paid = await node.service.authorizePayment(asked, merchant(accountId, world));
        expect(paid.kind === 'rejected' ? paid.description : '').to.equal('');
      }
      givenBack = free.length;
      await letFallDue(node.service, world, LOOK_UPS_MS);
    });

    it("the processor's ledger equals our books, and every stream is a whole chain", async () => {
      expect(await differencesOf(await stores.sandbox.ledger(), node.service.readModels)).to.deep.equal([]);
      expect(await unlikeRebuilt(node.service)).to.deep.equal([]);
      const chains = await verifyChains(stores.events);
      expect(chains.broken).to.deep.equal([]);
      expect([...client.faults, ...logged, ...node.reported]).to.deep.equal([]);
      console.log(
        `      ${ROUNDS} kills, ${memory.writes} acknowledged writes to ${memory.acknowledged.size} resources, ${seen.sentAgain} sent again, ` +
          `${chains.events} events in ${chains.streams} streams, ${givenBack} tokens given back`,
      );
    });
  });
});
