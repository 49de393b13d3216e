// The read models are lost, and with them the place up to which messages were queued: each message is queued once all
// the same.
import { expect } from 'chai';
import type { Post } from '../../src/commands/webhooks/post.ts';
import { hookedEvents } from '../crash/hooked-stores.ts';
import { memoryStores, nodeOn } from '../support/node.ts';
import { until } from '../support/until.ts';
import { brokenChains, type Told } from './chain.ts';
import { addEndpoint, newAccount, pay, queued, runNode, toldIn } from './told-node.ts';

const PAYMENTS = 3;

describe('messages after lost read models', () => {
  it('are queued once, none is missed, and queues that have all of theirs are not read', async () => {
    const received: Told[] = [];
    const post: Post = async ({ body }) => {
      received.push(toldIn(body));
      return { status: 200, body: '' };
    };
    const stores = await memoryStores();
    const before = await runNode(stores, { post });
    const accountId = await newAccount(before.service);
    await addEndpoint(before.service, accountId, 'http://one.example/');
    const told: string[] = [];
    for (let made = 0; made < PAYMENTS; made += 1) told.push(await pay(before.service, accountId, { captured: true }));
    await until(async () => (await queued(before.service))['delivered'] === 2 * PAYMENTS);
    await before.end();
    // Nobody queues the messages of this one.
    const { service: idle } = await nodeOn(stores, { post, cardTestingLimits: false });
    const untold = await pay(idle, accountId, { captured: true });

    const reached: string[] = [];
    const events = hookedEvents(stores.events, {
      before: ({ stream, types }) => void (types.includes('MessageQueued') && reached.push(stream)),
      reading: (stream) => void (stream.startsWith('webhookQueue-') && reached.push(stream)),
    });
    const { readModels } = await memoryStores();
    const after = await runNode({ ...stores, events, readModels }, { post });
    await until(async () => (await queued(after.service))['delivered'] === 2 * PAYMENTS + 2);
    await after.end();
    expect(after.reported).to.deep.equal([]);
    expect(received.length).to.equal(2 * PAYMENTS + 2);
    expect(brokenChains(received)).to.deep.equal([]);
    expect(reached.some((stream) => stream.endsWith(untold))).to.equal(true);
    for (const paymentId of told) expect(reached.filter((stream) => stream.endsWith(paymentId))).to.deep.equal([]);
  });
});
