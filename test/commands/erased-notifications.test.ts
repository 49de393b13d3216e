// Notifications of an erased customer: one that is delivered again brings nothing back, and those that were applied to
// no payment are handled, or go with the customer (contract §5, contract §8).
import { expect } from 'chai';
import type { ProcessorNotification } from '../../src/processors/processor.ts';
import { notifications } from '../../src/projections/models/notifications.ts';
import { openMemoryKeyStore } from '../../src/stores/memory/key-store.ts';
import type { World } from '../../src/world.ts';
import { eventsIn } from '../contract/store-under-test.ts';
import { done } from '../support/answers.ts';
import { calmWorld } from '../support/calm-world.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';

const ACCOUNT = 'acc_1';
const DECLINED = '4000000000000002';
/** No other process reads these stores, so an erasure need not wait for one. */
const world: World = { ...calmWorld, sleep: (ms, signal) => calmWorld.sleep(Math.min(ms, 10), signal) };

interface Body {
  readonly note: string;
  readonly items: readonly ProcessorNotification[];
}
const itemsIn = (raw: string): readonly ProcessorNotification[] => {
  const { items }: Body = raw === '' ? { items: [] } : JSON.parse(raw);
  return items;
};

describe('the notifications of an erased customer', () => {
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    stores = { ...(await memoryStores(world)), keys: openMemoryKeyStore() };
    node = await nodeOn(stores, {
      processor: scripted(stores.sandbox, { notifications: itemsIn, reread: itemsIn }),
    });
  });

  /** A payment of Ada that is over, and the reference of its authorization. */
  async function declined(): Promise<{ readonly id: string; readonly reference: string }> {
    const { service } = node;
    const session = await service.sessions.createClientSession(
      { orderId: 'o', currencyCode: 'EUR', amount: 1_000, customerId: 'ada', customer: { firstName: 'Zerlina' } },
      merchant(ACCOUNT, world),
    );
    if (session.kind === 'rejected') return expect.fail(session.errorId);
    const { id: sessionId, clientToken } = session;
    const { id: token } = done(await service.instruments.tokenizeCard(card(DECLINED), checkout(ACCOUNT, sessionId)));
    const paid = done(
      await service.payments.authorizePayment({ clientToken, paymentMethodToken: token }, merchant(ACCOUNT, world)),
    );
    if (!('attempts' in paid.doc)) return expect.fail(paid.doc.status);
    return { id: paid.id, reference: paid.doc.attempts[0]?.reference ?? '' };
  }

  const failed = (notificationId: string, reference: string, operation: 'authorization' | 'capture') =>
    ({
      notificationId,
      occurredAt: 1_000,
      subject: { reference },
      about: { operation, outcome: { kind: 'declined', code: 'EXPIRED_CARD', declineType: 'SOFT' } },
    }) as const;

  /** `note`: what the body has besides; it names the person. */
  async function tell(item: ProcessorNotification, note = 'Zerlina'): Promise<void> {
    const raw = JSON.stringify({ note, items: [item] } satisfies Body);
    const received = await node.service.notifications.receiveNotification(
      { processor: 'sandbox', raw, headers: {} },
      merchant(ACCOUNT, world),
    );
    if (received.kind !== 'received') return expect.fail(received.kind);
    await received.handled;
  }

  const parked = async () => {
    const query = { where: { parkedAt: { from: 0 } }, limit: 10 };
    return (await node.service.readModels.find(notifications, query)).map(({ id, doc }) => ({
      id,
      raw: 'raw' in doc ? doc.raw : '',
    }));
  };

  async function erase() {
    const over = new AbortController();
    const run = node.service.run(over.signal);
    const answer = await node.service.customers.eraseCustomer('ada', merchant(ACCOUNT, world));
    over.abort();
    await run;
    return answer;
  }

  /** All that the log shows of every notification that the read models know. */
  async function shown(): Promise<string> {
    const texts: string[] = [];
    for (const { id, doc } of await node.service.readModels.find(notifications, { where: {}, limit: 100 })) {
      texts.push(JSON.stringify(doc));
      for await (const { event } of node.service.streams.notifications.history(id, -1))
        texts.push(JSON.stringify(event));
    }
    return texts.join('\n');
  }

  it('stay erased when one is delivered again, in the same words or in others', async () => {
    const { reference } = await declined();
    const told = failed('n-1', reference, 'authorization');
    await tell(told);
    expect(await shown()).to.include('Zerlina');
    expect((await erase()).kind).to.equal('erased');
    await tell(told);
    await tell(told, 'Zerlina, again');
    expect(await parked()).to.deep.equal([]);
    expect(await shown()).to.not.include('Zerlina');
  });

  it('are parked without their body when they come under the id of an erased one with other content', async () => {
    const { reference } = await declined();
    await tell(failed('n-1', reference, 'authorization'));
    expect((await erase()).kind).to.equal('erased');
    for (let times = 0; times < 2; times += 1) await tell(failed('n-1', reference, 'capture'));
    const records = await parked();
    expect(records.map(({ raw }) => raw)).to.deep.equal(['']);
    const [stored] = await eventsIn(stores.events, `notification-${records[0]?.id}`);
    expect(stored?.data).to.include('contentHash');
    expect(await shown()).to.not.include('Zerlina');
  });

  it('keep the customer from being erased while they are parked, and go with it once discarded', async () => {
    const { id, reference } = await declined();
    await tell(failed('n-2', reference, 'capture'));
    const [record] = await parked();
    expect(record?.raw).to.include('Zerlina');
    expect(await erase()).to.deep.include({
      errorId: 'PaymentOperationInProgress',
      inTheWay: [{ paymentId: id, because: 'reported' }],
    });
    done(await node.service.notifications.discardNotification(record?.id ?? ''));
    expect((await erase()).kind).to.equal('erased');
    expect(await shown()).to.not.include('Zerlina');
  });

  it('are those of no other customer and of no unknown payment', async () => {
    await declined();
    await tell(failed('n-3', 'pay_nobody.1', 'authorization'));
    expect((await erase()).kind).to.equal('erased');
    expect((await parked()).map(({ raw }) => raw.includes('Zerlina'))).to.deep.equal([true]);
  });
});
