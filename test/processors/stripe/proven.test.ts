// A connection's record says whether its fences are proven, and so when "not found" counts.
import { expect } from 'chai';
import { secretsOfMachine } from '../../../src/cli/open/machine-secrets.ts';
import { openService, type Service } from '../../../src/service.ts';
import { done, known } from '../../support/answers.ts';
import { checkout, lookUpDue, memoryStores, merchant } from '../../support/node.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

const MINUTE_MS = 60_000;

describe('a lost confirmation of a connection to Stripe', () => {
  let shop: TwinShop;
  let world: MovableWorld;
  let service: Service;
  let accountId: string;
  let connectionId: string;
  beforeEach(async () => {
    shop = await openTwinShop();
    world = movableWorld();
    const { events, readModels, sandbox, secrets } = await memoryStores(world);
    service = await openService(
      {
        events,
        readModels,
        world,
        processors: new Map([['sandbox', sandbox]]),
        openable: new Map([['stripe', async () => shop.stripe]]),
        report: (fault) => expect.fail(String(fault)),
      },
      {
        mode: 'test',
        secrets,
        publicUrl: () => 'http://127.0.0.1:4000',
        post: () => Promise.reject(new Error('nobody is called')),
        secretOf: secretsOfMachine({ KEY: shop.connection.secrets['secretKey'] }),
      },
    );
    accountId = done(await service.access.createAccount('Shop')).id;
    const { apiUrl } = shop.connection;
    const asked = { accountId, processor: 'stripe', name: 'eu', secretKey: 'env:KEY', apiUrl };
    const added = await service.connections.add(asked);
    connectionId = done(added).id;
  });
  afterEach(() => shop.close());

  /** The status after the second look-up, ten minutes later. */
  async function statusOfLost(): Promise<string> {
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(accountId, world),
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const token = shop.twin.accounts[0].confirmationToken('pm_card_visa');
    const made = await service.instruments.tokenizeCard(
      { processorToken: { connectionId, type: 'confirmation_token', token } },
      checkout(accountId, session.id, world),
    );
    const confirmation = shop.twin.fault({ path: /confirm$/ }, { kind: 'hold', at: 'arrival' });
    shop.dropNext(/confirm$/);
    const asked = { clientToken: session.clientToken, paymentMethodToken: done(made).id };
    const { id } = done(await service.payments.authorizePayment(asked, merchant(accountId, world)));
    for (const ms of [MINUTE_MS, 10 * MINUTE_MS]) {
      world.advance(ms);
      await lookUpDue({ service });
    }
    await confirmation.release();
    expect(shop.twin.unreversed(id)).to.deep.equal([]);
    return known((await service.streams.payments.current(id)).state).status;
  }

  it('waits for the window until a run has shown that a fence proves it did not happen', async () => {
    expect(await statusOfLost()).to.equal('PENDING');
    done(await service.connections.recordRun(connectionId, true));
    expect(await statusOfLost()).to.equal('FAILED');
    done(await service.connections.recordRun(connectionId, false));
    expect(await statusOfLost()).to.equal('PENDING');
  });
});
