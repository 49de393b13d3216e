// An attempt goes by the connection that is on record, from its call to its last look-up.
import { expect } from 'chai';
import { contextOf } from '../../../src/commands/caller.ts';
import { accept } from '../../../src/domain/decider.ts';
import { transact } from '../../../src/journal/transact.ts';
import { done } from '../../support/answers.ts';
import { card, checkout, lookUpDue, memoryStores, merchant, nodeOn } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
/** Pending, and no notification follows. */
const PENDING = '4000009900001036';

describe('an attempt of a card that was tokenized at another connection', () => {
  it('is performed and looked up at that connection, and so is every later operation', async () => {
    const world = movableWorld();
    const stores = await memoryStores(world);
    const seen: string[] = [];
    const processor = scripted(stores.sandbox, {
      perform: (request, { connection }) => {
        seen.push(`${request.operation} at ${connection.connectionId}`);
        return undefined;
      },
      lookUp: (request, { connection }) => {
        seen.push(`look-up of the ${request.operation} at ${connection.connectionId}`);
        return undefined;
      },
      capabilities: (connection, payment) => {
        seen.push(`capabilities of ${connection.connectionId}`);
        return stores.sandbox.capabilities(connection, payment);
      },
    });
    const node = await nodeOn(stores, { processor });
    const { service } = node;
    const caller = merchant(ACCOUNT, world);
    const session = await service.sessions.createClientSession(
      { orderId: 'o', currencyCode: 'EUR', amount: 1_000 },
      caller,
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const { id: tokenized } = done(
      await service.instruments.tokenizeCard(card(PENDING), checkout(ACCOUNT, session.id, world)),
    );
    const { instruments } = service.streams;
    for await (const { event } of instruments.history(tokenized, -1)) {
      if (event.type !== 'InstrumentTokenized') continue;
      const other = { ...event, data: { ...event.data, connectionId: 'second' } };
      await transact(instruments, 'pm_second', contextOf(caller, 'op_1'), () => accept(other), { start: 'empty' });
    }
    const { clientToken } = session;
    const { id } = done(
      await service.payments.authorizePayment({ clientToken, paymentMethodToken: 'pm_second' }, caller),
    );
    world.advance(31_000);
    await lookUpDue(node);
    done(await service.payments.capturePayment(id, {}, merchant(ACCOUNT, world)));
    expect(seen).to.deep.equal([
      'authorization at second',
      'look-up of the authorization at second',
      'capabilities of second',
      'capture at second',
    ]);
  });
});
