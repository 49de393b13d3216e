// What a processor's own fields made is saved under the token that the processor keeps: asked for after the success,
// again after a crash or while nobody answers, and for ten minutes at most.
import { expect } from 'chai';
import type { KeptToken } from '../../../src/processors/processor.ts';
import { done } from '../../support/answers.ts';
import { card, checkout, lookUpDue, memoryStores, merchant, nodeOn, type TestNode } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';

/** `answers`: of the processor to each question, in order; the last one stays. */
async function openShop(answers: readonly (KeptToken | 'killed')[]) {
  const world = movableWorld();
  const stores = await memoryStores(world);
  let asked = 0;
  const processor = {
    ...scripted(stores.sandbox, {
      tokenize: async (request, call) => {
        const made = await stores.sandbox.tokenize(request, call);
        return made.kind === 'token' ? { ...made, paysOnce: true } : made;
      },
    }),
    kept: async (): Promise<KeptToken> => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? { kind: 'not_found' };
      asked += 1;
      if (answer === 'killed') throw new Error('the process ended here');
      return answer;
    },
  };
  const node = await nodeOn(stores, { processor });
  const { service } = node;
  const session = await service.sessions.createClientSession(
    { orderId: 'o', currencyCode: 'EUR', amount: 500, customerId: 'cus_1', paymentMethod: { vaultOnSuccess: true } },
    merchant(ACCOUNT, world),
  );
  if (session.kind === 'rejected') throw new Error(session.description);
  const token = done(await service.instruments.tokenizeCard(card(), checkout(ACCOUNT, session.id, world)));
  const { id } = done(
    await service.payments.authorizeCheckoutPayment(
      { paymentMethodToken: token.id },
      checkout(ACCOUNT, session.id, world),
    ),
  );
  return {
    node,
    world,
    token: token.id,
    asked: () => asked,
    /** By the event that says how it ended; undefined while that is open. */
    vaulting: async () => {
      for await (const { event } of service.streams.payments.history(id, -1))
        if (event.type === 'VaultingRecorded') return event.data;
      return undefined;
    },
    ofInstrument: async () => {
      const types: string[] = [];
      for await (const { event } of service.streams.instruments.history(token.id, -1)) types.push(event.type);
      return types;
    },
  };
}
const due = (node: TestNode): Promise<number> => lookUpDue(node);

describe('what a processor keeps for a customer', () => {
  it('is asked for with the success, and saved under its own token', async () => {
    const shop = await openShop([{ kind: 'kept', processorToken: 'cus_x/pm_x' }]);
    expect(await shop.vaulting()).to.deep.equal({ paymentMethodToken: shop.token });
    expect(shop.asked()).to.equal(1);
    expect(await shop.ofInstrument()).to.include('InstrumentTokenAdded');
  });

  it('is saved by the policy if the process ended between the success and the question', async () => {
    const shop = await openShop(['killed', { kind: 'kept', processorToken: 'cus_x/pm_x' }]);
    expect(await shop.vaulting()).to.equal(undefined);
    shop.world.advance(5_000);
    expect(await due(shop.node)).to.equal(1);
    expect(await shop.vaulting()).to.deep.equal({ paymentMethodToken: shop.token });
    expect(await due(shop.node)).to.equal(0);
  });

  it('is asked for ten minutes while the processor does not say, and then is on record as not saved', async () => {
    const shop = await openShop([{ kind: 'unreachable', detail: 'no answer' }]);
    shop.world.advance(599_000);
    expect(await due(shop.node)).to.equal(1);
    expect([shop.asked(), await shop.vaulting()]).to.deep.equal([2, undefined]);
    shop.world.advance(2_000);
    expect(await due(shop.node)).to.equal(1);
    expect(await shop.vaulting()).to.have.property('refused');
    expect([shop.asked(), await due(shop.node)]).to.deep.equal([2, 0]);
  });

  it('is not asked for again once the processor says that it keeps nothing', async () => {
    const shop = await openShop([{ kind: 'not_found' }]);
    expect(await shop.vaulting()).to.have.property('refused');
    shop.world.advance(60_000);
    expect([await due(shop.node), shop.asked()]).to.deep.equal([0, 1]);
  });
});
