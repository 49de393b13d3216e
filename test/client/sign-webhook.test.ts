// Webhooks that the client for Node signs for the tests of a merchant's receiver.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { WebhookVerificationError } from '../../client/src/errors.ts';
import { signTestWebhook, type TestMessage } from '../../client/src/sign-webhook.ts';
import { verifyWebhook } from '../../client/src/verify-webhook.ts';
import { messageHeaders } from '../../src/commands/webhooks/signature.ts';
import { Consumer, receive } from '../consumer/consumer.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const MESSAGE: TestMessage = { payment: { id: 'pay_1', status: 'SETTLED', metadata: { note: 'naïve ☂ "quoted"' } } };
const Address = z.object({ port: z.number() });

describe('signTestWebhook', () => {
  const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => expect.fail('it was verified'),
      (fault: unknown) => (fault instanceof WebhookVerificationError ? fault.reason : fault),
    );

  it('makes what verifyWebhook accepts, with an envelope of its own', async () => {
    const { body, headers } = await signTestWebhook(MESSAGE, SECRET);
    const message = await verifyWebhook(body, headers, SECRET);
    expect(message).to.deep.include({ ...MESSAGE, eventType: 'PAYMENT.STATUS', version: '1.0', sequence: 1 });
    expect(message.eventId)
      .to.match(/^evt_[0-9a-f-]{36}$/)
      .and.to.equal(headers['webhook-id']);
    expect(Math.abs(Date.parse(message.date) - Date.now())).to.be.below(60_000);
    expect((await signTestWebhook(MESSAGE, SECRET)).headers['webhook-id']).not.to.equal(message.eventId);
  });

  it('keeps every member that it is given', async () => {
    const given = {
      ...MESSAGE,
      ...{ eventId: 'evt_1', eventType: 'PAYMENT.REFUND', date: '2026-01-01T00:00:00.000Z', version: '2.0' },
      ...{ sequence: 4, previousSequence: 2 },
    };
    const { body, headers } = await signTestWebhook(given, SECRET);
    expect(await verifyWebhook(body, headers, SECRET)).to.deep.equal(given);
  });

  it('signs a message about an agreement', async () => {
    const agreement = { id: 'agr_1', status: 'ACTIVE' };
    const { body, headers } = await signTestWebhook({ agreement }, SECRET);
    const message = await verifyWebhook(body, headers, SECRET);
    expect(message).to.deep.include({ eventType: 'AGREEMENT.STATUS', agreement });
  });

  it('signs a message about a checkpoint', async () => {
    const sent = { eventId: 'evt_1', eventType: 'AUDIT.CHECKPOINT', date: '2026-01-01T00:00:00.000Z', version: '1.0' };
    const store = { format: 'counterfoil-checkpoint-1', storeId: 'a', treeSize: 3, root: 'b', position: '3' };
    const checkpoint = { ...store, madeAt: sent.date, publicKey: 'c', signature: 'd' };
    const { body, headers } = await signTestWebhook({ ...sent, sequence: 0, checkpoint }, SECRET);
    const message = await verifyWebhook(body, headers, SECRET, { checkpoints: true });
    expect(message).to.deep.equal({ ...sent, sequence: 0, checkpoint });
  });

  it('has the headers of the service, and the signature of the standardwebhooks package', async () => {
    const { body, headers } = await signTestWebhook(MESSAGE, SECRET);
    const sent = messageHeaders({ messageId: 'evt_1', timestamp: 1, signature: 'v1,x' });
    const names = Object.keys(sent).map((name) => name.toLowerCase());
    expect(names.filter((name) => name !== 'user-agent')).to.have.members(Object.keys(headers));
    expect(headers['content-type']).to.equal(sent['Content-Type']);
    expect(new Webhook(SECRET).verify(body, headers)).to.deep.equal(JSON.parse(body));
  });

  it('makes what a receiver has to refuse: another secret, a changed body, another time', async () => {
    const { body, headers } = await signTestWebhook(MESSAGE, OTHER);
    expect(await reasonOf(verifyWebhook(body, headers, SECRET))).to.equal('bad_signature');
    expect(await reasonOf(verifyWebhook(`${body} `, headers, OTHER))).to.equal('bad_signature');
    const at = (ms: number) => signTestWebhook(MESSAGE, SECRET, { at: new Date(Date.now() + ms) });
    const old = await at(-600_000);
    expect(await reasonOf(verifyWebhook(old.body, old.headers, SECRET))).to.equal('too_old');
    const early = await at(600_000);
    expect(await reasonOf(verifyWebhook(early.body, early.headers, SECRET))).to.equal('too_new');
  });

  it('says that a secret is wrong', async () => {
    const fault = await reasonOf(signTestWebhook(MESSAGE, 'cf_test_key'));
    expect(fault).to.be.instanceOf(TypeError).with.property('message').that.includes('whsec_');
  });

  it('tests a receiver over HTTP, without the service', async () => {
    const told: string[] = [];
    const counterfoil = { events: { list: () => expect.fail('the service was called') } };
    const consumer = new Consumer({
      secret: SECRET,
      counterfoil,
      onMessage: ({ payment }) => void told.push(payment.id),
    });
    const server = createServer((request, response) => void receive(consumer)(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${Address.parse(server.address()).port}`;
    const posted = async (secret: string): Promise<number> =>
      (await fetch(url, { method: 'POST', ...(await signTestWebhook(MESSAGE, secret)) })).status;
    try {
      expect([await posted(SECRET), await posted(OTHER)]).to.deep.equal([204, 400]);
      expect(told).to.deep.equal(['pay_1']);
    } finally {
      server.close();
    }
  });
});
