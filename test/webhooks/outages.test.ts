// Webhooks while something is down: a receiver for days, one slow receiver among many, a store for a while.
import { expect } from 'chai';
import type { Post, PostCall } from '../../src/commands/webhooks/post.ts';
import { RETRY_DELAYS } from '../../src/domain/webhook-queue/retries.ts';
import type { QueuedMessage } from '../../src/domain/webhook-queue/state.ts';
import { webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { allOf } from '../../src/queries/pages.ts';
import type { Service } from '../../src/service.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
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
    const first = await messageOf(payments[0]);
    const at = first?.attempts.map((attempt) => attempt.at) ?? [];
    expect(at.length).to.be.within(8, 9); // the nine retries last three days and a bit
    const waits = at.slice(1).map((time, index) => (time - (at[index] ?? 0)) / (RETRY_DELAYS[index] ?? 0));
    for (const wait of waits) expect(wait).to.be.within(1, 1.5); // the machine's own delay is in it
    for (const wait of waits.slice(2)) expect(wait).to.be.within(1, 1.201);
    expect(new Set(waits).size).to.equal(waits.length);
    expect(first).to.deep.include({ status: 'waiting' });
  });

  it('gets every message after it came up, in an unbroken chain', async () => {
    isUp = true;
    await passTo(begun + 5 * DAY_MS);
    expect(await queued(node.service)).to.deep.equal({ delivered: 3 });
    const told = received.map(({ body }) => toldIn(body));
    expect(told.map(({ paymentId }) => paymentId)).to.have.members(payments);
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

describe('one slow receiver among fifty', () => {
  const ENDPOINTS = 50;
  const PAYMENTS = 12;

  it('delays none of the others', async () => {
    const hung = new Gate();
    const arrived = new Map<string, number>(); // by payment and URL
    const world = movableWorld();
    let slow = '';
    const node = await runNode(await memoryStores(world), {
      post: async ({ url, body }) => {
        arrived.set(`${toldIn(body).paymentId} ${url}`, world.monotonic());
        if (url === slow) await hung.pass();
        return { status: 200, body: '' };
      },
    });
    const accountId = await newAccount(node.service);
    const urls = Array.from({ length: ENDPOINTS }, (_, index) => `http://${index}.example/`);
    for (const url of urls) await addEndpoint(node.service, accountId, url);
    /** How long the messages of some payments took to the fast ones, ms, the shortest first. */
    const latencies = async (): Promise<readonly number[]> => {
      const took: number[] = [];
      for (let made = 0; made < PAYMENTS; made += 1) {
        const at = world.monotonic();
        const id = await pay(node.service, accountId);
        const fast = urls.filter((url) => url !== slow).map((url) => `${id} ${url}`);
        await until(() => fast.every((one) => arrived.has(one)));
        took.push(...fast.map((one) => (arrived.get(one) ?? Number.POSITIVE_INFINITY) - at));
      }
      return took.sort((a, b) => a - b);
    };
    const p99 = (all: readonly number[]): number => all[Math.floor(0.99 * all.length)] ?? Number.NaN;
    await latencies(); // warm
    const without = p99(await latencies());
    slow = urls[7] ?? '';
    const beside = p99(await latencies());
    hung.open();
    await node.end();
    console.log(`      p99 of the others: ${without.toFixed(0)} ms with all fast, ${beside.toFixed(0)} ms beside a slow one`);
    expect(beside).to.be.below(3 * without + 500); // a deadline that was waited for would be 10 s
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
    const node = await runNode(switchable(switches)(await memoryStores(world)), {
      post: async ({ body }) => {
        if (!isUp) return { fault: 'connect ECONNREFUSED' };
        taken.push(toldIn(body).sequence);
        isCut = taken.length === 1;
        return { status: 200, body: '' };
      },
    });
    const accountId = await newAccount(node.service);
    await addEndpoint(node.service, accountId, 'http://one.example/');
    const id = await pay(node.service, accountId, { captured: true });
    await node.service.payments.refundPayment(id, {}, merchant(accountId, world));
    await until(async () => (await messagesIn(node.service)).filter(({ message }) => message.tries > 0).length === 3);
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
