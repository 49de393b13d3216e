// What is over leaves the read models after its days, in a rebuild too; what is owed stays, and the log keeps all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Post } from '../../src/commands/webhooks/post.ts';
import { deliveryIdOf } from '../../src/commands/webhooks/resend-message.ts';
import { RETRY_DELAYS } from '../../src/domain/webhook-queue/decide.ts';
import { removeDiscarded } from '../../src/policies/leave-after-days.ts';
import { removeOver } from '../../src/projections/engine/remove-over.ts';
import { loggedRequests, RequestLog } from '../../src/projections/models/request-log.ts';
import { webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { listDeliveries } from '../../src/queries/list-deliveries.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../src/stores/read-models.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { openPrometheus } from '../../src/telemetry/prometheus.ts';
import { startServer } from '../stores/mongodb-server.ts';
import { calmWorld } from '../support/calm-world.ts';
import { memoryStores, nodeOn, type Stores } from '../support/node.ts';
import { nodeArguments, scriptBeside } from '../support/script.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';
import { addEndpoint, newAccount, pay, type RunningNode, runNode } from '../webhooks/told-node.ts';
import { orders } from './leaving-child.ts';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 90;
const HOUR_MS = 3_600_000;

/** Opens read models, and says how they end. */
type Opened = Pick<Stores, 'readModels'> & { readonly end: () => Promise<void> };

const inMemory = async (): Promise<Opened> => ({ readModels: memoryReadModels(), end: async () => undefined });
const inSqlite = async (): Promise<Opened> => {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-leaving-'));
  const readModels = await openSqliteReadModels({
    file: join(directory, 'read-models.db'),
    world: calmWorld,
    report: (fault) => expect.fail(String(fault)),
  });
  return {
    readModels,
    end: async () => {
      await readModels.close();
      await rm(directory, { recursive: true });
    },
  };
};
const inMongoDb = async (): Promise<Opened> => {
  const server = await startServer();
  return { readModels: await server.open(), end: () => server.dispose() };
};

for (const [name, open] of [
  ['memory', inMemory],
  ['SQLite', inSqlite],
  ['MongoDB', inMongoDb],
] as const)
  describe(`deliveries that are over, in ${name}`, () => deliveriesThatAreOver(open));

function deliveriesThatAreOver(open: () => Promise<Opened>): void {
  let world: MovableWorld;
  let stores: Stores;
  let opened: Opened;
  let node: RunningNode;
  let answering: Post;
  let accountId: string;
  let endpointId: string;
  let called: number;
  beforeEach(async () => {
    world = movableWorld();
    opened = await open();
    stores = { ...(await memoryStores(world)), readModels: opened.readModels };
    answering = async () => ({ status: 204, body: '' });
    called = 0;
    const post: Post = (...call) => {
      called += 1;
      return answering(...call);
    };
    node = await runNode(stores, { post, keptDays: { deliveries: KEPT_DAYS } });
    accountId = await newAccount(node.service);
    endpointId = await addEndpoint(node.service, accountId, 'https://shop.example/hook');
  });
  afterEach(async () => {
    await node.end();
    await opened.end();
  });

  const listed = async (): Promise<readonly string[]> => {
    const page = await listDeliveries(node.service.readModels, { accountId }, 100);
    return page.deliveries.map(({ queue, message }) => `${queue.paymentId} ${message.status}`);
  };
  const attemptsOf = async (paymentId: string): Promise<number> => {
    const { deliveries } = await listDeliveries(node.service.readModels, { paymentId }, 100);
    return deliveries[0]?.message.attempts.length ?? 0;
  };
  /** How many queues are removed now. */
  const removed = (): Promise<number> =>
    removeOver(
      node.service.readModels,
      webhookQueues,
      webhookQueues.overSince,
      world.now() - KEPT_DAYS * DAY_MS,
      async () => undefined,
    );
  const moveOn = (ms: number): void => {
    world.advance(ms);
    node.service.lookAtOnce();
  };
  /** A payment whose message was delivered. */
  const delivered = async (): Promise<string> => {
    const id = await pay(node.service, accountId);
    await until(async () => (await listed()).includes(`${id} delivered`));
    return id;
  };

  it('leave after their days and not before; the queue’s events stay', async () => {
    const old = await delivered();
    moveOn(DAY_MS);
    const young = await delivered();
    moveOn((KEPT_DAYS - 1) * DAY_MS);
    await until(async () => (await listed()).length === 1);
    expect(await listed()).to.deep.equal([`${young} delivered`]);
    const { state } = await node.service.streams.webhookQueues.current(`${endpointId}.${old}`);
    expect(state).to.deep.include({ status: 'queue', paymentId: old });
  });

  it('stay while a message is owed, and for their days after the last retry has failed', async () => {
    answering = async () => ({ status: 503, body: '' });
    const id = await pay(node.service, accountId);
    await until(async () => (await listed()).includes(`${id} waiting`));
    for (let attempt = 1; attempt <= RETRY_DELAYS.length + 1; attempt += 1) {
      await until(async () => (await attemptsOf(id)) === attempt);
      expect(await removed()).to.equal(0);
      moveOn(30 * HOUR_MS); // longer than any delay
    }
    await until(async () => (await listed()).includes(`${id} failed`));
    moveOn((KEPT_DAYS - 3) * DAY_MS);
    expect(await removed()).to.equal(0);
    expect(await listed()).to.deep.equal([`${id} failed`]);
    moveOn(3 * DAY_MS);
    await until(async () => (await listed()).length === 0);
  });

  it('come back whole with a later message of the same payment, and can be resent after they left', async () => {
    const id = await delivered();
    moveOn(KEPT_DAYS * DAY_MS);
    await until(async () => (await listed()).length === 0);
    const queueId = `${endpointId}.${id}`;
    const { state } = await node.service.streams.webhookQueues.current(queueId);
    const sequence = state.status === 'absent' ? -1 : (state.messages[0]?.sequence ?? -1);
    const calls = called;
    const resent = await node.service.webhooks.resendWebhook(deliveryIdOf(queueId, sequence));
    expect(resent).to.not.have.property('kind', 'rejected');
    await until(async () => called === calls + 1 && (await listed()).includes(`${id} delivered`));
    expect(await attemptsOf(id)).to.equal(2);
  });

  it('stay for ever without the setting', async () => {
    const forever = await runNode(stores, { post: async () => ({ status: 204, body: '' }) });
    const id = await delivered();
    await node.end();
    world.advance(10_000 * DAY_MS);
    const rebuilt = await forever.service.projections.rebuild(webhookQueues.name);
    expect(rebuilt).to.include({ equal: true, documents: 1 });
    expect(await listed()).to.deep.equal([`${id} delivered`]);
    await forever.end();
  });

  it('leave when their endpoint ended that long ago, even if a message still waited; those of others stay', async () => {
    answering = async () => ({ status: 503, body: '' });
    const id = await pay(node.service, accountId);
    await until(async () => (await attemptsOf(id)) === 1);
    expect(await node.service.webhooks.deleteWebhookEndpoint(endpointId)).to.not.have.property('kind', 'rejected');
    const other = await addEndpoint(node.service, accountId, 'https://shop.example/other');
    const paid = await pay(node.service, accountId);
    await until(async () => (await attemptsOf(paid)) === 1);
    await node.end();
    world.advance(KEPT_DAYS * DAY_MS);
    const { readModels } = node.service;
    const nothing = async (): Promise<void> => undefined;
    expect(await removeDiscarded(readModels, world.now() - (KEPT_DAYS + 1) * DAY_MS, nothing)).to.equal(0);
    expect(await removeDiscarded(readModels, world.now() - KEPT_DAYS * DAY_MS, nothing)).to.equal(1);
    const ids = [`${endpointId}.${id}`, `${other}.${paid}`];
    expect((await readModels.get(webhookQueues, ids)).map((row) => row.id)).to.deep.equal([`${other}.${paid}`]);
  });

  it('are left out by a rebuild, which proves equal whether or not the live read model still has them', async () => {
    const old = await delivered();
    world.advance(DAY_MS);
    const young = await delivered();
    await node.end(); // nothing removes while no service runs
    world.advance((KEPT_DAYS - 1) * DAY_MS);
    const rebuilt = await node.service.projections.rebuild(webhookQueues.name);
    expect(rebuilt).to.include({ equal: true, different: 0, swapped: true });
    const ids = await node.service.readModels.get(webhookQueues, [`${endpointId}.${old}`, `${endpointId}.${young}`]);
    expect(ids.map(({ id }) => id)).to.deep.equal([`${endpointId}.${young}`]);
    const again = await node.service.projections.rebuild(webhookQueues.name);
    expect(again).to.include({ equal: true, different: 0, documents: 1, digestBefore: again.digestAfter });
  });
}

describe('a service with days for what is over', () => {
  it('forgets requests after theirs, counts what left, and keeps all without the setting', async () => {
    const world = movableWorld();
    const stores = await memoryStores(world);
    const meters = openPrometheus({ version: '1', node: 'a', limits: [] });
    const post: Post = async () => ({ status: 204, body: '' });
    const note = async (requestId: string): Promise<void> => {
      const log = new RequestLog(stores.readModels, world);
      const request = { accountId: 'acc_1', at: world.now(), ms: 1, method: 'GET', route: '/payments', status: 200 };
      log.note({ ...request, requestId, keyId: 'key_1' });
      await log.write();
    };
    const noted = async (): Promise<readonly string[]> =>
      (await loggedRequests(stores.readModels, 'acc_1')).map(({ requestId }) => requestId);
    const forever = await runNode(stores, { post });
    await note('first');
    world.advance(29 * DAY_MS);
    await note('second');
    world.advance(DAY_MS);
    forever.service.lookAtOnce();
    await forever.end();
    expect(await noted()).to.deep.equal(['second', 'first']);
    const sinks = { meters, spans: undefined, world };
    const node = await nodeOn(stores, { post, keptDays: { requestLog: 30 }, sinks });
    const over = new AbortController();
    const work = node.service.run(over.signal);
    const counted = 'counterfoil_left_after_days_total{kind="requests"} 1';
    await until(async () => (await meters.text()).includes(counted));
    over.abort();
    await work;
    expect(await noted()).to.deep.equal(['second']);
    expect([...node.reported, ...forever.reported]).to.deep.equal([]);
  });
});

describe('the removal of what is over', () => {
  const COUNT = 250;
  const withOrders = async (readModels: ReadModels = memoryReadModels()) => {
    const of = orders();
    const ids = Array.from({ length: COUNT }, (_, n) => `o-${n}`);
    await readModels.write(
      of,
      ids.map((id, n) => ({ id, revision: 3, doc: { endedAt: n % 10 } })),
    );
    return { of, readModels };
  };

  it('goes on where it was cut off, page by page, and leaves younger documents', async () => {
    const { of, readModels } = await withOrders();
    const cutOff = async (): Promise<void> => {
      throw new Error('killed');
    };
    const fault = await removeOver(readModels, of, 'endedAt', 8, cutOff).catch((one: Error) => one.message);
    expect([fault, await readModels.count(of)]).to.deep.equal(['killed', COUNT - 100]);
    let rests = 0;
    const rest = async (): Promise<void> => {
      rests += 1;
    };
    expect(await removeOver(readModels, of, 'endedAt', 8, rest)).to.equal(125);
    expect([rests, await readModels.count(of)]).to.deep.equal([1, 25]);
  });

  for (const step of ['found 0', 'removing 0', 'removed 0', 'found 1', 'removing 1', 'removed 1', 'removing 2'])
    it(`goes on in the next process after kill -9, ${step}`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'counterfoil-leaving-'));
      const file = join(directory, 'read-models.db');
      const open = () =>
        openSqliteReadModels({ file, world: calmWorld, report: (fault) => expect.fail(String(fault)) });
      /** The signal that ended the process. */
      const run = async (...killedAt: readonly string[]): Promise<unknown> => {
        const script = nodeArguments(scriptBeside('./leaving-child', import.meta.url), file, ...killedAt);
        const [, signal] = await once(spawn(process.execPath, script, { stdio: 'inherit' }), 'close');
        return signal;
      };
      try {
        const { of, readModels } = await withOrders(await open());
        await readModels.close();
        expect(await run(step)).to.equal('SIGKILL');
        const between = await open();
        expect(COUNT - (await between.count(of))).to.be.oneOf([0, 100, 200, 225]); // whole pages
        await between.close();
        expect(await run()).to.equal(null);
        const afterwards = await open();
        const left = await afterwards.find(of, { where: {}, limit: COUNT });
        expect(left.map(({ doc }) => doc.endedAt)).to.deep.equal(Array.from({ length: 25 }, () => 9));
        await afterwards.close();
      } finally {
        await rm(directory, { recursive: true });
      }
    });

  it('by two nodes at once removes each document once, and none that changed meanwhile', async () => {
    const { of, readModels } = await withOrders();
    const changing: Pick<ReadModels, 'find' | 'remove'> = {
      find: async (...query) => {
        const rows = await readModels.find(...query);
        await readModels.write(of, [{ id: 'o-0', revision: 4, doc: { endedAt: 0 } }]);
        return rows;
      },
      remove: (from, rows) => readModels.remove(from, rows),
    };
    const nothing = async (): Promise<void> => undefined;
    const removed = await Promise.all([
      removeOver(changing, of, 'endedAt', 9, nothing),
      removeOver(changing, of, 'endedAt', 9, nothing),
    ]);
    expect(removed[0] + removed[1]).to.equal(COUNT - 1);
    expect(await readModels.get(of, ['o-0', 'o-1'])).to.have.length(1);
    expect(await removeOver(readModels, of, 'endedAt', 9, nothing)).to.equal(1);
  });
});
