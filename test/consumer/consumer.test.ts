// 1,000 payments, told by webhooks that come twice, out of order, refused or not at all: the consumer ends with the
// books of the service.
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import pLimit from 'p-limit';
import { Counterfoil, type PaymentMessage } from '../../client/src/entry.ts';
import { openShortLivedEndpoint, type ShortLivedEndpoint } from '../../src/cli/listen/endpoint.ts';
import { forwardTo, type Misfortunes, Relay, type Relayed } from '../../src/cli/listen/relay.ts';
import { listen } from '../../src/cli/serve/http-listener.ts';
import { queueIdOf } from '../../src/commands/webhooks/queue-messages.ts';
import { deliveryIdOf } from '../../src/commands/webhooks/resend-message.ts';
import { webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { openReceivers, type Receivers } from '../../src/receivers/receivers.ts';
import { done } from '../support/answers.ts';
import { calmWorld } from '../support/calm-world.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { merchant } from '../support/node.ts';
import { until } from '../support/until.ts';
import { queued } from '../webhooks/told-node.ts';
import { Consumer, receive } from './consumer.ts';

const PAYMENTS = 1_000;
/** Of four payments one has one message, two have two, and one has three. */
const MESSAGES = 2 * PAYMENTS;
const AT_ONCE = 24;
const MISFORTUNES: Misfortunes = { duplicate: true, shuffle: true, drop: 0.2, seed: 7 };

describe('a consumer that is told by listen --duplicate --shuffle --drop 0.2', () => {
  let receivers: Receivers;
  let http: HttpService;
  let counterfoil: Counterfoil;
  let server: Server;
  let forwarding: ReturnType<typeof forwardTo>;
  let endpoint: ShortLivedEndpoint;
  let relay: Relay;
  let consumer: Consumer;
  const relayed: Relayed[] = [];
  const told: PaymentMessage[] = [];
  const ids: string[] = [];

  before(async () => {
    receivers = openReceivers({ world: calmWorld, isAllowed: () => true });
    http = await serveHttp({ post: receivers.post, sandboxInMemory: true });
    counterfoil = new Counterfoil({ apiKey: http.shop.key, baseUrl: `http://127.0.0.1:${http.port}` });
    server = createServer((request, response) => void receive(consumer)(request, response));
    forwarding = forwardTo(new URL(await listen(server, { host: '127.0.0.1', port: 0 })), calmWorld);
    const resend = async ({ told: { payment, sequence } }: Relayed['delivery']): Promise<void> =>
      void (await http.service.webhooks.resendWebhook(
        deliveryIdOf(queueIdOf(endpoint.id, payment?.id ?? ''), sequence),
      ));
    const onRelayed = (one: Relayed): void => void relayed.push(one);
    relay = new Relay({ forward: forwarding.forward, misfortunes: MISFORTUNES, world: calmWorld, onRelayed, resend });
    const wanted = { accountId: http.shop.accountId, address: '127.0.0.1' };
    endpoint = await openShortLivedEndpoint(http, wanted, (message, signal) => relay.take(message, signal));
    consumer = new Consumer({ secret: endpoint.secret, counterfoil, onMessage: (message) => void told.push(message) });
  });
  after(async () => {
    await endpoint.end();
    forwarding.close();
    server.close();
    await http.stop();
    receivers.close();
  });

  /** Authorized; of four one is captured as well, one is captured and refunded, and one is cancelled. */
  async function story(place: number, paymentMethodToken: string): Promise<string> {
    const { sessions, payments } = http.service;
    const caller = merchant(http.shop.accountId, http.world);
    const session = await sessions.createClientSession(
      { orderId: `order-${place}`, currencyCode: 'EUR', amount: 1_000 },
      caller,
    );
    if (session.kind === 'rejected') throw new Error(session.description);
    const { clientToken } = session;
    const { id } = done(await payments.authorizePayment({ clientToken, paymentMethodToken }, caller));
    if (place % 4 === 1 || place % 4 === 2) done(await payments.capturePayment(id, {}, caller));
    if (place % 4 === 2) done(await payments.refundPayment(id, {}, caller));
    if (place % 4 === 3) done(await payments.cancelPayment(id, {}, caller));
    return id;
  }

  it('hears of a thousand payments, badly', async () => {
    const token = await http.shop.vaulted('customer-1');
    const limited = pLimit(AT_ONCE);
    ids.push(
      ...(await Promise.all(Array.from({ length: PAYMENTS }, (_, place) => limited(() => story(place, token))))),
    );
    await until(async () => {
      if ((await waiting(http.world.now())) > 0) return false;
      // the last ones are queued a moment after their payments
      if ((await waiting()) === 0) return (await queued(http.service))['delivered'] === MESSAGES;
      http.world.advance(7_000); // refused messages come again
      http.service.lookAtOnce();
      return false;
    });
    await relay.close();
    for (const kind of ['refused', 'lost', 'copy', 'late', 'again'])
      expect(relayed.filter((one) => (one.kind === 'sent' ? one.sent : one.kind) === kind).length, kind).to.be.above(
        PAYMENTS / 20,
      );
  });

  it('knows by `previousSequence` that messages are missing, and reads them', async () => {
    expect(consumer.missing).to.be.above(0);
    const before = told.length;
    await consumer.catchUp();
    expect(consumer.missing).to.equal(0);
    expect(told.length - before).to.equal(relayed.filter(({ kind }) => kind === 'lost').length);
  });

  it('ends with every payment exactly as the service has it', async () => {
    expect(consumer.payments.size).to.equal(PAYMENTS);
    const limited = pLimit(AT_ONCE);
    const own = await Promise.all(
      ids.map((id) => limited(async () => JSON.stringify(await counterfoil.payments.get(id)))),
    );
    expect(ids.map((id) => JSON.stringify(consumer.payments.get(id)))).to.deep.equal(own);
  });

  it('got each event once, and all of them', async () => {
    const events: string[] = [];
    for await (const { eventId } of counterfoil.events.list({ limit: 100 })) events.push(eventId);
    expect(told.map(({ eventId }) => eventId).sort()).to.deep.equal(events.sort());
    const refunds = told.filter(({ eventType }) => eventType === 'PAYMENT.REFUND').length;
    expect(refunds).to.equal(PAYMENTS / 4);
  });

  /** Queues with a message that is due until then: 0 or 1. */
  async function waiting(to = Number.MAX_SAFE_INTEGER): Promise<number> {
    const found = await http.service.readModels.find(webhookQueues, { where: { dueAt: { to } }, limit: 1 });
    return found.length;
  }
});
