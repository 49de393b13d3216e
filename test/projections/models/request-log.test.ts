// The request log keeps the newest thousand requests of an account, however many processes write them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  forgetRequests,
  KEPT_REQUESTS,
  loggedRequests,
  NOTED_OF_SESSION,
  type NotedRequest,
  RequestLog,
} from '../../../src/projections/models/request-log.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../../src/stores/read-models.ts';
import { openSqliteReadModels } from '../../../src/stores/sqlite/read-models.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { startServer } from '../../stores/mongodb-server.ts';
import { calmWorld } from '../../support/calm-world.ts';

const noted = (n: number, accountId = 'acc_1'): NotedRequest => ({
  accountId,
  at: n,
  ms: 1.5,
  method: 'GET',
  route: '/payments/:id',
  status: 200,
  requestId: `req_${n}`,
  keyId: 'key_1',
});
const idsIn = async (readModels: ReadModels, accountId = 'acc_1') =>
  (await loggedRequests(readModels, accountId)).map(({ requestId }) => requestId);
const newest = (last: number, count: number) => Array.from({ length: count }, (_, place) => `req_${last - place}`);

const newestTimes = (last: number, count: number) => Array.from({ length: count }, (_, place) => last - place);

describe('the request log', () => {
  it('keeps the newest thousand requests of each account, newest first', async () => {
    const readModels = memoryReadModels();
    const log = new RequestLog(readModels, calmWorld);
    expect(await idsIn(readModels)).to.deep.equal([]);
    log.note(noted(1, 'acc_2'));
    let n = 0;
    for (const batch of [1, 49, 3, 700, 1, 50, 1_300, 7]) {
      for (let count = 0; count < batch; count += 1) log.note(noted(n++));
      await log.write();
      expect(await idsIn(readModels)).to.deep.equal(newest(n - 1, Math.min(n, KEPT_REQUESTS)));
    }
    expect(await idsIn(readModels, 'acc_2')).to.deep.equal(['req_1']);
  });

  it('keeps the requests of API keys whatever checkouts ask, and those of a checkout whatever another one asks', async () => {
    const readModels = memoryReadModels();
    const log = new RequestLog(readModels, calmWorld);
    const ofCheckout = (n: number, sessionId: string): NotedRequest => {
      const { keyId: _key, ...request } = noted(n);
      return { ...request, sessionId };
    };
    for (let n = 0; n < 35; n += 1) log.note(noted(n));
    log.note(ofCheckout(35, 'cs_other'));
    await log.write();
    for (let n = 36; n < 6_400; n += 1) log.note(ofCheckout(n, 'cs_greedy'));
    log.note(noted(6_400));
    await log.write();
    const kept = await loggedRequests(readModels, 'acc_1');
    expect(kept.map(({ at }) => at)).to.deep.equal(kept.map(({ at }) => at).toSorted((a, b) => b - a));
    expect(kept.filter(({ keyId }) => keyId !== undefined).map(({ at }) => at)).to.deep.equal([
      6_400,
      ...newestTimes(34, 35),
    ]);
    expect(kept.filter(({ sessionId }) => sessionId === 'cs_other')).to.have.length(1);
    expect(kept.filter(({ sessionId }) => sessionId === 'cs_greedy')).to.have.length(NOTED_OF_SESSION);
  });

  it('gives each request an id that it keeps while the ring goes on, of which a page holds nothing', async () => {
    const readModels = memoryReadModels();
    const log = new RequestLog(readModels, calmWorld);
    const idsByRequest = async () =>
      new Map((await loggedRequests(readModels, 'acc_1')).map(({ id, requestId }) => [requestId, id]));
    const { keyId: _key, ...ofCheckout } = noted(0);
    const seen = new Map<string, string>();
    let n = 0;
    for (const batch of [3, 60, 900, 70, 1_200]) {
      for (let count = 0; count < batch; count += 1) log.note(noted(n++));
      log.note({ ...ofCheckout, sessionId: 'cs_1', requestId: `req_of_shopper_${n}` });
      await log.write();
      for (const [requestId, id] of await idsByRequest()) {
        expect(seen.get(requestId) ?? id, requestId).to.equal(id);
        seen.set(requestId, id);
      }
    }
    expect(new Set(seen.values()).size).to.equal(seen.size);
    expect([...seen.values()].every((id) => /^rq_[0-9a-f]{1,64}$/.test(id))).to.equal(true);
    const [page] = await readModels.get({ name: 'request-log', version: 1, keys: {}, indexes: [] }, ['acc_1.0']);
    expect(JSON.stringify(page?.doc)).not.to.contain('rq_');
  });

  it('reads pages of earlier versions, whose requests have ids of their own', async () => {
    const readModels = memoryReadModels();
    const { accountId: _account, ...request } = noted(1);
    const doc = { page: 0, writes: 1, entries: [{ id: 'rq_0fed', ...request }] };
    await readModels.write({ name: 'request-log', version: 1, keys: {}, indexes: [] }, [
      { id: 'acc_1.0', revision: 1, doc },
    ]);
    const log = new RequestLog(readModels, calmWorld);
    log.note(noted(2));
    await log.write();
    expect((await loggedRequests(readModels, 'acc_1')).map(({ id }) => id)).to.deep.equal(['rq_a1', 'rq_0fed']);
  });

  it('takes no more memory when requests come faster than it writes', async () => {
    const readModels = memoryReadModels();
    const log = new RequestLog(readModels, calmWorld);
    for (let n = 0; n < 12_345; n += 1) log.note(noted(n));
    await log.write();
    expect(await idsIn(readModels)).to.deep.equal(newest(12_344, KEPT_REQUESTS));
  });

  it('leaves requests out while the store is unavailable, and goes on after that', async () => {
    const readModels = memoryReadModels();
    let isThere = false;
    const write: ReadModels['write'] = async (of, rows) => {
      if (!isThere) throw new StoreUnavailable('the read models');
      return readModels.write(of, rows);
    };
    const log = new RequestLog({ get: readModels.get, write }, calmWorld);
    log.note(noted(1));
    const failed = await log.write().catch((fault: unknown) => fault);
    expect(failed).to.be.instanceOf(StoreUnavailable);
    isThere = true;
    log.note(noted(2));
    await log.write();
    expect(await idsIn(readModels)).to.deep.equal(['req_2']);
  });

  it('has a request once when the store wrote it without saying so', async () => {
    const readModels = memoryReadModels();
    let isSilent = true;
    const write: ReadModels['write'] = async (of, rows) => {
      const written = await readModels.write(of, rows);
      const told = isSilent ? [] : written;
      isSilent = false;
      return told;
    };
    const log = new RequestLog({ get: readModels.get, write }, calmWorld);
    log.note(noted(1));
    await log.write();
    expect(await idsIn(readModels)).to.deep.equal(['req_1']);
  });

  it('forgets requests from before a time, and gives no id again', async () => {
    const readModels = memoryReadModels();
    const log = new RequestLog(readModels, calmWorld);
    const nothing = async (): Promise<void> => undefined;
    for (let n = 0; n < 130; n += 1) log.note(noted(n));
    log.note(noted(7, 'acc_2'));
    await log.write();
    const before = await loggedRequests(readModels, 'acc_1');
    expect(await forgetRequests(readModels, 120, nothing)).to.equal(121);
    expect(await forgetRequests(readModels, 120, nothing)).to.equal(0);
    expect(await loggedRequests(readModels, 'acc_1')).to.deep.equal(before.slice(0, 10));
    expect(await idsIn(readModels, 'acc_2')).to.deep.equal([]);
    for (let n = 130; n < 200; n += 1) log.note(noted(n)); // the page that this process remembers has changed
    await log.write();
    expect(await idsIn(readModels)).to.deep.equal(newest(199, 80));
    const ids = [...before, ...(await loggedRequests(readModels, 'acc_1'))].map(
      ({ id, requestId }) => `${id} ${requestId}`,
    );
    expect(new Set(ids.map((one) => one.split(' ')[0])).size).to.equal(new Set(ids).size);
    expect(await forgetRequests(readModels, 1_000, nothing)).to.equal(80);
    log.note(noted(1_000));
    await new RequestLog(readModels, calmWorld).write();
    await log.write();
    expect(await idsIn(readModels)).to.deep.equal(['req_1000']);
  });

  it('forgets page by page, and keeps a request that is noted at the same moment', async () => {
    const readModels = memoryReadModels();
    const log = new RequestLog(readModels, calmWorld);
    for (let account = 0; account < 60; account += 1) log.note(noted(account, `acc_${account}`));
    await log.write();
    let rests = 0;
    const meanwhile: Pick<ReadModels, 'find' | 'write'> = {
      find: async (...query) => {
        const rows = await readModels.find(...query);
        if (rests === 0) {
          log.note(noted(500, 'acc_1'));
          await log.write();
        }
        return rows;
      },
      write: (...row) => readModels.write(...row),
    };
    const rest = async (): Promise<void> => {
      rests += 1;
    };
    expect(await forgetRequests(meanwhile, 400, rest)).to.equal(59);
    expect(rests).to.equal(1);
    expect(await idsIn(readModels)).to.deep.equal(['req_500', 'req_1']);
    expect(await forgetRequests(readModels, 400, rest)).to.equal(1);
    expect(await idsIn(readModels)).to.deep.equal(['req_500']);
  });

  it('loses no request of two processes that write one directory at the same time', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'counterfoil-requests-'));
    const open = () =>
      openSqliteReadModels({
        file: join(directory, 'read-models.db'),
        world: calmWorld,
        report: (fault) => expect.fail(String(fault)),
      });
    const stores = [await open(), await open()] as const;
    const logs = stores.map((store) => new RequestLog(store, calmWorld));
    let n = 0;
    for (let round = 0; round < 60; round += 1) {
      for (const log of logs) for (let count = 0; count < 1 + ((round * 7) % 20); count += 1) log.note(noted(n++));
      await Promise.all(logs.map((log) => log.write()));
    }
    expect(n).to.be.greaterThan(KEPT_REQUESTS);
    const found = await Promise.all(stores.map((store) => idsIn(store)));
    for (const store of stores) await store.close();
    await rm(directory, { recursive: true });
    for (const ids of found) expect(ids).to.have.members(newest(n - 1, KEPT_REQUESTS));
  });

  it('does the same in MongoDB, whose documents are guarded by their revision', async () => {
    const server = await startServer();
    try {
      const stores = [await server.open(), await server.open()] as const;
      const logs = stores.map((store) => new RequestLog(store, calmWorld));
      let n = 0;
      for (let round = 0; round < 12; round += 1) {
        for (const log of logs) for (let count = 0; count < 20 + round * 5; count += 1) log.note(noted(n++));
        await Promise.all(logs.map((log) => log.write()));
      }
      expect(n).to.be.greaterThan(KEPT_REQUESTS);
      for (const store of stores) expect(await idsIn(store)).to.have.members(newest(n - 1, KEPT_REQUESTS));
      expect(await idsIn(stores[0], 'acc_2')).to.deep.equal([]);
    } finally {
      await server.dispose();
    }
  });
});
