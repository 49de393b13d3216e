// Webhooks out against those who would make something of them: receivers that answer oddly, other endpoints, and very
// many endpoints.
import { expect } from 'chai';
import { WebhookVerificationError } from '../../client/src/errors.ts';
import { verifyWebhook } from '../../client/src/verify-webhook.ts';
import { openReceivers, type Receivers } from '../../src/receivers/receivers.ts';
import { calmWorld } from '../support/calm-world.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';
import { openReceiver, type Receiver } from './receiver.ts';

describe('webhooks out, attacked', () => {
  let receivers: Receivers;
  let http: HttpService;
  const opened: Receiver[] = [];
  before(async () => {
    receivers = openReceivers({ world: calmWorld, isAllowed: () => true });
    http = await serveHttp({ post: receivers.post, sandboxInMemory: true });
  });
  after(async () => {
    await http.stop();
    receivers.close();
    for (const receiver of opened) await receiver.close();
  });

  const endpoint = async (accountId = http.shop.accountId) => {
    const receiver = await openReceiver();
    opened.push(receiver);
    const added = await http.service.webhooks.addWebhookEndpoint({ accountId, url: receiver.url });
    if (added.kind === 'rejected') throw new Error(added.description);
    return { receiver, id: added.id, secret: added.secret };
  };

  it('verify at the endpoint that they are for, and at no other', async () => {
    const [one, two, foreign] = [await endpoint(), await endpoint(), await endpoint(http.other.accountId)];
    await http.shop.paid();
    await until(() => one.receiver.received.length === 1 && two.receiver.received.length === 1);
    const [message] = one.receiver.received;
    if (message === undefined) throw new Error('no message came');
    expect((await verifyWebhook(message.text, message.headers, one.secret)).eventId).to.equal(message.body.eventId);
    for (const { secret } of [two, foreign])
      expect(
        await verifyWebhook(message.text, message.headers, secret).then(
          () => 'verified',
          (fault: unknown) => fault instanceof WebhookVerificationError && fault.reason,
        ),
      ).to.equal('bad_signature');
    expect(foreign.receiver.received).to.deep.equal([]);
  });

  it('keep no card number of an answer, and no half of a character', async () => {
    const { receiver, id } = await endpoint();
    receiver.answering = (_message, response) =>
      void response.end(`4242424242424242 ${'x'.repeat(482)}\u{1f600} and more`);
    const { id: paymentId } = await http.shop.paid();
    const attempts = async () => {
      const { state } = await http.service.streams.webhookQueues.current(`${id}.${paymentId}`);
      return state.status === 'absent' ? [] : state.messages.flatMap((message) => message.attempts);
    };
    await until(async () => (await attempts()).length === 1);
    expect((await attempts())[0]?.body).to.equal(`4242420000004242 ${'x'.repeat(482)}`);
  });

  it('leave no secret in an event', async () => {
    const { secret, id, receiver } = await endpoint();
    const rotated = await http.service.webhooks.rotateWebhookSecret(id, 1_000);
    if (rotated.kind === 'rejected') throw new Error(rotated.description);
    const texts: string[] = [];
    for await (const batch of http.stores.events.follow(
      -1n,
      ['webhookEndpoint', 'webhookQueue'],
      AbortSignal.timeout(60_000),
    )) {
      texts.push(...batch.events.map(({ data, metadata }) => `${data}${metadata}`));
      if (batch.caughtUp) break;
    }
    const all = texts.join('\n');
    expect(all).to.include(receiver.url);
    for (const one of [secret, rotated.secret]) {
      const bytes = Buffer.from(one.slice('whsec_'.length), 'base64');
      for (const form of [one.slice('whsec_'.length), bytes.toString('hex'), bytes.toString('base64url')])
        expect(all).not.to.include(form);
    }
  });

  it('have types that exist, whatever else a list holds', async () => {
    const { accountId } = http.shop;
    for (const type of ['', '__proto__', 'constructor', 'toString', 'payment.status', 'PAYMENT.STATUS ', '*']) {
      const added = await http.service.webhooks.addWebhookEndpoint({
        accountId,
        url: 'http://127.0.0.1:9/',
        events: ['PAYMENT.STATUS', type],
      });
      expect(added, type).to.include({ kind: 'rejected', errorId: 'RequestValidationError' });
    }
  });

  it('go to a hundred endpoints of an account at most; a disabled one makes room', async () => {
    const made = await http.service.access.createAccount('Many');
    if (made.kind === 'rejected') throw new Error(made.description);
    const accountId = made.id;
    const add = () => http.service.webhooks.addWebhookEndpoint({ accountId, url: 'http://127.0.0.1:9/' });
    const first = await add();
    for (let there = 1; there < 100; there += 1) expect((await add()).kind).to.equal('completed');
    expect(await add()).to.include({ kind: 'rejected', errorId: 'Conflict' });
    if (first.kind === 'rejected') throw new Error(first.description);
    await http.service.webhooks.disableWebhookEndpoint(first.id);
    expect((await add()).kind).to.equal('completed');
  });
});
