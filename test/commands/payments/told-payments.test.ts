// The payment in a message can be read, even while a request that was recorded with it is in progress.
import { expect } from 'chai';
import { payments } from '../../../src/projections/models/payments.ts';
import { done } from '../../support/answers.ts';
import { card, checkout, memoryStores, merchant, nodeOn } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { newAccount } from '../../webhooks/told-node.ts';

describe('a payment whose processor is being called', () => {
  it('can be read as authorized while its automatic capture runs: its message has that status', async () => {
    const stores = await memoryStores();
    const seen: string[] = [];
    const processor = scripted(stores.sandbox, {
      perform: (request, call) => {
        const looked = async () => {
          const [row] = await service.readModels.get(payments, [request.paymentId]);
          seen.push(`${request.operation}: ${row?.doc.status ?? 'no document'}`);
          return stores.sandbox.perform(request, call);
        };
        return looked();
      },
    });
    const { service } = await nodeOn(stores, { processor });
    const over = new AbortController();
    const running = service.run(over.signal);
    const accountId = await newAccount(service);
    const session = await service.sessions.createClientSession(
      { orderId: 'order-1', currencyCode: 'EUR', amount: 1_000, paymentMethod: { captureMode: 'AUTOMATIC' } },
      merchant(accountId),
    );
    if (session.kind === 'rejected') throw new Error(session.description);
    const token = done(await service.instruments.tokenizeCard(card(), checkout(accountId, session.id))).id;
    done(
      await service.payments.authorizePayment(
        { clientToken: session.clientToken, paymentMethodToken: token },
        merchant(accountId),
      ),
    );
    over.abort();
    await running;
    expect(seen).to.deep.equal(['authorization: no document', 'capture: AUTHORIZED']);
  });
});
