// The rules after all faults, when all work has fallen due: no write lost, no effect doubled, no attempt open, ledger
// and payments equal.
import { expect } from 'chai';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import { defaultTimings as defaultEngineTimings } from '../../src/projections/engine/timings.ts';
import type { World } from '../../src/world.ts';
import type { Memory } from '../support/load.ts';
import { Client } from '../support/load-client.ts';
import { serveNode } from '../support/load-node.ts';
import { merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';
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

/** Short, so that no caller waits 25 s for a lost answer. A call under way must still end before the clock jumps. */
const timings = { ...defaultTimings, answerWithinMs: 3_000 };

/** Short, because killed builders of read models give no sign of life and no other process runs. */
const engineTimings = { ...defaultEngineTimings, pollMs: 200, abandonedMs: 1_000 };

export interface Aftermath {
  readonly memory: Memory;
  /** The stores that the load left. No process uses them any more. */
  readonly open: (world: World) => Promise<Stores>;
  readonly key: () => string;
  /** The timeout of each test, ms. */
  readonly timeoutMs: number;
  /** The earlier events, for the line that is printed at the end. */
  readonly told: () => string;
}

/** Declares the tests. They run a service in this process on the stores, with a clock that can jump. */
export function aftermath({ memory, open, key, timeoutMs, told }: Aftermath): void {
  describe('and afterwards', function () {
    this.timeout(timeoutMs);
    const world = movableWorld();
    const logged: string[] = [];
    const closing: (() => Promise<void>)[] = [];
    let stores: Stores;
    let node: TestNode;
    let client: Client;
    let givenBack = 0;
    let sentAgain = 0;

    before(async () => {
      world.advance(Date.now() - world.now()); // not earlier than the writers of the stored data
      stores = await open(world);
      node = await nodeOn(stores, { cardTestingLimits: false, timings, engineTimings, leaps: true });
      const served = await serveNode(node, stores.sandbox, logged, { policies: false });
      client = new Client(served.url, key());
      closing.push(async () => {
        client.close();
        await served.close();
        const { events, keys, readModels, sandbox } = stores;
        await Promise.all([events.close(), keys?.close(), readModels.close(), sandbox.close()]);
      });
      await until(() => node.service.readiness().ready);
    });
    after(async () => {
      for (const close of closing) await close();
    });

    it('every acknowledged write is there', async () => {
      expect(await lostOf(client, memory.acknowledged.values())).to.deep.equal([]);
    });

    it('the read models equal a rebuild from the first event on', async () => {
      expect(await unlikeRebuilt(node.service)).to.deep.equal([]);
    });

    it('every outcome is settled in time, that of every unanswered write too', async () => {
      await letFallDue(node.service, world, LOOK_UPS_MS);
      sentAgain = await memory.sendAgain(client);
      expect([memory.unanswered, memory.surprises]).to.deep.equal([[], []]);
      expect(await lostOf(client, memory.acknowledged.values())).to.deep.equal([]);
      await letFallDue(node.service, world, LOOK_UPS_MS);
      expect(await hangingWork(node.service.readModels)).to.deep.equal([]);
      expect(await differencesOf(node.service, stores.sandbox)).to.deep.equal([]);
    });

    it('every claimed session and token has a payment that holds it', async () => {
      expect(await hangingSessions(node.service)).to.deep.equal([]);
      const free = await claimedInVain(node.service);
      for (const { token, accountId } of free) {
        const asked = { paymentMethodToken: token, orderId: 'again', currencyCode: 'EUR' as const, amount: 5 };
        const paid = await node.service.payments.authorizePayment(asked, merchant(accountId, world));
        expect(paid.kind === 'rejected' ? paid.description : '').to.equal('');
      }
      givenBack = free.length;
      await letFallDue(node.service, world, LOOK_UPS_MS);
    });

    it("the processor's ledger equals the payments, and every stream is a whole chain", async () => {
      expect(await differencesOf(node.service, stores.sandbox)).to.deep.equal([]);
      expect(await unlikeRebuilt(node.service)).to.deep.equal([]);
      const chains = await verifyChains(stores.events);
      expect(chains.broken).to.deep.equal([]);
      expect([...client.faults, ...logged, ...node.reported]).to.deep.equal([]);
      console.log(
        `      ${told()}, ${memory.writes} acknowledged writes to ${memory.acknowledged.size} resources, ${sentAgain} sent again at the end, ` +
          `${chains.events} events in ${chains.streams} streams, ${givenBack} tokens given back`,
      );
    });
  });
}
