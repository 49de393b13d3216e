// API keys whose documents were changed in the read models: refused and told, on every store that can be changed from
// outside.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import type { Scope } from '../../src/domain/scopes.ts';
import { defaultTimings } from '../../src/projections/engine/timings.ts';
import type { Service } from '../../src/service.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { startServer } from '../stores/mongodb-server.ts';
import { calmWorld } from '../support/calm-world.ts';
import { memoryStores, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { until } from '../support/until.ts';

/** A node learns of a generation within this time here. */
const engineTimings = { ...defaultTimings, pollMs: 10, joinMs: 100 };

interface Written {
  readonly revision: number;
  readonly text: string;
}

/** The read models of two nodes, and a hand that changes documents in the store without asking either. */
interface Tampered {
  readonly stores: readonly [ReadModelStore, ReadModelStore];
  readonly read: (keyId: string) => Promise<Written>;
  readonly put: (keyId: string, written: Written) => Promise<void>;
  readonly dispose: () => Promise<void>;
}

async function sqlite(): Promise<Tampered> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-keys-'));
  const open = () =>
    openSqliteReadModels({ file: join(directory, 'read-models.db'), world: calmWorld, report: () => undefined });
  const stores = [await open(), await open()] as const;
  const database = async () => {
    const newest =
      (await readdir(directory))
        .filter((name) => /\.api-keys\.\d+\.db$/.test(name))
        .sort()
        .at(-1) ?? '';
    return openDatabase({ file: join(directory, newest), synchronous: 'normal', busyTimeoutMs: 1_000, cacheKiB: 64 });
  };
  return {
    stores,
    async read(keyId) {
      const opened = await database();
      const row = opened
        .prepare<{ readonly revision: number; readonly doc: string }>(
          'SELECT revision, doc FROM "api-keys" WHERE id = ?',
        )
        .get(keyId);
      opened.close();
      if (row === undefined) throw new Error(`no document of ${keyId}`);
      return { revision: row.revision, text: row.doc };
    },
    async put(keyId, { revision, text }) {
      const opened = await database();
      opened.prepare('UPDATE "api-keys" SET doc = ?, revision = ? WHERE id = ?').run(text, revision, keyId);
      opened.close();
    },
    async dispose() {
      for (const store of stores) await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function mongodb(): Promise<Tampered> {
  const server = await startServer();
  const stores = [await server.open(), await server.open()] as const;
  const client = new MongoClient(server.loopback.url);
  const collection = async () => {
    const names = (await client.db().listCollections().toArray()).map(({ name }) => name);
    const newest =
      names
        .filter((name) => /^api-keys\.\d+$/.test(name))
        .sort()
        .at(-1) ?? '';
    return client.db().collection<{ readonly _id: string; readonly r: number; readonly t: string }>(newest);
  };
  return {
    stores,
    async read(keyId) {
      const row = await (await collection()).findOne({ _id: keyId });
      if (row === null) throw new Error(`no document of ${keyId}`);
      return { revision: row.r, text: row.t };
    },
    async put(keyId, { revision, text }) {
      await (await collection()).updateOne({ _id: keyId }, { $set: { r: revision, t: text } });
    },
    async dispose() {
      await client.close();
      await server.dispose();
    },
  };
}

for (const [name, open] of [
  ['SQLite', sqlite],
  ['MongoDB (loopback)', mongodb],
] as const) {
  describe(`Documents of API keys in ${name}`, () => {
    let tampered: Tampered;
    let nodes: readonly [TestNode, TestNode];
    let accountId: string;
    /** Added to the clock of the nodes, ms. */
    let aheadMs: number;
    let readsOfKeys: number;
    beforeEach(async () => {
      tampered = await open();
      [aheadMs, readsOfKeys] = [0, 0];
      const common: Stores = await memoryStores({ ...calmWorld, monotonic: () => calmWorld.monotonic() + aheadMs });
      const { events } = common;
      const read = events.read.bind(events);
      Object.assign(events, {
        read: (...asked: Parameters<EventStore['read']>) => {
          if (asked[0].startsWith('apiKey-')) readsOfKeys += 1;
          return read(...asked);
        },
      });
      const [one, other] = tampered.stores;
      nodes = [
        await nodeOn({ ...common, readModels: one }, { engineTimings }),
        await nodeOn({ ...common, readModels: other }, { engineTimings }),
      ];
      accountId = await accountOn(nodes[0].service);
    });
    afterEach(() => tampered.dispose());

    const made = async (
      scopes: readonly Scope[],
      of = accountId,
    ): Promise<{ readonly id: string; readonly key: string }> => {
      const key = await nodes[0].service.access.createApiKey({ accountId: of, name: 'till', scopes });
      if (key.kind === 'rejected') throw new Error(key.description);
      return key;
    };
    const holderOn = async ({ service }: TestNode, key: string) =>
      service.access.authentication.apiKey(key, service.world.now());
    const told = ({ reported }: TestNode, keyId: string): boolean =>
      reported.some((fault) => String(fault).includes('KeyNotAsRecorded') && String(fault).includes(keyId));

    it('count as long as they equal the record, and a change takes effect on the next request on every node', async () => {
      const { id, key } = await made(['transactions:retrieve']);
      for (const node of nodes)
        expect((await holderOn(node, key))?.scopes).to.deep.equal(new Set(['transactions:retrieve']));
      for (let turn = 0; turn < 10; turn += 1) {
        const scopes: readonly Scope[] = turn % 2 === 0 ? ['transactions:capture'] : ['transactions:refund'];
        await nodes[0].service.access.setApiKeyScopes(id, scopes);
        for (const node of nodes) expect((await holderOn(node, key))?.scopes).to.deep.equal(new Set(scopes));
      }
      await nodes[0].service.access.revokeApiKey(id);
      for (const node of nodes) expect(await holderOn(node, key)).to.equal(undefined);
      expect(nodes.flatMap(({ reported }) => reported)).to.deep.equal([]);
    });

    it('are compared with their streams by one request a second, however many come at once', async () => {
      const { key } = await made(['transactions:retrieve']);
      await holderOn(nodes[0], key);
      for (let second = 0; second < 2; second += 1) {
        aheadMs += 1_001;
        readsOfKeys = 0;
        const holders = await Promise.all(Array.from({ length: 64 }, () => holderOn(nodes[0], key)));
        expect(holders.filter((holder) => holder?.scopes.has('transactions:retrieve'))).to.have.length(64);
        expect(readsOfKeys).to.equal(1);
      }
    });

    it('are refused when a scope was added there, on nodes with and without a copy of the key, and told once', async () => {
      const { id, key } = await made(['transactions:retrieve']);
      await holderOn(nodes[0], key);
      const { revision, text } = await tampered.read(id);
      await tampered.put(id, {
        revision,
        text: text.replace('"transactions:retrieve"', '"transactions:retrieve","transactions:refund"'),
      });
      for (const node of nodes) {
        expect(await holderOn(node, key)).to.equal(undefined);
        expect(await holderOn(node, key)).to.equal(undefined);
        expect(told(node, id)).to.equal(true);
        expect(node.reported).to.have.length(1);
        expect(node.service.readiness().degraded).to.deep.equal([`apiKey-${id}`]);
      }
    });

    it('are refused when they were put back as they were before a revocation or a narrowing', async () => {
      const [revoked, narrowed] = [
        await made(['transactions:refund']),
        await made(['transactions:refund', 'transactions:capture']),
      ];
      const before = [await tampered.read(revoked.id), await tampered.read(narrowed.id)];
      for (const node of nodes)
        for (const { key } of [revoked, narrowed]) expect(await holderOn(node, key)).not.to.equal(undefined);
      await nodes[0].service.access.revokeApiKey(revoked.id);
      await nodes[0].service.access.setApiKeyScopes(narrowed.id, ['transactions:capture']);
      for (const [place, { id }] of [revoked, narrowed].entries())
        await tampered.put(id, before[place] ?? { revision: 0, text: '' });
      const refusals = nodes.flatMap((node) =>
        [revoked, narrowed].map(({ id, key }) =>
          until(async () => (await holderOn(node, key)) === undefined && told(node, id)),
        ),
      );
      await Promise.all(refusals);
    });

    it('are refused when those of two accounts were exchanged', async () => {
      const mine = await made(['transactions:refund']);
      const theirs = await made(['transactions:refund'], await accountOn(nodes[0].service));
      const [a, b] = [await tampered.read(mine.id), await tampered.read(theirs.id)];
      const withHash = (text: string, of: string): string =>
        text.replace(/"secretHash":"[^"]+"/, /"secretHash":"[^"]+"/.exec(of)?.[0] ?? '');
      await tampered.put(mine.id, { ...a, text: withHash(b.text, a.text) });
      await tampered.put(theirs.id, { ...b, text: withHash(a.text, b.text) });
      for (const node of nodes) {
        expect(await holderOn(node, mine.key)).to.equal(undefined);
        expect(await holderOn(node, theirs.key)).to.equal(undefined);
      }
    });

    it('count again after a rebuild, which finds the difference', async () => {
      const { id, key } = await made(['transactions:retrieve']);
      const [{ service }] = nodes;
      const { revision, text } = await tampered.read(id);
      await tampered.put(id, { revision, text: text.replace('transactions:retrieve', 'transactions:refund') });
      expect(await holderOn(nodes[0], key)).to.equal(undefined);
      expect((await service.projections.rebuild('api-keys')).equal).to.equal(false);
      await until(async () => (await holderOn(nodes[0], key))?.scopes.has('transactions:retrieve') === true);
      expect(service.readiness().degraded).to.deep.equal([]);
    });
  });
}

async function accountOn(service: Service): Promise<string> {
  const account = await service.access.createAccount('Shop');
  if (account.kind === 'rejected') throw new Error(account.description);
  return account.id;
}
