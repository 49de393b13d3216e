// Which messages an endpoint gets: those of its types, since it was added, while it is enabled; and how their calls are
// signed (contract §8).
import { expect } from 'chai';
import type { Post } from '../../src/commands/webhooks/post.ts';
import { calmWorld } from '../support/calm-world.ts';
import { memoryStores, nodeOn, type Stores } from '../support/node.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';
import { addEndpoint, newAccount, pay, type RunningNode, runNode, toldIn } from './told-node.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const URL_OF = (name: string): string => `https://${name}.example/`;

describe('an endpoint of webhooks', () => {
  let world: MovableWorld;
  let stores: Stores;
  let calls: Parameters<Post>[0][];
  let answers: (url: string) => number;
  let node: RunningNode | undefined;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    calls = [];
    answers = () => 204;
    node = undefined;
  });
  afterEach(() => node?.end());
  const post: Post = async (call) => {
    calls.push(call);
    return { status: answers(call.url), body: '' };
  };
  const running = async (): Promise<RunningNode> => {
    node = await runNode(stores, { post });
    return node;
  };
  const toldTo = (name: string) => calls.filter(({ url }) => url === URL_OF(name)).map(({ body }) => toldIn(body));

  it('gets the types of messages that it was added for, and no others', async () => {
    const { service } = await running();
    const accountId = await newAccount(service);
    await addEndpoint(service, accountId, URL_OF('all'));
    const added = await service.webhooks.addWebhookEndpoint({
      accountId,
      url: URL_OF('refunds'),
      events: ['PAYMENT.REFUND'],
    });
    expect(added).to.have.property('id');
    await pay(service, accountId, { captured: true });
    await until(() => toldTo('all').length === 2);
    const last = await pay(service, accountId);
    await until(() => toldTo('all').some(({ subjectId }) => subjectId === last));
    expect(toldTo('refunds')).to.deep.equal([]);
  });

  it('gets nothing that was sent long before it was added, even if the position of the last look is no longer known', async () => {
    const { service: before } = await nodeOn(stores, { cardTestingLimits: false });
    const accountId = await newAccount(before);
    await pay(before, accountId);
    world.advance(11 * MINUTE_MS);
    const { service } = await running();
    await addEndpoint(service, accountId, URL_OF('new'));
    const newer = await pay(service, accountId);
    await until(() => toldTo('new').some(({ subjectId }) => subjectId === newer));
    expect(toldTo('new').map(({ subjectId }) => subjectId)).to.deep.equal([newer]);
  });

  it('gets nothing more once it is disabled, and nothing is queued for it', async () => {
    const { service } = await running();
    const accountId = await newAccount(service);
    const ended = await addEndpoint(service, accountId, URL_OF('ended'));
    await addEndpoint(service, accountId, URL_OF('other'));
    expect(await service.webhooks.disableWebhookEndpoint(ended)).to.include({ kind: 'completed' });
    const paymentId = await pay(service, accountId);
    await until(() => toldTo('other').length === 1);
    expect(toldTo('ended')).to.deep.equal([]);
    expect((await service.streams.webhookQueues.current(`${ended}.${paymentId}`)).state.status).to.equal('absent');
  });

  it('is not called for what waits, either, once it is disabled', async () => {
    answers = () => 500;
    const { service } = await running();
    const accountId = await newAccount(service);
    const endpointId = await addEndpoint(service, accountId, URL_OF('ended'));
    const queueId = `${endpointId}.${await pay(service, accountId)}`;
    await until(async () => {
      const { state } = await service.streams.webhookQueues.current(queueId);
      return state.status !== 'absent' && calls.length === 1;
    });
    expect(await service.webhooks.disableWebhookEndpoint(endpointId)).to.include({ kind: 'completed' });
    world.advance(60 * MINUTE_MS);
    const waiting = { queueId, revision: 0, endpointRevision: 0 };
    expect(await service.webhooks.deliverWebhooks(waiting, 'test', new AbortController().signal)).to.equal(undefined);
    expect(calls).to.have.length(1);
  });

  it('is called at its new URL after a change, including for messages that wait', async () => {
    answers = () => 500;
    const { service } = await running();
    const accountId = await newAccount(service);
    const id = await addEndpoint(service, accountId, URL_OF('old'));
    await pay(service, accountId);
    await until(() => toldTo('old').length === 1);
    answers = () => 204;
    expect(await service.webhooks.changeWebhookEndpoint(id, { url: URL_OF('new') })).to.include({ kind: 'completed' });
    world.advance(10 * MINUTE_MS);
    service.lookAtOnce();
    await until(() => toldTo('new').length === 1);
    expect(toldTo('old')).to.have.length(1);
  });

  it('gets the types of each event’s moment after a change, even if the position of the last look is lost', async () => {
    const { service: before } = await nodeOn(stores, { cardTestingLimits: false });
    const accountId = await newAccount(before);
    const id = await addEndpoint(before, accountId, URL_OF('all'));
    const early = await pay(before, accountId);
    world.advance(MINUTE_MS);
    await before.webhooks.changeWebhookEndpoint(id, { events: ['PAYMENT.REFUND'] });
    world.advance(MINUTE_MS);
    await pay(before, accountId);
    world.advance(MINUTE_MS);
    await before.webhooks.changeWebhookEndpoint(id, { events: null });
    world.advance(MINUTE_MS);
    const late = await pay(before, accountId);
    await running();
    await until(() => toldTo('all').some(({ subjectId }) => subjectId === late));
    expect(toldTo('all').map(({ subjectId }) => subjectId)).to.have.members([early, late]);
  });

  it('gets nothing more once it is deleted, not even what waits', async () => {
    answers = () => 500;
    const { service } = await running();
    const accountId = await newAccount(service);
    const id = await addEndpoint(service, accountId, URL_OF('deleted'));
    await addEndpoint(service, accountId, URL_OF('other'));
    await pay(service, accountId);
    await until(() => toldTo('deleted').length === 1 && toldTo('other').length === 1);
    answers = () => 204;
    expect(await service.webhooks.deleteWebhookEndpoint(id)).to.include({ kind: 'completed' });
    world.advance(10 * MINUTE_MS);
    await pay(service, accountId);
    await until(() => toldTo('other').length === 3);
    expect(toldTo('deleted')).to.have.length(1);
  });

  it('is called for no later message once it has answered one with 410', async () => {
    answers = () => 500;
    const { service } = await running();
    const accountId = await newAccount(service);
    const id = await addEndpoint(service, accountId, URL_OF('gone'));
    await pay(service, accountId, { captured: true });
    await until(() => new Set(toldTo('gone').map(({ sequence }) => sequence)).size === 2);
    const before = calls.length;
    answers = () => 410;
    world.advance(10 * MINUTE_MS);
    service.lookAtOnce();
    await until(async () => (await service.streams.webhookEndpoints.current(id)).state.status === 'disabled');
    expect(calls.length).to.equal(before + 1);
  });

  it('is told the time of the machine, however far the business clock was moved', async () => {
    world.advance(3 * DAY_MS);
    const { service } = await running();
    const accountId = await newAccount(service);
    await addEndpoint(service, accountId, URL_OF('all'));
    await pay(service, accountId);
    await until(() => calls.length === 1);
    const at = Number(calls[0]?.headers['webhook-timestamp']) * 1_000;
    expect(at).to.be.closeTo(calmWorld.now(), MINUTE_MS);
  });

  it('is signed by the secret before the last one while the machine’s clock says so, however far the business clock is moved', async () => {
    const { service } = await running();
    const accountId = await newAccount(service);
    const id = await addEndpoint(service, accountId, URL_OF('all'));
    const signaturesOfNext = async (): Promise<number> => {
      const before = calls.length;
      await pay(service, accountId);
      await until(() => calls.length > before);
      return String(calls[before]?.headers['webhook-signature']).split(' ').length;
    };
    await service.webhooks.rotateWebhookSecret(id, DAY_MS);
    world.advance(3 * DAY_MS);
    expect(await signaturesOfNext()).to.equal(2);
    await service.webhooks.rotateWebhookSecret(id, 0);
    expect(await signaturesOfNext()).to.equal(1);
  });

  it('is not told of an event that the payment’s stream does not have', async () => {
    const { service, reported } = await running();
    const accountId = await newAccount(service);
    const endpointId = await addEndpoint(service, accountId, URL_OF('all'));
    const paymentId = await pay(service, accountId);
    await until(() => calls.length === 1);
    const told = { eventId: 'event-lost', eventType: 'PAYMENT.STATUS', sequence: 99 } as const;
    const messages = [{ ...told, paymentId, correlationId: 'test' }];
    await service.webhooks.queueWebhooks({ accountId, endpointId, subjectId: paymentId, messages }, 'test');
    service.lookAtOnce();
    await until(() => reported.some((fault) => fault instanceof TypeError && fault.message.includes('no event 99')));
    expect(calls.length).to.equal(1);
  });
});
