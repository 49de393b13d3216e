// An event of a stream of ours that nobody can read: the webhooks of all other payments go out, and readiness names the
// stream.
import { expect } from 'chai';
import type { Post } from '../../src/commands/webhooks/post.ts';
import { memoryStores } from '../support/node.ts';
import { until } from '../support/until.ts';
import { addEndpoint, newAccount, pay, queued, runNode } from './told-node.ts';

const FOREIGN = { id: '5a7c9bb4-1f0e-4d6c-9c55-0f6f8a7a1d11', type: 'Foreign', data: 'nonsense', metadata: 'nonsense' };

describe('an event that nobody can read, in a stream of payments', () => {
  it('stops no webhook of another payment', async () => {
    const post: Post = async () => ({ status: 200, body: '' });
    const stores = await memoryStores();
    const node = await runNode(stores, { post });
    const accountId = await newAccount(node.service);
    await addEndpoint(node.service, accountId, 'http://one.example/');
    await pay(node.service, accountId, { captured: true });
    await until(async () => (await queued(node.service))['delivered'] === 2);
    await stores.events.append('payment-foreign', -1, [FOREIGN]);
    await pay(node.service, accountId, { captured: true });
    await until(async () => (await queued(node.service))['delivered'] === 4);
    await until(() => node.service.projections.readiness().degraded.length > 0);
    expect(node.service.projections.readiness()).to.deep.equal({
      ready: true,
      reasons: [],
      degraded: ['payment-foreign'],
    });
    await until(() => node.service.readiness().notMoving !== undefined);
    expect(node.service.readiness().notMoving?.join()).to.match(
      /^every answer about payment-foreign since .*\d\d:\d\d, 1 event$/,
    );
    await node.end();
  });
});
