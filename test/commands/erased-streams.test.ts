// Which streams an erasure finds: what a customer left in sessions before and after it had its id, in sessions of other
// customers, and what is sent while the erasure runs.
import { expect } from 'chai';
import { contextOf } from '../../src/commands/caller.ts';
import { requestVault } from '../../src/domain/payment-instrument/decide.ts';
import { personalKeyIn } from '../../src/journal/envelope.ts';
import { SNAPSHOT_EVERY } from '../../src/journal/fold-snapshots.ts';
import { transact } from '../../src/journal/transact.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { KeyStore } from '../../src/stores/key-store.ts';
import { openMemoryKeyStore } from '../../src/stores/memory/key-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { eventsIn, faultOf } from '../contract/store-under-test.ts';
import { done } from '../support/answers.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { until } from '../support/until.ts';

const ACCOUNT = 'acc_1';
const DECLINED = '4000000000000002';
const REBUILT = [
  'client-sessions',
  'payment-instruments',
  'payments',
  'customer-wallets',
  'customers',
  'searched-payments',
];

interface Session {
  readonly id: string;
  readonly clientToken: string;
}

/** A customer's shop on one node. The names of a customer contain its id. */
class Shop {
  readonly node: TestNode;

  constructor(node: TestNode) {
    this.node = node;
  }

  async session(customerId?: string, isNamed = true): Promise<Session> {
    const fields = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 } as const;
    const named = isNamed && { customer: { firstName: `First ${customerId}` } };
    const of = customerId === undefined ? {} : { customerId, ...named };
    const made = await this.node.service.sessions.createClientSession({ ...fields, ...of }, merchant(ACCOUNT));
    return made.kind === 'rejected' ? expect.fail(made.errorId) : made;
  }

  async patch({ clientToken }: Session, fields: object): Promise<void> {
    done(await this.node.service.sessions.patchClientSession({ clientToken, ...fields }, merchant(ACCOUNT)));
  }

  async token({ id }: Session, of: string, number?: string): Promise<string> {
    const entered = card(number);
    const named = { ...entered, card: { ...entered.card, cardholderName: `Holder ${of}` } };
    return done(await this.node.service.instruments.tokenizeCard(named, checkout(ACCOUNT, id))).id;
  }

  async declined({ clientToken }: Session, paymentMethodToken: string): Promise<string> {
    const asked = { clientToken, paymentMethodToken };
    const answer = done(await this.node.service.payments.authorizePayment(asked, merchant(ACCOUNT)));
    expect(answer.doc.status).to.equal('DECLINED');
    return answer.id;
  }

  async save(token: string, customerId: string): Promise<void> {
    done(await this.node.service.instruments.vaultInstrument(token, { customerId }, merchant(ACCOUNT)));
  }

  erase(customerId: string) {
    return this.node.service.customers.eraseCustomer(customerId, merchant(ACCOUNT));
  }

  /** All that the log and the document of a stream show. */
  async shown(kind: 'sessions' | 'instruments' | 'payments', id: string): Promise<string> {
    const { streams, readModels } = this.node.service;
    const name = { sessions: 'client-sessions', instruments: 'payment-instruments', payments: 'payments' }[kind];
    const of = { name, version: 1, keys: {}, indexes: [] };
    const texts: string[] = [JSON.stringify(await readModels.get<object, never>(of, [id]))];
    for await (const { event } of streams[kind].history(id, -1)) texts.push(JSON.stringify(event));
    return texts.join('\n');
  }
}

describe('the streams of an erased customer', () => {
  let keys: KeyStore;
  let stores: Stores;
  let shop: Shop;
  beforeEach(async () => {
    keys = openMemoryKeyStore();
    stores = { ...(await memoryStores()), keys };
    shop = new Shop(await nodeOn(stores));
  });

  async function running<T>(nodes: readonly TestNode[], work: () => Promise<T>): Promise<T> {
    const over = new AbortController();
    const runs = nodes.map(({ service }) => service.run(over.signal));
    try {
      return await work();
    } finally {
      over.abort();
      await Promise.all(runs);
    }
  }

  async function erased(...customerIds: readonly string[]): Promise<void> {
    const answers = await running([shop.node], () => Promise.all(customerIds.map((id) => shop.erase(id))));
    expect(answers.map((answer) => (answer.kind === 'erased' ? answer.kind : answer.description))).to.deep.equal(
      customerIds.map(() => 'erased'),
    );
  }

  async function equalWhenRebuilt(): Promise<void> {
    for (const name of REBUILT)
      expect(await shop.node.service.projections.rebuild(name, { dryRun: true }), name).to.include({ equal: true });
  }

  it('are also those from before its id was known, cards that never paid, and sessions that it has left', async () => {
    const session = await shop.session('unused');
    const unused = await shop.token(session, 'unused');

    const guest = await shop.session();
    await shop.patch(guest, { customer: { firstName: 'First guest' } });
    const early = await shop.token(guest, 'guest');
    const refused = await shop.token(guest, 'guest', DECLINED);
    const payment = await shop.declined(guest, refused);
    await shop.patch(guest, { customerId: 'guest' });

    const first = await shop.token(await shop.session(), 'saver');
    const second = await shop.token(await shop.session(), 'saver');
    await shop.save(first, 'saver');
    await shop.save(second, 'saver');

    const cleared = await shop.session('cleared');
    const leftThere = await shop.token(cleared, 'cleared');
    await shop.patch(cleared, { customerId: null });

    const several = await shop.session('several');
    const deep = await shop.token(several, 'several');
    for (const customerId of ['other-1', 'other-2'])
      await shop.patch(several, { customerId, customer: { firstName: `First ${customerId}`, lastName: 'Last' } });

    await erased('unused', 'guest', 'saver', 'cleared', 'several');
    for (const [kind, id, name] of [
      ['sessions', session.id, 'unused'],
      ['instruments', unused, 'unused'],
      ['sessions', guest.id, 'guest'],
      ['instruments', early, 'guest'],
      ['instruments', refused, 'guest'],
      ['payments', payment, 'guest'],
      ['instruments', first, 'saver'],
      ['instruments', second, 'saver'],
      ['sessions', cleared.id, 'cleared'],
      ['instruments', leftThere, 'cleared'],
      ['sessions', several.id, 'several'],
      ['instruments', deep, 'several'],
    ] as const)
      expect(await shop.shown(kind, id), `${name} in ${kind}`).to.not.match(new RegExp(`(First|Holder) ${name}`));
    expect(await shop.shown('sessions', several.id), 'members of several customers are mixed').to.not.include('First');
    await equalWhenRebuilt();
  });

  it('are not those of a customer who used the same session', async () => {
    const session = await shop.session('ada');
    const saved = await shop.token(session, 'ada');
    const refused = await shop.token(session, 'ada', DECLINED);
    const adas = await shop.declined(session, refused);
    await shop.save(saved, 'ada');
    await shop.patch(session, { customerId: 'bob' });
    await shop.patch(session, { customer: { firstName: 'First bob' } });
    const bobs = await shop.declined(session, await shop.token(session, 'bob', DECLINED));

    await erased('bob');
    expect(await shop.shown('sessions', session.id)).to.not.include('First bob');
    expect(await shop.shown('payments', bobs)).to.not.match(/(First|Holder) bob/);
    expect(await shop.shown('payments', adas)).to.include('Holder ada');
    expect(await shop.shown('instruments', saved)).to.include('Holder ada');
    await equalWhenRebuilt();

    const again = await shop.session('ada');
    await shop.patch(again, { customerId: 'bob', customer: { firstName: 'First bob', lastName: 'Bob' } });
    await erased('ada');
    expect(await shop.shown('sessions', again.id)).to.not.match(/First (ada|bob)/);
    expect(await shop.shown('payments', adas)).to.not.match(/(First|Holder) ada/);
    expect(await shop.shown('instruments', saved)).to.not.include('Holder ada');
    await equalWhenRebuilt();
  });

  it('have no snapshot that shows it, even if the session is another customer’s now', async () => {
    const session = await shop.session('ada');
    for (let change = 0; change < SNAPSHOT_EVERY + 10; change += 1)
      await shop.patch(session, { orderId: `o-${change}` });
    await shop.patch(session, { customerId: 'bob', customer: { firstName: 'First bob', lastName: 'Bob' } });
    await erased('ada');
    const { sessions } = (await nodeOn(stores)).service.streams; // with nothing in its memory
    for (const revision of [SNAPSHOT_EVERY - 1, SNAPSHOT_EVERY + 5])
      expect(JSON.stringify((await sessions.at(session.id, revision)).state)).to.not.include('First ada');
  });

  it('are also payments without a customer by a card of its session, and a card that is half saved', async () => {
    const session = await shop.session('ada');
    const token = await shop.token(session, 'ada', DECLINED);
    const asked = { paymentMethodToken: token, orderId: 'o-2', amount: 500, currencyCode: 'EUR' };
    const paid = done(await shop.node.service.payments.authorizePayment(asked, merchant(ACCOUNT)));
    expect(await shop.shown('payments', paid.id)).to.include('Holder ada');
    const saved = await shop.token(await shop.session(), 'ada');
    const { streams } = shop.node.service;
    const at = shop.node.service.world.now();
    const vault = { accountId: ACCOUNT, customerId: 'ada', walletId: 'a-wallet', at };
    const requested = await transact(
      streams.instruments,
      saved,
      contextOf(merchant(ACCOUNT), 'op_1'),
      requestVault(vault),
    );
    expect(requested.kind, 'a crash follows').to.equal('written');

    await erased('ada');
    expect(await shop.shown('payments', paid.id)).to.not.include('Holder ada');
    expect((await streams.instruments.inLog(saved)).state.status).to.equal('deleted');
    await equalWhenRebuilt();
  });

  it('are those whose members a PATCH gave to the next customer: the erasure of either takes them', async () => {
    const sessions: Record<string, Session> = {};
    for (const erasing of ['ada', 'bob']) {
      const session = await shop.session(`ada of ${erasing}`);
      await shop.patch(session, { customerId: `bob of ${erasing}` });
      await shop.patch(session, { customer: { lastName: 'Last', taxId: 'Tax' } });
      sessions[`${erasing} of ${erasing}`] = session;
    }
    await erased(...Object.keys(sessions));
    for (const [erasing, { id }] of Object.entries(sessions)) {
      const { state } = await shop.node.service.streams.sessions.inLog(id);
      expect(state, erasing).to.not.have.nested.property('fields.customer');
      expect(await shop.shown('sessions', id), erasing).to.not.match(/Last|Tax/);
    }
    expect(await shop.shown('sessions', sessions['ada of ada']?.id ?? '')).to.not.include('First');
    await equalWhenRebuilt();
  });

  it('are those that another process wrote, and whose documents it could not write', async () => {
    const { readModels } = stores;
    const failing = new Shop(
      await nodeOn({
        ...stores,
        readModels: {
          ...readModels,
          write: async (of, rows, ...rest) => {
            if (of.name === 'client-sessions') throw new Error('the read models are gone');
            return readModels.write(of, rows, ...rest);
          },
        },
      }),
    );
    const unseen = await failing.session('ada');
    expect(
      await readModels.get({ name: 'client-sessions', version: 1, keys: {}, indexes: [] }, [unseen.id]),
    ).to.have.lengthOf(0);
    const answer = await shop.erase('ada'); // nothing follows the log meanwhile
    expect(answer).to.include({ kind: 'erased', sessions: 1 });
    expect((await eventsIn(stores.events, `clientSession-${unseen.id}`)).at(-1)?.type).to.equal('CustomerErased');
  });

  it('have no key left under which data was sent during the erasure', async () => {
    const session = await shop.session('ada');
    const other = new Shop(await nodeOn(stores));
    let sent: Promise<void> | undefined;
    const watching: KeyStore = {
      ...keys,
      async putIfAbsent(id, wrapped) {
        const put = await keys.putIfAbsent(id, wrapped);
        sent ??= other.patch(session, { customer: { firstName: 'First again' } }); // under the new key
        await sent;
        return put;
      },
    };
    shop = new Shop(await nodeOn({ ...stores, keys: watching }));
    await erased('ada');
    await sent;
    const events = await eventsIn(stores.events, `clientSession-${session.id}`);
    expect(events.map(({ type }) => type)).to.include.members(['ClientSessionUpdated', 'CustomerErased']);
    const used = new Set(events.flatMap((stored) => personalKeyIn(stored) ?? []));
    expect(used.size).to.equal(2);
    for (const key of await keys.get([...used])) expect(key.wrapped, 'a destroyed key').to.equal(undefined);
    expect(await shop.shown('sessions', session.id)).to.not.match(/First/);
    await equalWhenRebuilt();
  });

  /** A node whose appends wait until `release` is called. */
  async function slowNode(): Promise<{
    readonly slow: Shop;
    readonly isAsked: () => boolean;
    readonly release: () => void;
  }> {
    const { events } = stores;
    let isAsked = false;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held: EventStore = {
      read: (...of) => events.read(...of),
      follow: (...of) => events.follow(...of),
      head: () => events.head(),
      close: () => events.close(),
      async append(...of) {
        isAsked = true;
        await released;
        return events.append(...of);
      },
    };
    return { slow: new Shop(await nodeOn({ ...stores, events: held })), isAsked: () => isAsked, release };
  }

  for (const [when, isDestroyedOnly, isCrash] of [
    ['while the erasure runs', true, false],
    ['while the erasure runs, which then fails and is repeated', true, true],
    ['after it', false, false],
  ] as const)
    it(`show nothing that was encrypted before and that the store takes ${when}`, async () => {
      await shop.session('ada');
      const session = await shop.session('ada', false); // with nothing to erase: no event of the erasure is in the way
      const healthy = shop;
      const { slow, isAsked, release } = await slowNode();
      await running([slow.node], async () => {
        const sending = slow.patch(session, { customer: { firstName: 'First late' } });
        await until(isAsked);
        const destroy: KeyStore['destroy'] = async (ids, at) => {
          await keys.destroy(ids, at);
          if (!isDestroyedOnly) return;
          release();
          await sending;
          if (isCrash) throw new StoreUnavailable('the disk is full');
        };
        shop = new Shop(await nodeOn({ ...stores, keys: { ...keys, destroy } }));
        if (isCrash) {
          expect(await faultOf(running([shop.node], () => shop.erase('ada')))).to.be.instanceOf(StoreUnavailable);
          expect(await healthy.shown('sessions', session.id), 'the document').to.include('First late');
          shop = healthy;
        }
        await erased('ada');
        release();
        await sending;
      });
      expect(await shop.shown('sessions', session.id)).to.not.match(/First/);
      await equalWhenRebuilt();
    });
});
