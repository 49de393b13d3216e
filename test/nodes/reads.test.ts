// Reads on another node than the write's: they see it at once, and refuse a revoked key from its next request on.
// NODES_READS asks for more tries.
import { expect } from 'chai';
import { z } from 'zod';
import { createSession, ok, served, tally } from '../support/load-calls.ts';
import type { Answer } from '../support/load-client.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

/** The number of tries; with a lagging follower, nearly every one would show it. */
const TRIES = Number(process.env['NODES_READS'] ?? 600);
/** The number of concurrent clients. Each changes its own session, in turn on either node. */
const WRITERS = 32;
const SLOW_MS = 50;

const KeyMade = z.looseObject({ id: z.string(), key: z.string() });

describe('a node that did not do the write', () => {
  let cluster: Cluster;
  let nodes: readonly ClusterNode[];

  before(async () => {
    cluster = await Cluster.open();
    nodes = [await cluster.serve(0), await cluster.serve(1)];
  });
  after(() => cluster.close());

  it(`never shows an older revision than the answer to the write, in ${TRIES} tries under load`, async () => {
    const older: string[] = [];
    let tries = 0;
    const writer = async (index: number): Promise<void> => {
      const clients = nodes.map(({ client }) => client);
      const clientToken = await createSession(clients[index % 2] ?? fail(), {}, served);
      for (let turn = index; tries < TRIES; turn += 1) {
        tries += 1;
        const [one, other] = turn % 2 === 0 ? clients : clients.toReversed();
        const written = ok(
          await served(() => (one ?? fail()).call('PATCH', '/client-session', { clientToken, metadata: { turn } })),
        );
        const read = ok(
          await served(() => (other ?? fail()).call('GET', `/client-session?clientToken=${clientToken}`)),
        );
        if (read.revision < written.revision) older.push(`${clientToken}: ${read.revision} after ${written.revision}`);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, index) => writer(index)));
    expect(older).to.deep.equal([]);
    expect(tries).to.be.at.least(TRIES);
  });

  it('refuses a revoked key from the next request on, even when MongoDB is slow and the follower has not run', async () => {
    const [, second] = nodes;
    await cluster.events.order({ order: 'hold subscriptions', held: true });
    await cluster.readModels.order({ slowMs: SLOW_MS });
    try {
      for (let round = 0; round < 3; round += 1) {
        const made = KeyMade.parse(await cluster.json('keys create --name n --scopes all'));
        const client = cluster.client(second?.serving.url ?? '', made.key);
        // the key works before it is revoked
        const before: Answer[] = [ok(await served(() => client.call('GET', '/payments')))];
        const after: Answer[] = [];
        let isRevoked = false;
        const asking = Array.from({ length: 8 }, async () => {
          for (let late = 0; late < 3; ) {
            const wasRevoked = isRevoked; // read before the request is sent
            const answer = await client.call('GET', '/payments');
            if (answer.status === 503) continue; // a store missed its deadline, which tells nothing of the key
            (wasRevoked ? after : before).push(answer);
            if (wasRevoked) late += 1;
          }
        });
        await cluster.json(`keys revoke ${made.id}`);
        isRevoked = true;
        await Promise.all(asking);
        expect(tally(after)).to.deep.equal({ '401 Unauthorized': 24 });
        expect(
          Object.keys(tally(before)).filter((verdict) => verdict !== '200' && verdict !== '401 Unauthorized'),
        ).to.deep.equal([]);
      }
    } finally {
      await cluster.readModels.order({ behave: true });
      await cluster.events.order({ order: 'behave' });
    }
  });
});

function fail(): never {
  throw new Error('there are two nodes');
}
