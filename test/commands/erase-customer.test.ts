// An erasure with other processes on the same stores: rebuilds in threads, a customer who pays, data of an older
// version, and a key store that fails in the middle.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { KeyStore } from '../../src/stores/key-store.ts';
import { openMemoryKeyStore } from '../../src/stores/memory/key-store.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openSqliteKeyStore } from '../../src/stores/sqlite/key-store.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { done } from '../support/answers.ts';
import { calmWorld } from '../support/calm-world.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';

const ACCOUNT = 'acc_1';
const PERSON = { firstName: 'Zerlina', lastName: 'Quuxington', emailAddress: 'zerlina.quux@mail.example' };

const opened = async ({ service }: TestNode, customerId: string, customer: object = PERSON) => {
  const made = await service.sessions.createClientSession(
    { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, customerId, customer },
    merchant(ACCOUNT),
  );
  if (made.kind === 'rejected') throw new Error(made.errorId);
  return made;
};
const session = async (node: TestNode, customerId: string, customer?: object): Promise<string> =>
  (await opened(node, customerId, customer)).id;
const erase = ({ service }: TestNode, customerId: string) =>
  service.customers.eraseCustomer(customerId, merchant(ACCOUNT));
const shownIn = async ({ service }: TestNode, id: string) => {
  const { state } = await service.streams.sessions.inLog(id);
  return state.status === 'absent' ? 'absent' : state.fields.customer;
};
/** Does the work of the service until `work` is over. */
async function running<T>({ service }: TestNode, work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const run = service.run(over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await run;
  }
}

/** A node on files, whose rebuilds fold in two threads. */
async function nodeOnFiles(): Promise<{
  readonly node: TestNode;
  readonly directory: string;
  readonly remove: () => Promise<void>;
}> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-erase-'));
  const common = { world: calmWorld, report: () => undefined };
  const file = join(directory, 'events.db');
  const events: EventStore = await openSqliteEventStore({ file, spread: { from: 1, threads: 2 }, ...common });
  const keys = await openSqliteKeyStore({ file: join(directory, 'keys.db'), world: calmWorld });
  const readModels = await openSqliteReadModels({ file: join(directory, 'read-models.db'), ...common });
  const node = await nodeOn({ ...(await memoryStores()), events, keys, readModels });
  const remove = async (): Promise<void> => {
    for (const store of [events, keys, readModels]) await store.close();
    await rm(directory, { recursive: true });
  };
  return { node, directory, remove };
}

describe('an erasure', () => {
  it('is equal in a rebuild whose threads read the keys themselves', async () => {
    const { node, remove } = await nodeOnFiles();
    const [kept, gone] = [await session(node, 'kept'), await session(node, 'gone')];
    const { kind } = await running(node, () => erase(node, 'gone'));
    expect(kind).to.equal('erased');
    const rebuilt = await node.service.projections.rebuild('client-sessions', { dryRun: true });
    expect(rebuilt).to.include({ equal: true, documentsBefore: 2, parked: 0 });
    expect(await shownIn(node, kept)).to.deep.equal(PERSON);
    expect(await shownIn(node, gone)).to.equal(undefined);
    await remove();
  });

  it('leaves nobody in read models that are rebuilt meanwhile', async () => {
    const { node, directory, remove } = await nodeOnFiles();
    const [kept, gone] = [await session(node, 'kept', { firstName: 'Ferdinand' }), await session(node, 'gone')];
    const { projections } = node.service;
    await running(node, async () => {
      let isOver = false;
      const erasing = erase(node, 'gone').finally(() => {
        isOver = true;
      });
      // one after the other as long as the erasure takes, and three however fast it is
      const rebuilding = async (): Promise<void> => {
        for (let rebuilt = 0; rebuilt < 3 || !isOver; rebuilt += 1)
          expect(await projections.rebuild(rebuilt % 2 === 0 ? 'client-sessions' : 'customers')).to.include({
            parked: 0,
          });
      };
      const [erased] = await Promise.all([erasing, rebuilding()]);
      expect(erased.kind).to.equal('erased');
    });
    expect(await projections.rebuild('client-sessions', { dryRun: true })).to.include({ equal: true, parked: 0 });
    expect(await shownIn(node, kept)).to.deep.equal({ firstName: 'Ferdinand' });
    expect(await shownIn(node, gone)).to.equal(undefined);
    for (const file of await readdir(directory))
      expect(await readFile(join(directory, file), 'latin1'), file).to.not.match(/Zerlina|Quuxington/);
    await remove();
  });

  describe('on stores in memory', () => {
    let stores: Stores;
    let keys: KeyStore;
    beforeEach(async () => {
      keys = openMemoryKeyStore();
      stores = { ...(await memoryStores()), keys };
    });

    it('refuses while the customer pays, and erases what another node cached, once the payment is over', async () => {
      const [node, other] = [await nodeOn(stores), await nodeOn(stores)];
      const { id: sessionId, clientToken } = await opened(node, 'ada');
      const { id: token } = done(await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, sessionId)));
      const paid = done(
        await node.service.payments.authorizePayment({ clientToken, paymentMethodToken: token }, merchant(ACCOUNT)),
      );
      expect(await erase(node, 'ada')).to.deep.include({
        kind: 'rejected',
        errorId: 'PaymentOperationInProgress',
        inTheWay: [{ paymentId: paid.id, because: 'open' }],
      });
      expect(await keys.destroyed()).to.equal(0);
      expect(await shownIn(other, sessionId)).to.deep.equal(PERSON);
      done(await node.service.payments.cancelPayment(paid.id, {}, merchant(ACCOUNT)));
      await running(other, async () => {
        expect((await running(node, () => erase(node, 'ada'))).kind).to.equal('erased');
        const past = await other.service.streams.payments.at(paid.id, 0);
        expect(JSON.stringify(past.state)).to.not.match(/Zerlina|Lovelace/);
        expect(await shownIn(other, sessionId)).to.equal(undefined);
      });
    });

    it('refuses data that an older version recorded plain, and names the event', async () => {
      const { keys: _none, ...without } = stores;
      const id = await session(await nodeOn(without), 'ada');
      const node = await nodeOn(stores);
      const answer = await erase(node, 'ada');
      expect(answer).to.include({ kind: 'rejected', errorId: 'OperationNotSupported' });
      expect('description' in answer && answer.description).to.include(`clientSession-${id}@0`);
      expect(await shownIn(node, id)).to.deep.equal(PERSON);
    });

    it('is not done when the keys cannot be destroyed, and is finished by the next call', async () => {
      const id = await session(await nodeOn(stores), 'ada');
      const failing = await nodeOn({
        ...stores,
        keys: {
          ...keys,
          destroy: async () => {
            throw new StoreUnavailable('the disk is full');
          },
        },
      });
      const fault: unknown = await running(failing, () => erase(failing, 'ada')).catch((thrown: unknown) => thrown);
      expect(fault).to.be.instanceOf(StoreUnavailable);
      expect(await keys.destroyed()).to.equal(0);
      const node = await nodeOn(stores);
      expect((await running(node, () => erase(node, 'ada'))).kind).to.equal('erased');
      expect(await shownIn(node, id)).to.equal(undefined);
    });

    it('destroys the key that a session had before it was the customer’s', async () => {
      const node = await nodeOn(stores);
      const made = await node.service.sessions.createClientSession({ customer: PERSON }, merchant(ACCOUNT));
      if (made.kind === 'rejected') throw new Error(made.errorId);
      const { clientToken } = made;
      await node.service.sessions.patchClientSession({ clientToken, customerId: 'ada' }, merchant(ACCOUNT));
      expect(await running(node, () => erase(node, 'ada'))).to.include({ kind: 'erased', sessions: 1 });
      expect(await keys.destroyed()).to.equal(1);
    });

    it('is impossible on a node that keeps no keys', async () => {
      const { keys: _none, ...without } = stores;
      expect(await erase(await nodeOn(without), 'ada')).to.include({ errorId: 'OperationNotSupported' });
    });
  });
});
