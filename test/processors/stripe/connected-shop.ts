// A service in memory whose account has a connection to the Stripe twin, for tests of what Stripe tells and lists.
import { secretsOfMachine } from '../../../src/cli/open/machine-secrets.ts';
import type { KnownPayment } from '../../../src/domain/payment/payment.ts';
import { openService, type Service } from '../../../src/service.ts';
import { done, known } from '../../support/answers.ts';
import { checkout, memoryStores, merchant } from '../../support/node.ts';
import { signatureOf } from '../../support/stripe-twin/webhooks.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';
import { openTwinShop, type TwinShop, WEBHOOK_SECRET } from './twin-shop.ts';

/** Older than what is left to notifications, newer than what a sweep takes again, ms. */
export const BEHIND_MS = 15 * 60_000;

export interface ConnectedShop {
  readonly shop: TwinShop;
  readonly world: MovableWorld;
  readonly service: Service;
  readonly accountId: string;
  readonly reported: readonly unknown[];
  /** How far the twin's clock is behind, ms: its events are older than what is left to notifications. */
  behindMs: number;
  /** Authorizes 10.00 EUR on a card that Stripe approves; of a customer: and saves the card. */
  paid(saving?: { readonly customerId: string; readonly method?: string }): Promise<string>;
  stateOf(paymentId: string): Promise<KnownPayment>;
  /** Reads the list of events; undefined where that failed. */
  sweep(): ReturnType<Service['work']['sweepEvents']>;
  /** Delivers an event of the twin to the service. */
  tell(event: object): Promise<void>;
  close(): Promise<void>;
}

export async function openConnectedShop(): Promise<ConnectedShop> {
  const connected = { behindMs: BEHIND_MS };
  const shop = await openTwinShop({ now: () => Date.now() - connected.behindMs });
  const world = movableWorld();
  const reported: unknown[] = [];
  const { events, readModels, secrets } = await memoryStores(world);
  const secretKey = shop.connection.secrets['secretKey'];
  const service = await openService(
    {
      events,
      readModels,
      world,
      processors: new Map(),
      openable: new Map([['stripe', async () => shop.stripe]]),
      report: (fault) => void reported.push(fault),
    },
    {
      mode: 'test',
      secrets,
      publicUrl: () => 'http://127.0.0.1:4000',
      post: () => Promise.reject(new Error('nobody is called')),
      secretOf: secretsOfMachine({ KEY: secretKey, HOOK: WEBHOOK_SECRET }),
      cardTestingLimits: false,
    },
  );
  const accountId = done(await service.access.createAccount('Shop')).id;
  const { apiUrl } = shop.connection;
  const asked = { accountId, processor: 'stripe', name: 'eu', secretKey: 'env:KEY', webhookSecret: 'env:HOOK', apiUrl };
  const connection = done(await service.connections.add(asked));
  const row = async () => {
    const found = await service.connections.known.read(connection.id);
    if (found === undefined) throw new Error('there is a connection');
    return found;
  };
  return Object.assign(connected, {
    shop,
    world,
    service,
    accountId,
    reported,
    async paid(saving?: { readonly customerId: string; readonly method?: string }) {
      const caller = merchant(accountId, world);
      const kept = { vaultOnSuccess: true, paymentType: 'FIRST_PAYMENT' as const };
      const asked = {
        orderId: 'o-1',
        currencyCode: 'EUR',
        amount: 1_000,
        ...(saving !== undefined && { customerId: saving.customerId }),
        paymentMethod: { authorizationType: 'ESTIMATED' as const, ...(saving !== undefined && kept) },
      };
      const session = await service.sessions.createClientSession(asked, caller);
      if (session.kind === 'rejected') throw new Error(session.errorId);
      const token = shop.twin.accounts[0].confirmationToken(saving?.method ?? 'pm_card_visa');
      const made = await service.instruments.tokenizeCard(
        { processorToken: { connectionId: connection.id, type: 'confirmation_token', token } },
        checkout(accountId, session.id, world),
      );
      const paying = { clientToken: session.clientToken, paymentMethodToken: done(made).id };
      return done(await service.payments.authorizePayment(paying, caller)).id;
    },
    stateOf: async (paymentId: string) => known((await service.streams.payments.current(paymentId)).state),
    async sweep() {
      shop.lines();
      return service.work.sweepEvents(await row(), 'sweep-events');
    },
    async tell(event: object) {
      const raw = JSON.stringify(event);
      const headers = { 'stripe-signature': signatureOf([WEBHOOK_SECRET], raw, world.now()) };
      const { webhookKeyId = '' } = (await row()).doc;
      const received = await service.notifications.receiveNotification(
        { processor: 'stripe', raw, headers },
        { ...merchant(accountId, world), actor: { kind: 'apiKey', id: webhookKeyId } },
      );
      if (received.kind !== 'received') throw new Error(JSON.stringify(received));
      await received.handled;
    },
    close: () => shop.close(),
  });
}
