// A delivery is resent for the account that it belongs to, and for no other.
import { expect } from 'chai';
import { memoryStores, merchant } from '../../support/node.ts';
import { until } from '../../support/until.ts';
import { addEndpoint, newAccount, pay, type RunningNode, runNode } from '../../webhooks/told-node.ts';

describe('a delivery', () => {
  let node: RunningNode | undefined;
  afterEach(() => node?.end());

  it('is resent for a user of its account, and does not exist for one of another', async () => {
    let calls = 0;
    node = await runNode(await memoryStores(), {
      post: async () => {
        calls += 1;
        return { status: 204, body: '' };
      },
    });
    const { service } = node;
    const accountId = await newAccount(service);
    const stranger = await newAccount(service);
    const endpointId = await addEndpoint(service, accountId, 'https://shop.example/');
    const paymentId = await pay(service, accountId);
    const { webhookQueues } = service.streams;
    const queueId = `${endpointId}.${paymentId}`;
    await until(async () => (await webhookQueues.current(queueId)).head.revision === 1);
    const { state } = await webhookQueues.current(queueId);
    const sequence = state.status === 'absent' ? undefined : state.messages[0]?.sequence;
    const delivery = `${queueId}.${sequence}`;
    expect(await service.webhooks.resendWebhook(delivery, merchant(stranger))).to.include({
      kind: 'rejected',
      errorId: 'NotFound',
    });
    expect((await webhookQueues.current(queueId)).head.revision).to.equal(1);
    expect(await service.webhooks.resendWebhook(delivery, merchant(accountId))).to.include({ kind: 'completed' });
    await until(() => calls === 2);
  });
});
