// A shop in this process that has rules of routing and further sandboxes.
import type { Caller } from '../../../src/commands/caller.ts';
import type { KnownPayment } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import type { Processor } from '../../../src/processors/processor.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores } from '../../support/node.ts';
import { movableWorld } from '../../support/test-world.ts';

/**
 * A shop whose payments are routed over sandboxes. `through` wraps its stores, and `processorOf` the sandbox; the test
 * moves `world`.
 */
export async function routedShop({
  through = (same) => same,
  processorOf = (sandbox) => sandbox,
  ...options
}: NonNullable<Parameters<typeof nodeOn>[1]> & {
  readonly through?: (stores: Stores) => Stores;
  readonly processorOf?: (sandbox: Stores['sandbox']) => Processor;
} = {}) {
  const world = movableWorld();
  const stores = through(await memoryStores(world));
  const { service } = await nodeOn(stores, {
    cardTestingLimits: false,
    ...options,
    processor: processorOf(stores.sandbox),
  });
  const made = await service.access.createAccount('Shop', true);
  if (made.kind === 'rejected') throw new Error(made.description);
  const accountId = made.id;
  const connect = async (name: string): Promise<string> => {
    const added = await service.connections.add({ accountId, processor: 'sandbox', name });
    if (added.kind === 'rejected') throw new Error(added.description);
    return added.id;
  };
  const set = (sent: unknown) => service.routing.set({ accountId, sent });
  const token = async (number?: string) => {
    const by = merchant(accountId, world);
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      by,
    );
    if (session.kind === 'rejected') throw new Error(session.description);
    const { id } = session;
    const instrument = await service.instruments.tokenizeCard(card(number), checkout(accountId, id, world));
    if (instrument.kind === 'rejected') throw new Error(instrument.description);
    return { sessionId: id, paymentMethodToken: instrument.id };
  };
  const pay = async (number?: string, by: (sessionId: string) => Caller = (id) => checkout(accountId, id, world)) => {
    const { sessionId, paymentMethodToken } = await token(number);
    return service.payments.authorizeCheckoutPayment({ paymentMethodToken }, by(sessionId));
  };
  const paid = async (number?: string): Promise<KnownPayment & { readonly id: string }> => {
    const answer = await pay(number);
    if (answer.kind === 'rejected') throw new Error(answer.description);
    if (!isKnown(answer.doc)) throw new Error(answer.doc.status);
    return { ...answer.doc, id: answer.id };
  };
  return { ...stores, world, service, accountId, connect, set, token, pay, paid };
}
