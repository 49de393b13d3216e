// The order of refusals of an authorization with more than one fault; no refusal leaves a trace.
import { expect } from 'chai';
import type { z } from 'zod';
import type { Caller } from '../../../src/commands/caller.ts';
import type { AuthorizePayment } from '../../../src/commands/payments/authorize-payment.ts';
import { done } from '../../support/answers.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../../support/node.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
const DECLINED = '4000000000000002';
const GOOD = '4242424242424242';

describe('the first check of an authorization', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    node = await nodeOn(stores);
  });

  const asked = async (number: string): Promise<z.output<typeof AuthorizePayment>> => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(
      await node.service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, made.id, world)),
    ).id;
    return { clientToken: made.clientToken, paymentMethodToken };
  };
  /** As many declines as the limit on a card allows. */
  const useUpLimit = async (): Promise<void> => {
    for (let declines = 0; declines < 10; declines += 1)
      done(await node.service.payments.authorizePayment(await asked(DECLINED), merchant(ACCOUNT, world)));
  };
  const openCircuit = (): void => {
    const circuit = { accountId: ACCOUNT, connectionId: 'sandbox' };
    for (let call = 0; call < 1_000; call += 1) node.service.circuits.ended(circuit, 'operation', 'unknown');
  };
  const withoutCapture = (key: string): Caller => ({
    ...merchant(ACCOUNT, world, key, 'body'),
    scopes: new Set(['transactions:authorize']),
  });

  it('is the token, then the scope, then the limits on declines, then the circuit; and no event is written', async () => {
    await useUpLimit();
    const limited = await asked(DECLINED);
    const good = await asked(GOOD);
    openCircuit();
    const before = await stores.events.head();
    const automatic = { paymentMethod: { captureMode: 'AUTOMATIC' } } as const;
    const refusals = [
      await node.service.payments.authorizePayment(
        { ...limited, paymentMethodToken: 'pm_0', ...automatic },
        withoutCapture('k-1'),
      ),
      await node.service.payments.authorizePayment({ ...limited, ...automatic }, withoutCapture('k-2')),
      await node.service.payments.authorizePayment(limited, withoutCapture('k-3')),
      await node.service.payments.authorizePayment(good, withoutCapture('k-4')),
    ].map((answer) => (answer.kind === 'rejected' ? answer.errorId : answer.kind));
    expect(refusals).to.deep.equal([
      'InvalidPaymentInstrumentToken',
      'InsufficientScope',
      'TooManyRequests',
      'ServiceUnavailable',
    ]);
    expect(await stores.events.head()).to.deep.equal(before);
  });
});
