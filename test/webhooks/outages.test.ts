// Webhooks while something is down: a receiver for days, one slow receiver among many, a store for a while.
import { expect } from 'chai';
import type { Post, PostCall } from '../../src/commands/webhooks/post.ts';
import { RETRY_DELAYS } from '../../src/domain/webhook-queue/decide.ts';
import type { QueuedMessage } from '../../src/domain/webhook-queue/state.ts';
import { webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { allOf } from '../../src/queries/pages.ts';
import type { Service } from '../../src/service.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import type { World } from '../../src/world.ts';
import { Gate } from '../crash/hooked-stores.ts';
import { memoryStores, merchant } from '../support/node.ts';
import { type Switches, switchable } from '../support/switchable-stores.ts';
import { movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';
import { brokenChains } from './chain.ts';
import { addEndpoint, newAccount, pay, queued, type RunningNode, runNode, toldIn } from './told-node.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Waiting {
  readonly queueId: string;
  readonly message: QueuedMessage;
}

async function messagesIn({ readModels }: Service): Promise<readonly Waiting[]> {
  const found: Waiting[] = [];
  for await (const { id, doc } of allOf(readModels, webhookQueues, { where: {} }))
    if (doc.status !== 'absent') found.push(...doc.messages.map((message) => ({ queueId: id, message })));
  return found;
}

describe('a receiver that is down', () => {
  const world = movableWorld();
  const received: PostCall[] = [];
  let isUp = false;
  const post: Post = async (call) => {
    if (!isUp) return { fault: 'connect ECONNREFUSED' };
    received.push(call);
    return { status: 200, body: '' };
  };
  let node: RunningNode;
  let endpointId: string;
  const payments: string[] = [];
  let begun: number;
  before(async () => {
    node = await runNode(await memoryStores(world), { post });
    const accountId = await newAccount(node.service);
    endpointId = await addEndpoint(node.service, accountId, 'http://down.example/');
    begun = world.now();
    // Three days of retries, and a payment each day meanwhile.
    for (let day = 0; day < 3; day += 1) {
      await passTo(begun + day * DAY_MS);
      payments.push(await pay(node.service, accountId));
    }
    await passTo(begun + 3 * DAY_MS);
  });
  after(() => node.end());

  /** Moves the clock from one attempt to the next: whatever is due by then has been tried at its time. */
  async function passTo(end: number): Promise<void> {
    for (;;) {
      await until(async () => (await messagesIn(node.service)).length >= payments.length);
      const dues = (await messagesIn(node.service)).flatMap(({ message: { dueAt } }) => dueAt ?? []);
      const next = Math.min(end, ...dues);
      world.advance(Math.max(0, next - world.now()));
      node.service.lookAtOnce();
      await until(async () =>
        (await messagesIn(node.service)).every(({ message: { dueAt } }) => dueAt === undefined || dueAt > world.now()),
      );
      if (next === end) return;
    }
  }

  const messageOf = async (paymentId = ''): Promise<QueuedMessage | undefined> =>
    (await messagesIn(node.service)).find(({ queueId }) => queueId === `${endpointId}.${paymentId}`)?.message;

  it('for three days is tried at the published times, each up to a fifth later', async () => {
    const failed: { readonly at: number; readonly next: number }[] = [];
    for await (const { event } of node.service.streams.webhookQueues.history(`${endpointId}.${payments[0]}`, -1))
      if (event.type === 'DeliveryFailed')
        failed.push({ at: event.data.at, next: event.data.nextAttemptAt ?? Number.NaN });
    expect(failed.length).to.be.within(8, 9); // the nine retries last three days and a bit
    const waits = failed.map(({ at, next }, index) => (next - at) / (RETRY_DELAYS[index] ?? 0));
    for (const wait of waits) expect(wait).to.be.within(1, 1.2);
    expect(new Set(waits).size).to.equal(waits.length);
    for (const [index, { at }] of failed.slice(1).entries())
      expect(at).to.be.at.least(failed[index]?.next ?? Number.NaN);
    const first = await messageOf(payments[0]);
    expect(first).to.deep.include({ status: 'waiting' });
  });

  it('gets every message after it came up, in an unbroken chain', async () => {
    isUp = true;
    await passTo(begun + 5 * DAY_MS);
    expect(await queued(node.service)).to.deep.equal({ delivered: 3 });
    const told = received.map(({ body }) => toldIn(body));
    expect(told.map(({ subjectId }) => subjectId)).to.have.members(payments);
    expect(brokenChains(told)).to.deep.equal([]);
  });

  it('for longer keeps its endpoint, and gets a message that was given up when it is resent', async () => {
    isUp = false;
    const { accountId } = await stateOf(endpointId);
    payments.push(await pay(node.service, accountId));
    await passTo(world.now() + 5 * DAY_MS);
    const given = await messageOf(payments[3]);
    expect(given)
      .to.include({ status: 'failed', tries: 1 + RETRY_DELAYS.length })
      .and.not.have.property('dueAt');
    expect(await stateOf(endpointId)).to.include({ status: 'enabled' });
    isUp = true;
    const resent = await node.service.webhooks.resendWebhook(`${endpointId}.${payments[3]}.${given?.sequence}`);
    expect(resent.kind).to.equal('completed');
    await until(async () => (await queued(node.service))['delivered'] === 4);
    expect(node.reported).to.deep.equal([]);
  });

  async function stateOf(id: string) {
    const { state } = await node.service.streams.webhookEndpoints.current(id);
    if (state.status === 'absent') throw new Error(`there is no ${id}`);
    return state;
  }
});

/** How much slower the clock of deadlines is: that of a call is 10 s (contract §8), and a slow machine needs longer. */
const SLOWER = 10;

/** No deadline ends a call that hangs: only the test does. */
function unhurried(): World {
  const world = movableWorld();
  return { ...world, monotonic: () => world.monotonic() / SLOWER };
}

describe('a call that hangs', () => {
  it('delays no message about another payment, to the same receiver', async () => {
    const hung = new Gate();
    const called: string[] = [];
    const taken: string[] = [];
    const post: Post = async ({ body }) => {
      const { subjectId: paymentId } = toldIn(body);
      if (called.push(paymentId) === 2) await hung.pass();
      taken.push(paymentId);
      return { status: 200, body: '' };
    };
    const node = await runNode(await memoryStores(unhurried()), { post });
    const accountId = await newAccount(node.service);
    await addEndpoint(node.service, accountId, 'http://hangs.example/');
    const first = await pay(node.service, accountId);
    await until(() => taken.length === 1); // from now on it gets several calls at a time
    const second = await pay(node.service, accountId);
    await until(() => called.length === 2);
    const later = [await pay(node.service, accountId), await pay(node.service, accountId)];
    await until(async () => (await queued(node.service))['delivered'] === 3);
    expect(taken).to.have.members([first, ...later]);
    hung.open();
    await until(() => taken.at(-1) === second);
    expect(called).to.have.length(4);
    await node.end();
  });
});

describe('one slow receiver among fifty', () => {
  const ENDPOINTS = 50;
  /**
   * Calls that one receiver gets at a time: as many messages of the slow one hang as would fill a queue that all
   * shared.
   */
  const AT_ONCE = 16;
  const LATER = 3;

  it('delays none of the others, whose messages are all delivered before any of its calls is over', async () => {
    const hung = new Gate();
    let slow = '';
    let hanging = 0;
    let taken = 0;
    const node = await runNode(await memoryStores(unhurried()), {
      post: async ({ url }) => {
        if (url === slow) {
          hanging += 1;
          await hung.pass();
        }
        taken += 1;
        return { status: 200, body: '' };
      },
    });
    const accountId = await newAccount(node.service);
    const ids: string[] = [];
    for (let index = 0; index < ENDPOINTS; index += 1)
      ids.push(await addEndpoint(node.service, accountId, `http://${index}.example/`));
    await pay(node.service, accountId);
    await until(() => taken === ENDPOINTS); // from now on each gets as many calls at a time as there may be
    slow = 'http://7.example/';
    let expected = ENDPOINTS;
    const payAndTell = async (): Promise<void> => {
      await pay(node.service, accountId);
      expected += ENDPOINTS - 1;
      await until(() => taken === expected);
    };
    for (let made = 0; made < AT_ONCE + LATER; made += 1) await payAndTell();
    expect(hanging).to.be.within(AT_ONCE, AT_ONCE + 1); // one more where it took its first message quickly
    await until(async () => (await queued(node.service))['delivered'] === expected);
    const ofSlow = (await messagesIn(node.service)).filter(({ queueId }) => queueId.startsWith(`${ids[7]}.`));
    expect(ofSlow.filter(({ message: { attempts } }) => attempts.length === 0).length).to.equal(AT_ONCE + LATER);
    hung.open();
    await until(async () => (await queued(node.service))['waiting'] === undefined);
    await node.end();
    expect(node.reported).to.deep.equal([]);
  });
});

describe('a store that is unavailable while receivers answer', () => {
  it('loses no message, and makes no call again that only waits for its record', async () => {
    const fault = new StoreUnavailable('the store is unavailable');
    const calls: string[] = [];
    let isCut = false;
    let refused = 0;
    const switches: Switches = {
      get beforeAppend() {
        if (isCut) refused += 1;
        return isCut ? fault : undefined;
      },
    };
    const node = await runNode(switchable(switches)(await memoryStores()), {
      post: async ({ url, body }) => {
        calls.push(`${url} ${toldIn(body).eventId}`);
        isCut = calls.length < 3;
        return { status: 200, body: '' };
      },
    });
    const accountId = await newAccount(node.service);
    for (const name of ['one', 'two']) await addEndpoint(node.service, accountId, `http://${name}.example/`);
    await pay(node.service, accountId);
    await until(() => calls.length === 2);
    await until(async () => (await queued(node.service))['waiting'] === 2);
    switches.readModels = new StoreUnavailable('the read models are unavailable');
    await until(() => refused > 7); // looked at twice for each append: both records were tried again
    delete switches.readModels;
    isCut = false;
    await until(async () => (await queued(node.service))['delivered'] === 2);
    expect(calls).to.have.length(2);
    await node.end();
  });
});

describe('a message that cannot be told for a while', () => {
  it('leaves those on record that were taken before it', async () => {
    const fault = new StoreUnavailable('the store is unavailable');
    let isUp = false;
    let isCut = false;
    let refused = 0;
    const switches: Switches = {
      get events() {
        if (isCut) refused += 1;
        return isCut ? fault : undefined;
      },
    };
    const taken: number[] = [];
    const world = movableWorld();
    const stores = switchable(switches)(await memoryStores(world));
    const post: Post = async ({ body }) => {
      if (!isUp) return { fault: 'connect ECONNREFUSED' };
      taken.push(toldIn(body).sequence);
      isCut = taken.length === 1;
      return { status: 200, body: '' };
    };
    const before = await runNode(stores, { post });
    const accountId = await newAccount(before.service);
    await addEndpoint(before.service, accountId, 'http://one.example/');
    const id = await pay(before.service, accountId, { captured: true });
    await before.service.payments.refundPayment(id, {}, merchant(accountId, world));
    await until(async () => (await messagesIn(before.service)).filter(({ message }) => message.tries > 0).length === 3);
    await before.end();
    const node = await runNode(stores, { post }); // has to read the payment
    isUp = true;
    world.advance(HOUR_MS);
    node.service.lookAtOnce();
    await until(() => refused > 1);
    isCut = false;
    world.advance(HOUR_MS);
    node.service.lookAtOnce();
    await until(async () => (await queued(node.service))['delivered'] === 3);
    expect(taken).to.have.length(3);
    await node.end();
  });
});
