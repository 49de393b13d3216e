// Counts the appends of a write at EventStoreDB: each is a round trip to its disks.
import { expect } from 'chai';
import { createSession, ok, tokenize } from '../support/load-calls.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

describe('without an idempotency key', () => {
  let cluster: Cluster;
  let node: ClusterNode;

  before(async () => {
    cluster = await Cluster.open();
    node = await cluster.serve(0);
  });
  after(() => cluster.close());

  /**
   * The appends that the server received during the work, and their types. A slow server or machine makes a node send
   * an append again, which is not a cost of the work: then the work is done again, a few times at most.
   */
  async function appendsOf(
    prepare: () => Promise<() => Promise<unknown>>,
    tries = 5,
  ): Promise<{ readonly received: number; readonly types: Readonly<Record<string, number>> }> {
    const work = await prepare();
    const { appends: before } = await cluster.events.counters();
    await work();
    const { appends: after } = await cluster.events.counters();
    if (after.repeated > before.repeated && tries > 1) return appendsOf(prepare, tries - 1);
    const types = Object.entries(after.byType).map(
      ([type, times]) => [type, times - (before.byType[type] ?? 0)] as const,
    );
    return {
      received: after.received - before.received,
      types: Object.fromEntries(types.filter(([, times]) => times > 0)),
    };
  }

  it('a PATCH is one append', async () => {
    const patch = async () => {
      const clientToken = await createSession(node.client);
      return async () => ok(await node.client.call('PATCH', '/client-session', { clientToken, metadata: { n: 1 } }));
    };
    expect(await appendsOf(patch)).to.deep.equal({ received: 1, types: { ClientSessionUpdated: 1 } });
  });

  it('a payment is three before its processor is called (session, token, payment), and one with the outcome', async () => {
    const pay = async () => {
      const clientToken = await createSession(node.client);
      const paymentMethodToken = await tokenize(node.client, clientToken);
      return async () => ok(await node.client.call('POST', '/payments', { clientToken, paymentMethodToken }));
    };
    expect(await appendsOf(pay)).to.deep.equal({
      received: 4,
      types: {
        ClientSessionClaimed: 1,
        InstrumentClaimed: 1,
        PaymentCreated: 1,
        AuthorizationRequested: 1,
        PaymentAuthorized: 1,
      },
    });
  });
});
