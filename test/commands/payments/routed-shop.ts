// A shop in this process that has rules of routing and further sandboxes.
import type { Caller } from '../../../src/commands/caller.ts';
import type { KnownPayment } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import type { Processor } from '../../../src/processors/processor.ts';
import type { Service } from '../../../src/service.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores } from '../../support/node.ts';
import { movableWorld } from '../../support/test-world.ts';

/** What a payment of the shop is to be: 10.00 EUR by an approved card, unless something else is named. */
export interface Terms {
  /** The number of a test card. */
  readonly number?: string | undefined;
  /** What is tokenized in place of a card. */
  readonly given?: Parameters<Service['instruments']['tokenizeCard']>[0];
  readonly currencyCode?: string;
  readonly captureMode?: 'MANUAL' | 'AUTOMATIC';
  readonly authorizationType?: 'FINAL' | 'ESTIMATED';
}

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
  const tokenize = async ({ number, given = card(number), currencyCode = 'EUR', ...asked }: Terms = {}) => {
    const { captureMode = 'MANUAL', authorizationType = 'FINAL' } = asked;
    const by = merchant(accountId, world);
    const paymentMethod = { captureMode, authorizationType, vaultOnSuccess: false };
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode, amount: 1_000, paymentMethod },
      by,
    );
    if (session.kind === 'rejected') throw new Error(session.description);
    const { id } = session;
    const instrument = await service.instruments.tokenizeCard(given, checkout(accountId, id, world));
    return { sessionId: id, instrument };
  };
  const token = async (terms?: Terms) => {
    const { sessionId, instrument } = await tokenize(terms);
    if (instrument.kind === 'rejected') throw new Error(instrument.description);
    return { sessionId, paymentMethodToken: instrument.id };
  };
  const pay = async (terms?: Terms, by: (sessionId: string) => Caller = (id) => checkout(accountId, id, world)) => {
    const { sessionId, paymentMethodToken } = await token(terms);
    return service.payments.authorizeCheckoutPayment({ paymentMethodToken }, by(sessionId));
  };
  const paid = async (terms?: Terms): Promise<KnownPayment & { readonly id: string }> => {
    const answer = await pay(terms);
    if (answer.kind === 'rejected') throw new Error(answer.description);
    if (!isKnown(answer.doc)) throw new Error(answer.doc.status);
    return { ...answer.doc, id: answer.id };
  };
  return { ...stores, world, service, accountId, connect, set, tokenize, token, pay, paid };
}
