// A checkpoint of the log is sent to every endpoint that asks for it, of any account, once, and to no other.
import { expect } from 'chai';
import { publicKeysOf } from '../../src/journal/signing-keys.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { reportOn } from '../../src/verify/verify.ts';
import { memoryStores, type Stores } from '../support/node.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';
import { newAccount, pay, queued, type RunningNode, runNode } from './told-node.ts';

const HOUR = 3_600_000;

interface Received {
  readonly url: string;
  readonly text: string;
  readonly id: string | undefined;
}

describe('messages about checkpoints', () => {
  let world: MovableWorld;
  let stores: Stores;
  const running: RunningNode[] = [];
  const received: Received[] = [];
  let refusals = 0;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    received.length = 0;
    refusals = 0;
  });
  afterEach(() => Promise.all(running.splice(0).map((node) => node.end())));

  const node = async (over: Stores = stores): Promise<RunningNode> => {
    const made = await runNode(over, {
      post: async ({ url, body, headers }) => {
        received.push({ url, text: body, id: headers['webhook-id'] });
        return { status: refusals-- > 0 ? 503 : 200, body: '' };
      },
    });
    running.push(made);
    return made;
  };
  const endpoint = async ({ service }: RunningNode, accountId: string, url: string, events?: readonly string[]) => {
    const added = await service.webhooks.addWebhookEndpoint({ accountId, url, ...(events && { events }) });
    return added.kind === 'rejected' ? expect.fail(added.description) : added.id;
  };
  const checkpoint = async ({ service }: RunningNode): Promise<void> => {
    world.advance(HOUR);
    expect(await service.work.makeCheckpoint(HOUR, 'test', new AbortController().signal)).to.equal(true);
  };
  /** The queueing looks every few seconds: here at once. */
  const soon = (holds: () => boolean | Promise<boolean>): Promise<void> =>
    until(() => {
      for (const { service } of running) service.lookAtOnce();
      return holds();
    });
  const about = (url: string) => received.filter((one) => one.url === url && one.text.includes('AUDIT.CHECKPOINT'));

  it('go to those who ask for them: root, size and signature, and no word about a payment', async () => {
    const one = await node();
    const [mine, other] = [await newAccount(one.service), await newAccount(one.service)];
    await endpoint(one, mine, 'https://asks.example/', ['AUDIT.CHECKPOINT']);
    await endpoint(one, mine, 'https://all.example/');
    await endpoint(one, other, 'https://other.example/', ['PAYMENT.STATUS', 'AUDIT.CHECKPOINT']);
    await pay(one.service, mine, { captured: true });
    for (let hour = 1; hour <= 2; hour += 1) {
      await checkpoint(one);
      await soon(
        () => about('https://asks.example/').length === hour && about('https://other.example/').length === hour,
      );
    }
    await soon(() => received.some(({ url }) => url === 'https://all.example/'));
    expect(about('https://all.example/')).to.deep.equal([]);
    const texts = about('https://asks.example/').map(({ text }) => text);
    expect(about('https://other.example/').map(({ text }) => text)).to.deep.equal(texts);
    for (const [n, text] of texts.entries()) {
      const body = JSON.parse(text);
      expect(Object.keys(body)).to.deep.equal(['eventId', 'eventType', 'date', 'version', 'sequence', 'checkpoint']);
      expect(body).to.include({ sequence: n, eventId: about('https://asks.example/')[n]?.id });
      expect(body.checkpoint).to.not.have.any.keys('extends', 'edge', 'last');
      const { findings } = await reportOn({ file: body.checkpoint, keys: publicKeysOf(stores.secrets) });
      expect(findings.map(({ isGood }) => isGood)).to.deep.equal([true]);
    }
  });

  it('are repeated word for word after a refusal, and hold back no later one', async () => {
    const one = await node();
    const account = await newAccount(one.service);
    await endpoint(one, account, 'https://asks.example/', ['AUDIT.CHECKPOINT']);
    refusals = 1;
    await checkpoint(one);
    await soon(async () => (await queued(one.service))['waiting'] === 1 && received.length === 1);
    await checkpoint(one);
    await soon(async () => (await queued(one.service))['delivered'] === 2);
    const [first, ...later] = received;
    expect(later.filter(({ text }) => text === first?.text)).to.have.length(1);
    expect(later.filter(({ text }) => text !== first?.text)).to.have.length(1);
  });

  it('are queued once by two nodes, and again by none when the read models are lost', async () => {
    const one = await node();
    await node();
    const account = await newAccount(one.service);
    const endpointId = await endpoint(one, account, 'https://asks.example/', ['AUDIT.CHECKPOINT']);
    await checkpoint(one);
    await soon(async () => (await queued(one.service))['delivered'] === 1);
    await Promise.all(running.splice(0).map((each) => each.end()));
    const rebuilt = await node({ ...stores, readModels: memoryReadModels() });
    await checkpoint(rebuilt);
    await soon(async () => (await queued(rebuilt.service))['delivered'] === 2);
    const { head } = await rebuilt.service.streams.webhookQueues.current(`${endpointId}.checkpoint_0`);
    expect(head.revision).to.equal(1);
    expect(new Set(received.map(({ text }) => text)).size).to.equal(2);
  });

  it('can be read and sent again like any other', async () => {
    const one = await node();
    const account = await newAccount(one.service);
    const endpointId = await endpoint(one, account, 'https://asks.example/', ['AUDIT.CHECKPOINT']);
    await checkpoint(one);
    await soon(async () => (await queued(one.service))['delivered'] === 1);
    const id = `${endpointId}.checkpoint_0.0`;
    const log = await one.service.webhooks.readDelivery(id, account);
    if ('kind' in log) return expect.fail(log.description);
    expect(log.body).to.equal(received[0]?.text);
    expect(log.entries.map((entry) => entry.kind === 'call' && entry.isAsSent)).to.deep.equal([true]);
    const resent = await one.service.webhooks.resendWebhook(id);
    expect(resent.kind).to.equal('completed');
    one.service.lookAtOnce();
    await soon(() => received.length === 2);
    return expect(received[1]).to.deep.equal(received[0]);
  });
});
