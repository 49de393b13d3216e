// A command that the processor cannot carry out is refused before any write; every other fault is answered first.
import { expect } from 'chai';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import type { Capabilities } from '../../../src/processors/processor.ts';
import { done } from '../../support/answers.ts';
import { appendedBy, eventsAfter } from '../../support/http-appended.ts';
import {
  card,
  checkout,
  lookUpDue,
  memoryStores,
  merchant,
  nodeOn,
  type Stores,
  type TestNode,
} from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
const ALL: Capabilities = { partialCapture: true, multipleCaptures: true, adjustment: 'any' };

describe('a command on a payment', () => {
  let world: MovableWorld;
  let stores: Stores;
  let asked: (string | undefined)[];
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    asked = [];
  });
  const nodeWith = (capabilities: Partial<Capabilities>): Promise<TestNode> =>
    nodeOn(stores, {
      processor: scripted(stores.sandbox, {
        capabilities: (_connection, payment) => {
          asked.push(payment?.network);
          return { ...ALL, ...capabilities };
        },
      }),
    });
  const caller = () => merchant(ACCOUNT, world);
  const pay = async ({ service }: TestNode, number?: string): Promise<string> => {
    const fields = {
      orderId: 'o',
      currencyCode: 'EUR',
      amount: 1_000,
      paymentMethod: { authorizationType: 'ESTIMATED' },
    } as const;
    const session = await service.sessions.createClientSession(fields, caller());
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const token = done(await service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, session.id, world)));
    return done(
      await service.payments.authorizePayment(
        { clientToken: session.clientToken, paymentMethodToken: token.id },
        caller(),
      ),
    ).id;
  };
  type Answered =
    | { readonly kind: 'rejected'; readonly errorId: string }
    | { readonly kind: string; readonly doc?: Payment };
  const outcomeOf = (answer: Answered): string => {
    if ('errorId' in answer) return answer.errorId;
    return answer.doc !== undefined && isKnown(answer.doc) ? answer.doc.status : answer.kind;
  };
  const refused = async (work: () => Promise<Answered>): Promise<void> => {
    const { answer, types } = await appendedBy(stores.events, work);
    expect([outcomeOf(answer), types]).to.deep.equal(['OperationNotSupported', []]);
  };

  it('captures a part only where that is possible, asked by the network of its card', async () => {
    const node = await nodeWith({ partialCapture: false });
    const id = await pay(node);
    await refused(() => node.service.payments.capturePayment(id, { amount: 400 }, caller()));
    expect(outcomeOf(await node.service.payments.capturePayment(id, {}, caller()))).to.equal('SETTLED');
    expect([...new Set(asked)]).to.deep.equal(['VISA']);
  });

  it('makes the first capture final where there can be no second', async () => {
    const node = await nodeWith({ multipleCaptures: false });
    const id = await pay(node);
    await refused(() => node.service.payments.capturePayment(id, { amount: 400, final: false }, caller()));
    expect(outcomeOf(await node.service.payments.capturePayment(id, { amount: 400 }, caller()))).to.equal(
      'PARTIALLY_SETTLED',
    );
    const able = await nodeWith({});
    const other = await pay(able);
    done(await able.service.payments.capturePayment(other, { amount: 400, final: false }, caller()));
    await refused(() => node.service.payments.capturePayment(other, { amount: 100 }, caller()));
  });

  it('adjusts no authorization where that is impossible, and lowers none where it can only be raised', async () => {
    const none = await nodeWith({ adjustment: 'none' });
    const id = await pay(none);
    await refused(() => none.service.payments.adjustAuthorization(id, { amount: 1_500 }, caller()));
    const raise = await nodeWith({ adjustment: 'raise' });
    await refused(() => raise.service.payments.adjustAuthorization(id, { amount: 900 }, caller()));
    expect(outcomeOf(await raise.service.payments.adjustAuthorization(id, { amount: 1_500 }, caller()))).to.equal(
      'AUTHORIZED',
    );
  });

  it('cancels a payment whose customer may act until the processor ends that, where it has no fence', async () => {
    const { fence: _none, ...without } = scripted(stores.sandbox, {});
    const node = await nodeOn(stores, { processor: without });
    const id = await pay(node, '4000000000003220');
    const cancelled = await appendedBy(stores.events, () => node.service.payments.cancelPayment(id, {}, caller()));
    expect([done(cancelled.answer).status, cancelled.types]).to.deep.equal([202, ['payment CancellationIntended']]);
    world.advance(3_601_000);
    const before = await stores.events.head();
    await lookUpDue(node);
    const ended = (await eventsAfter(stores.events, before)).map(({ type }) => type);
    expect(ended).to.deep.equal(['PaymentCancelled', 'CustomerActionExpired', 'ClientSessionReleased']);
  });

  it('gives no action of a customer up where it has no fence: another card could be charged beside the first', async () => {
    const { fence: _none, ...without } = scripted(stores.sandbox, {});
    const { service } = await nodeOn(stores, { processor: without });
    const fields = { orderId: 'o', currencyCode: 'EUR', amount: 1_000 };
    const session = done(await service.sessions.createClientSession(fields, caller()));
    const shopper = () => checkout(ACCOUNT, session.id, world);
    const token = done(await service.instruments.tokenizeCard(card('4000000000003220'), shopper()));
    const { id } = done(await service.payments.authorizeCheckoutPayment({ paymentMethodToken: token.id }, shopper()));
    await refused(() => service.payments.giveUpPaymentAction(id, shopper()));
  });

  it('that is wrong anyway is refused for that', async () => {
    const node = await nodeWith({ partialCapture: false, adjustment: 'none' });
    const id = await pay(node);
    expect(outcomeOf(await node.service.payments.capturePayment(id, { amount: 2_000 }, caller()))).to.equal(
      'UnprocessableCaptureAmount',
    );
    done(await node.service.payments.cancelPayment(id, {}, caller()));
    expect(outcomeOf(await node.service.payments.adjustAuthorization(id, { amount: 1_500 }, caller()))).to.equal(
      'InvalidPaymentStatus',
    );
  });
});
