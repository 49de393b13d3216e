// Why each event is in the log: the request that began it all, and the event that it follows from.
import { expect } from 'chai';
import { EventMetadata } from '../../src/journal/envelope.ts';
import { expireInstruments } from '../../src/policies/due-work.ts';
import { runDue } from '../../src/policies/policy.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { done } from '../support/answers.ts';
import { eventsAfter } from '../support/http-appended.ts';
import {
  card,
  checkout,
  lookUpDue,
  memoryStores,
  merchant,
  nodeOn,
  type Stores,
  type TestNode,
} from '../support/node.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';

const ACCOUNT = 'acc_1';

describe('The cause of an event', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    node = await nodeOn(stores, {
      leaps: true,
      timings: { sendWithinMs: 1_000, answerWithinMs: 40, abandonAfterMs: 60_000 },
    });
  });

  const session = async () => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };
  const asked = (requestId: string) => ({ ...merchant(ACCOUNT, world), requestId });
  const tokenized = async (requestId: string): Promise<string> => {
    const { id } = await session();
    return done(await node.service.instruments.tokenizeCard(card(), { ...checkout(ACCOUNT, id, world), requestId })).id;
  };
  const log = (): Promise<readonly StoredEvent[]> => eventsAfter(stores.events, -1n);
  /** For the newest event of a type: its first cause, and the type of the event that it follows from. */
  const causeOf = async (type: string): Promise<readonly [correlationId: string, cause: string]> => {
    const events = await log();
    const event = events.findLast((one) => one.type === type);
    if (event === undefined) throw new Error(`no ${type}`);
    const { $correlationId, $causationId } = EventMetadata.parse(JSON.parse(event.metadata));
    return [$correlationId, events.find(({ id }) => id === $causationId)?.type ?? $causationId];
  };

  it('is the request, where no event led to it', async () => {
    await tokenized('r-1');
    const { type } = (await log()).at(-1) ?? { type: '' };
    expect(await causeOf(type)).to.deep.equal(['r-1', 'r-1']);
  });

  it('is the previous step, in work over several streams', async () => {
    const token = await tokenized('r-1');
    done(await node.service.instruments.vaultInstrument(token, { customerId: 'c-1' }, asked('r-2')));
    expect(await causeOf('VaultingRequested')).to.deep.equal(['r-2', 'r-2']);
    expect(await causeOf('InstrumentAdded')).to.deep.equal(['r-2', 'VaultingRequested']);
    expect(await causeOf('InstrumentVaulted')).to.deep.equal(['r-2', 'InstrumentAdded']);
    done(await node.service.instruments.deletePaymentInstrument(token, asked('r-3')));
    expect(await causeOf('InstrumentRemoved')).to.deep.equal(['r-3', 'InstrumentDeleted']);
  });

  it('is the event that made the work of a policy due, with the request of that event', async () => {
    await tokenized('r-1');
    const { type } = (await log()).at(-1) ?? { type: '' };
    world.advance(2 * 86_400_000);
    await runDue(expireInstruments(node.service.instruments), node.service.readModels, node.service.work);
    expect(await causeOf('InstrumentExpired')).to.deep.equal(['r-1', type]);
  });

  it('is the request on record of an attempt, for all that is learnt of it', async () => {
    const { clientToken, id } = await session();
    const token = done(
      await node.service.instruments.tokenizeCard(card('4000009900001044'), checkout(ACCOUNT, id, world)),
    ).id;
    const terms = { clientToken, paymentMethodToken: token, paymentMethod: { captureMode: 'AUTOMATIC' as const } };
    done(await node.service.payments.authorizePayment(terms, asked('r-4')));
    world.advance(31_000);
    await lookUpDue(node);
    expect(await causeOf('PaymentCreated')).to.deep.equal(['r-4', 'r-4']);
    expect(await causeOf('AuthorizationRequested')).to.deep.equal(['r-4', 'PaymentCreated']);
    expect(await causeOf('CaptureRequested')).to.deep.equal(['r-4', 'PaymentAuthorized']);
    const last = (await log()).at(-1);
    expect(await causeOf(last?.type ?? '')).to.deep.equal(['r-4', 'CaptureRequested']);
  });
});
