// Webhooks out: a payment's messages reach a real receiver, signed, in order, and again where it did not take them
// (contract §8).
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../client/src/verify-webhook.ts';
import { webhookEndpoints } from '../../src/projections/models/webhook-endpoints.ts';
import { openReceivers, type Receivers } from '../../src/receivers/receivers.ts';
import { calmWorld } from '../support/calm-world.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { openDispute } from '../support/open-dispute.ts';
import { until } from '../support/until.ts';
import { openReceiver, type Receiver } from './receiver.ts';

const MINUTE_MS = 60_000;

describe('webhooks out', () => {
  let receivers: Receivers;
  let http: HttpService;
  let receiver: Receiver;
  let secret: string;
  let endpointId: string;
  before(async () => {
    receivers = openReceivers({ world: calmWorld, isAllowed: () => true });
    http = await serveHttp({ post: receivers.post, sandboxInMemory: true });
    receiver = await openReceiver();
    const added = await http.service.webhooks.addWebhookEndpoint({ accountId: http.shop.accountId, url: receiver.url });
    if (added.kind === 'rejected') throw new Error(added.description);
    ({ secret, id: endpointId } = added);
  });
  after(async () => {
    await http.stop();
    receivers.close();
    await receiver.close();
  });

  const of = (paymentId: string) => receiver.received.filter(({ body }) => body.payment.id === paymentId);

  it('report a payment’s statuses in their order, signed by Standard Webhooks, each with the payment as it was', async () => {
    const { id } = await http.shop.captured();
    await until(() => of(id).length === 2);
    const [authorized, settled] = of(id);
    expect(authorized?.body)
      .to.include({ eventType: 'PAYMENT.STATUS', version: '1.0' })
      .and.not.have.property('previousSequence');
    expect(authorized?.body.payment.status).to.equal('AUTHORIZED');
    expect(settled?.body.payment.status).to.equal('SETTLED');
    expect(settled?.body.previousSequence).to.equal(authorized?.body.sequence);
    for (const message of of(id)) {
      expect(message.body.payment.version).to.equal(message.body.sequence);
      expect(message.headers['webhook-id']).to.equal(message.body.eventId);
      expect(new Webhook(secret).verify(message.text, message.headers)).to.deep.equal(message.body);
      expect(await verifyWebhook(message.text, message.headers, secret)).to.deep.equal(message.body);
    }
  });

  it('go where the log says, whatever the read model of endpoints holds', async () => {
    const { readModels } = http.service;
    const elsewhere = await openReceiver();
    const [row] = await readModels.get(webhookEndpoints, [endpointId]);
    if (row === undefined || row.doc.status === 'absent') throw new Error('the endpoint is missing');
    await readModels.write(webhookEndpoints, [
      { ...row, doc: { ...row.doc, url: elsewhere.url }, revision: row.revision + 1 },
    ]);
    const { id } = await http.shop.captured();
    await until(() => of(id).length === 2);
    expect(elsewhere.received).to.deep.equal([]);
    await elsewhere.close();
  });

  it('report a dispute as it is opened and as it is answered', async () => {
    const path = await openDispute(http);
    const [, , id = ''] = path.split('/');
    await http.shop.ask('POST', `${path}/evidence`, { text: 'Delivered, we win.', submit: true });
    await until(() => of(id).length === 4);
    expect(of(id).map(({ body }) => body.eventType)).to.deep.equal([
      'PAYMENT.STATUS',
      'PAYMENT.STATUS',
      'DISPUTE.OPENED',
      'DISPUTE.STATUS',
    ]);
    const [opened, challenged] = of(id).slice(2);
    expect(opened?.text).to.include('"status":"OPEN"');
    expect(challenged?.text).to.include('"status":"CHALLENGED"');
    expect(challenged?.body.previousSequence).to.equal(opened?.body.sequence);
    expect(await verifyWebhook(challenged?.text ?? '', challenged?.headers ?? {}, secret)).to.deep.equal(
      challenged?.body,
    );
  });

  it('come again 5 s later to a receiver that fails, with the same id and body', async () => {
    let calls = 0;
    receiver.answering = (_message, response) => {
      calls += 1;
      response.writeHead(calls === 1 ? 503 : 204).end();
    };
    const { id } = await http.shop.paid();
    await until(() => of(id).length === 1);
    await until(
      async () => (await http.service.streams.webhookQueues.current(`${endpointId}.${id}`)).head.revision === 1,
    );
    http.world.advance(7_000);
    http.service.lookAtOnce();
    await until(() => of(id).length === 2);
    const [first, second] = of(id);
    expect(second?.text).to.equal(first?.text);
    expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    receiver.answering = undefined;
  });

  it('wait for five minutes after the second failure, and hold back no later message', async () => {
    receiver.answering = ({ body }, response) =>
      void response.writeHead(body.payment.status === 'AUTHORIZED' ? 500 : 204).end();
    const { id } = await http.shop.captured();
    await until(() => of(id).some(({ body }) => body.payment.status === 'SETTLED'));
    receiver.answering = undefined;
    http.world.advance(7 * MINUTE_MS);
    http.service.lookAtOnce();
    await until(() => of(id).filter(({ body }) => body.payment.status === 'AUTHORIZED').length === 2);
  });

  it('end at an endpoint that answers 410', async () => {
    const gone = await openReceiver();
    gone.answering = (_message, response) => void response.writeHead(410).end();
    const added = await http.service.webhooks.addWebhookEndpoint({ accountId: http.shop.accountId, url: gone.url });
    if (added.kind === 'rejected') throw new Error(added.description);
    await http.shop.paid();
    await until(
      async () => (await http.service.streams.webhookEndpoints.current(added.id)).state.status === 'disabled',
    );
    const { id } = await http.shop.paid();
    await until(() => of(id).length === 1);
    expect(gone.received.length).to.equal(1);
    await gone.close();
  });

  it('end at once for what waits, too', async () => {
    const gone = await openReceiver();
    gone.answering = (_message, response) => void response.writeHead(500).end();
    const added = await http.service.webhooks.addWebhookEndpoint({ accountId: http.shop.accountId, url: gone.url });
    if (added.kind === 'rejected') throw new Error(added.description);
    for (let made = 0; made < 3; made += 1) await http.shop.paid();
    await until(() => gone.received.length === 3);
    gone.answering = (_message, response) => void response.writeHead(410).end();
    http.world.advance(7_000);
    http.service.lookAtOnce();
    await until(
      async () => (await http.service.streams.webhookEndpoints.current(added.id)).state.status === 'disabled',
    );
    const { id } = await http.shop.paid();
    await until(() => of(id).length === 1);
    expect(gone.received.length).to.equal(4); // one at a time while it fails
    await gone.close();
  });
});
