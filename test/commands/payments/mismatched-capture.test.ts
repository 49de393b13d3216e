// A capture in another currency than asked: a look-up that finds it so too ends the questions, and an operator closes
// it (contract §4).
import { expect } from 'chai';
import { awaitingOperator, openWork, unknownOutcomes } from '../../../src/queries/unknown-outcomes.ts';
import { done, known } from '../../support/answers.ts';
import { appendedBy, eventsAfter } from '../../support/http-appended.ts';
import { card, checkout, lookUpDue, memoryStores, merchant, nodeOn } from '../../support/node.ts';
import { movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
/** Captures in another currency. */
const OTHER_CURRENCY = '4000009900003065';

describe('a capture that the processor did in another currency', () => {
  it('is looked up once, is no longer open work, and stays reserved until an operator closes it', async () => {
    const world = movableWorld();
    const stores = await memoryStores(world);
    const node = await nodeOn(stores);
    const { service } = node;
    const lookedUp = async () => {
      const before = await stores.events.head();
      await lookUpDue(node);
      return (await eventsAfter(stores.events, before)).map(({ type }) => type);
    };
    const caller = () => merchant(ACCOUNT, world);
    const session = await service.sessions.createClientSession(
      { orderId: 'o', currencyCode: 'EUR', amount: 1_000 },
      caller(),
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const { id: token } = done(
      await service.instruments.tokenizeCard(card(OTHER_CURRENCY), checkout(ACCOUNT, session.id, world)),
    );
    const { clientToken } = session;
    const { id } = done(await service.payments.authorizePayment({ clientToken, paymentMethodToken: token }, caller()));
    expect(done(await service.payments.capturePayment(id, {}, caller())).status).to.equal(202);
    expect((await openWork(service.readModels, 10)).attempts.length).to.equal(1);

    world.advance(31_000);
    expect(await lookedUp()).to.deep.equal(['MismatchRecorded']);
    expect((await openWork(service.readModels, 10)).attempts).to.deep.equal([]);
    world.advance(30 * 86_400_000);
    expect(await lookedUp()).to.deep.equal([]);

    const wanted = { limit: 10 };
    expect((await unknownOutcomes(service.readModels, world.now(), wanted)).rows).to.deep.equal([]);
    expect((await awaitingOperator(service.readModels, world.now(), wanted)).rows.map((row) => row.id)).to.deep.equal([
      id,
    ]);
    const again = await appendedBy(stores.events, () => service.payments.capturePayment(id, {}, caller()));
    expect(again.answer).to.include({ kind: 'rejected', errorId: 'PaymentOperationInProgress' });
    expect(again.types).to.deep.equal([]);

    const resolved = await service.payments.resolvePayment(id, { as: 'succeeded', evidence: 'corrected over there' });
    expect(resolved.kind).to.equal('resolved');
    expect(known((await service.streams.payments.current(id)).state)).to.include({
      status: 'SETTLED',
      amountCaptured: 1_000,
    });
    expect((await awaitingOperator(service.readModels, world.now(), wanted)).rows).to.deep.equal([]);
  });
});
