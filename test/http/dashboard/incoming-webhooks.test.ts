// Incoming URLs in the dashboard's API: made once for each request, shown once, listed without their token, and refused
// once they are revoked.
import { expect } from 'chai';
import { z } from 'zod';
import { type Asker, type Dashboard, openDashboard } from '../../support/dashboard.ts';

const Incoming = z.strictObject({
  id: z.string(),
  processor: z.string(),
  keyId: z.string(),
  state: z.string(),
  addedAt: z.string(),
  revokedAt: z.string().nullable(),
});
const Made = z.strictObject({ incoming: Incoming, path: z.string() });
const List = z.strictObject({
  data: z.array(Incoming.extend({ keyName: z.string() })),
  processors: z.array(z.string()),
  isCut: z.boolean(),
});

const PATH = '/dashboard/api/webhooks/incoming';

describe('incoming URLs in the dashboard', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const keyOf = async (
    scopes: readonly ('third_party:webhook_trigger' | 'transactions:retrieve')[],
    accountId = dashboard.accountId,
  ) => {
    const made = await dashboard.service.access.createApiKey({ accountId, name: 'acquirer', scopes });
    if (made.kind === 'rejected') throw new Error(made.description);
    return made.id;
  };
  const make = (keyId: string, request: string, processor = 'sandbox', asker: Asker = 'developer') =>
    dashboard.ask(asker, 'POST', PATH, { processor, keyId }, { 'X-Idempotency-Key': request });
  const listed = async () => List.parse((await dashboard.ask('owner', 'GET', PATH)).body);
  /** 401: no such path. Else the processor's own signature is asked for. */
  const answerOn = async (path: string): Promise<string> => {
    const headers = { 'Content-Type': 'application/json', 'X-Sandbox-Signature': 't=1,v1=00' };
    const answer = await fetch(`${dashboard.url}${path}`, { method: 'POST', headers, body: '{}' });
    return `${answer.status} ${await answer.text()}`;
  };

  it('are made once for an idempotency key, and a repeated request gets the first answer, the URL too', async () => {
    const keyId = await keyOf(['third_party:webhook_trigger']);
    const together = await Promise.all(Array.from({ length: 3 }, () => make(keyId, 'once')));
    for (const one of together)
      if (one.status !== 200) expect(one).to.have.nested.property('body.error.errorId', 'IdempotencyKeyInProgress');
    const again = await make(keyId, 'once');
    expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([200, 'true']);
    const { incoming, path } = Made.parse(again.body);
    expect(incoming).to.include({ processor: 'sandbox', keyId, state: 'active', revokedAt: null });
    const { data, processors } = await listed();
    expect(data.filter((one) => one.keyId === keyId)).to.deep.equal([{ ...incoming, keyName: 'acquirer' }]);
    expect(processors).to.deep.equal(['sandbox']);
    expect(JSON.stringify(await listed())).not.to.include(path.split('/').at(-1));
    expect(Made.parse((await make(keyId, 'twice')).body).path).not.to.equal(path);
  });

  it('are refused from the request after their revocation on, which may be asked again', async () => {
    const { incoming, path } = Made.parse((await make(await keyOf(['third_party:webhook_trigger']), 'ends')).body);
    const before = await answerOn(path);
    const revoke = () => dashboard.ask('owner', 'POST', `${PATH}/${incoming.id}/revoke`, {});
    expect(Incoming.parse((await revoke()).body)).to.include({ id: incoming.id, state: 'revoked' });
    expect((await revoke()).status).to.equal(200);
    const after = await answerOn(path);
    expect(after).to.match(/^401 /).and.not.equal(before);
    const actors: unknown[] = [];
    for await (const { metadata } of dashboard.opened.events.read(`apiKey-${incoming.keyId}`, 0))
      actors.push(JSON.parse(metadata).actor.id);
    expect(actors).to.deep.equal([dashboard.userIdOf('developer'), dashboard.userIdOf('owner')]);
  });

  it('need an existing processor, and a key of the account that may send notifications', async () => {
    const keyId = await keyOf(['third_party:webhook_trigger']);
    expect(await make(keyId, 'a', 'elsewhere')).to.have.nested.property(
      'body.error.validationErrors[0].errors[0].path',
      '$.processor',
    );
    expect(await make(await keyOf(['transactions:retrieve']), 'b')).to.have.nested.property(
      'body.error.errorId',
      'Conflict',
    );
    expect((await make(`key_${'0'.repeat(32)}`, 'c')).status).to.equal(404);
    const account = await dashboard.service.access.createAccount('Another');
    if (account.kind === 'rejected') throw new Error(account.description);
    const theirs = await keyOf(['third_party:webhook_trigger'], account.id);
    expect((await make(theirs, 'd')).status).to.equal(404);
    const made = await dashboard.service.access.addIncomingWebhook({ keyId: theirs, processor: 'sandbox' });
    if (made.kind === 'rejected') throw new Error(made.description);
    expect((await dashboard.ask('owner', 'POST', `${PATH}/${made.webhookId}/revoke`, {})).status).to.equal(404);
    expect((await listed()).data.some((one) => one.keyId === theirs)).to.equal(false);
    for (const role of ['support', 'auditor'] as const)
      expect((await make(keyId, 'e', 'sandbox', role)).status).to.equal(403);
  });
});
