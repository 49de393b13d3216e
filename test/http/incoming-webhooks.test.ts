// POST /webhooks/{processor}/{token}: a path that stands for an API key, ends with it, and is never written down
// (contract §8).
import { expect } from 'chai';
import { parseApiKey } from '../../src/commands/access/api-key-text.ts';
import type { Answer, Ask } from '../support/http-request.ts';
import { notificationOf } from '../support/http-samples.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

describe('POST /webhooks/{processor}/{token}', () => {
  let http: HttpService;
  let logged: object[];
  beforeEach(async () => {
    logged = [];
    http = await serveHttp({ logged });
  });
  afterEach(() => http.stop());

  /** A path of a key of its own, and a way to send notifications to it or to another path. */
  const added = async () => {
    const key = await http.shop.newKey(['third_party:webhook_trigger']);
    const keyId = keyIdOf(key);
    const made = await http.service.access.addIncomingWebhook({ keyId, processor: 'sandbox' });
    if (made.kind === 'rejected') throw new Error('there is no path');
    const notification = notificationOf(http);
    const { token, webhookId } = made;
    const send = (path = `/webhooks/sandbox/${token}`, sent: Ask = notification): Promise<Answer> =>
      http.request('POST', path, sent);
    return { keyId, token, webhookId, send };
  };

  it('takes a notification without a header that names a key, as of the key that the path stands for', async () => {
    const { send, keyId } = await added();
    expect((await send()).status).to.equal(202);
    const [received] = await eventsOf(http, 'NotificationReceived');
    expect(received?.metadata).to.include(`"id":"${keyId}"`);
  });

  it('is 401 for another processor, another token and none, with the body of every 401', async () => {
    const { token, send } = await added();
    const missing = await http.request('POST', '/webhooks/sandbox', { text: '{}' });
    const other = token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const path of [
      `/webhooks/another/${token}`,
      `/webhooks/sandbox/${other}`,
      '/webhooks/sandbox/nonsense',
      '/webhooks/sandbox/%20',
    ]) {
      const refused = await send(path);
      expect([refused.status, refused.error?.description], path).to.deep.equal([401, missing.error?.description]);
    }
  });

  it('is 401 from the request after its revocation, or after that of its key, and 403 without the scope', async () => {
    const first = await added();
    await http.service.access.revokeIncomingWebhook(first.webhookId);
    expect((await first.send()).status).to.equal(401);
    const second = await added();
    await http.service.access.setApiKeyScopes(second.keyId, ['transactions:retrieve']);
    expect((await second.send()).status).to.equal(403);
    const third = await added();
    await http.service.access.revokeApiKey(third.keyId);
    expect((await third.send()).status).to.equal(401);
  });

  it('is 401 with a bad signature of the processor, as where a header names the key', async () => {
    const { token, send } = await added();
    expect((await send(undefined, { headers: { 'content-type': 'application/json' }, text: '{}' })).status).to.equal(
      401,
    );
    const forged = {
      'content-type': 'application/json',
      'x-sandbox-signature': `t=${Math.floor(http.world.now() / 1_000)},v1=${'0'.repeat(64)}`,
    };
    const refused = await send(undefined, { headers: forged, text: '{}' });
    expect(refused.status).to.equal(401);
    expect(JSON.stringify(refused)).not.to.include(token.slice(-40));
    expect(await eventsOf(http, 'NotificationReceived')).to.deep.equal([]);
  });

  it('is 401 when its key has expired', async () => {
    const made = await http.service.access.createApiKey({
      accountId: http.shop.accountId,
      name: 'Short',
      scopes: ['third_party:webhook_trigger'],
      expiresInMs: 60_000,
    });
    if (made.kind === 'rejected') throw new Error(made.description);
    const path = await http.service.access.addIncomingWebhook({ keyId: made.id, processor: 'sandbox' });
    if (path.kind === 'rejected') throw new Error(path.description);
    const { send } = await added();
    expect((await send(`/webhooks/sandbox/${path.token}`)).status).to.equal(202);
    http.world.advance(61_000);
    expect((await send(`/webhooks/sandbox/${path.token}`)).status).to.equal(401);
  });

  it('is refused for a key that may not send notifications, and for none', async () => {
    const id = keyIdOf(await http.shop.newKey(['transactions:retrieve']));
    expect(await http.service.access.addIncomingWebhook({ keyId: id, processor: 'sandbox' })).to.include({
      errorId: 'Conflict',
    });
    expect(await http.service.access.addIncomingWebhook({ keyId: 'key_0', processor: 'sandbox' })).to.include({
      errorId: 'NotFound',
    });
    expect(await http.service.access.revokeIncomingWebhook('key_0.1')).to.include({ errorId: 'NotFound' });
  });

  it('leaves its token in no event and no line of the log: only a keyed hash', async () => {
    const { token, send } = await added();
    await send();
    await http.request('GET', `/webhooks/sandbox/${token}`, {});
    await send(`/webhooks/sandbox/${token}/more`);
    expect(logged).to.have.length.greaterThan(2);
    expect(JSON.stringify(logged)).to.not.contain(token.slice(-40));
    const [, secret = token] = token.split('_');
    const told = await eventsOf(http);
    expect(told.filter(({ data, metadata }) => `${data}${metadata}`.includes(secret))).to.deep.equal([]);
    expect(told.some(({ type }) => type === 'IncomingWebhookAdded')).to.equal(true);
  });
});

const keyIdOf = ({ key }: { readonly key: string }): string => parseApiKey(key)?.keyId ?? '';

interface Told {
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

async function eventsOf(http: HttpService, type?: string): Promise<readonly Told[]> {
  const all: Told[] = [];
  for await (const batch of http.stores.events.follow(-1n, ['apiKey', 'notification'], AbortSignal.timeout(60_000))) {
    all.push(...batch.events);
    if (batch.caughtUp) break;
  }
  return type === undefined ? all : all.filter((one) => one.type === type);
}
