// API keys in the dashboard's API: created, rescoped, rotated and revoked; the API obeys from the next request on.
import { expect } from 'chai';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';

const Key = z.looseObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  state: z.string(),
  purpose: z.string(),
  previousUntil: z.string().optional(),
});
const Made = z.strictObject({ apiKey: Key, text: z.string() });
const List = z.strictObject({ data: z.array(Key), isCut: z.boolean() });

const KEYS = '/dashboard/api/keys';
const DAY_MS = 86_400_000;

describe('API keys in the dashboard', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const make = async (name: string, scopes: readonly string[], more: object = {}) => {
    const { status, body } = await dashboard.ask('developer', 'POST', KEYS, { name, scopes, ...more });
    expect(status).to.equal(200);
    return Made.parse(body);
  };
  const change = (id: string, verb: string, body: object = {}) =>
    dashboard.ask('owner', 'POST', `${KEYS}/${id}/${verb}`, body);
  const listed = async (id: string) =>
    List.parse((await dashboard.ask('owner', 'GET', KEYS)).body).data.find((one) => one.id === id);
  const called = async (text: string): Promise<number> =>
    (await fetch(`${dashboard.url}/payments`, { headers: { 'x-api-key': text } })).status;

  it('take effect on the next request: created, narrowed, revoked', async () => {
    const { apiKey, text } = await make('backend', ['transactions:retrieve', 'transactions:capture']);
    expect(await called(text)).to.equal(200);
    expect((await change(apiKey.id, 'scopes', { scopes: ['transactions:capture'] })).status).to.equal(200);
    expect(await called(text)).to.equal(403);
    expect((await change(apiKey.id, 'revoke')).status).to.equal(200);
    expect(await called(text)).to.equal(401);
    expect((await change(apiKey.id, 'scopes', { scopes: ['transactions:retrieve'] })).text).to.include('"Conflict"');
  });

  it('are listed without their text, and found by its beginning', async () => {
    const { apiKey, text } = await make('reports', ['transactions:retrieve'], { expiresInMs: DAY_MS });
    expect(text.startsWith(apiKey.prefix)).to.equal(true);
    const { text: list } = await dashboard.ask('developer', 'GET', KEYS);
    expect(list).not.to.include(text.slice(-70));
    expect(await listed(apiKey.id)).to.include({ name: 'reports', state: 'active' });
  });

  it('are rotated, and the text before is honoured for as long as it was asked', async () => {
    const { apiKey, text } = await make('rotated', ['transactions:retrieve']);
    const second = Made.parse((await change(apiKey.id, 'rotate', { overlapMs: DAY_MS })).body);
    expect([await called(text), await called(second.text)]).to.deep.equal([200, 200]);
    expect((await listed(apiKey.id))?.previousUntil).to.be.a('string');
    const third = Made.parse((await change(apiKey.id, 'rotate', { overlapMs: 0 })).body);
    expect([await called(second.text), await called(third.text)]).to.deep.equal([401, 200]);
  });

  it('are made and rotated once for each idempotency key, and a repeated request gets the first answer, the text too', async () => {
    const under = (key: string, path: string, body: object) =>
      dashboard.ask('developer', 'POST', `${KEYS}${path}`, body, { 'X-Idempotency-Key': key });
    const body = { name: 'twice', scopes: ['transactions:retrieve'] };
    const together = await Promise.all(Array.from({ length: 3 }, () => under('make', '', body)));
    for (const one of together)
      if (one.status !== 200) expect(one).to.have.nested.property('body.error.errorId', 'IdempotencyKeyInProgress');
    const again = await under('make', '', body);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([200, 'true']);
    const { apiKey, text } = Made.parse(again.body);
    expect(together.find(({ status }) => status === 200)?.body).to.deep.equal(again.body);
    const named = List.parse((await dashboard.ask('owner', 'GET', KEYS)).body).data.filter(
      ({ name }) => name === 'twice',
    );
    expect(named.length).to.equal(1);
    expect(await called(text)).to.equal(200);
    expect(await under('make', '', { ...body, name: 'other' })).to.have.nested.property(
      'body.error.errorId',
      'IdempotencyKeyReused',
    );

    const rotate = async (key: string) =>
      Made.parse((await under(key, `/${apiKey.id}/rotate`, { overlapMs: DAY_MS })).body);
    const [first, second, third] = [await rotate('one'), await rotate('one'), await rotate('two')];
    expect(second).to.deep.equal(first);
    expect(new Set([text, first.text, third.text]).size).to.equal(3);
    // One rotation more would have ended the text of the first.
    expect([await called(text), await called(first.text), await called(third.text)]).to.deep.equal([401, 200, 200]);
    // Nobody who reads the log can make the text, or knows the key of the request.
    const log: string[] = [];
    for await (const { data, metadata } of dashboard.opened.events.read(`apiKey-${apiKey.id}`, -1))
      log.push(data, metadata);
    expect(log.join()).not.to.include(text.slice(-70, -6)).and.not.include('make');
  });

  it('show their text to their maker alone: a colleague who repeats the request makes another key', async () => {
    const body = { name: 'repeated by a colleague', scopes: ['transactions:retrieve'] };
    const asked = async (role: 'owner' | 'developer') =>
      Made.parse((await dashboard.ask(role, 'POST', KEYS, body, { 'X-Idempotency-Key': 'dash-create-key-1' })).body);
    const [owners, developers] = [await asked('owner'), await asked('developer')];
    expect(developers.apiKey.id).not.to.equal(owners.apiKey.id);
    expect(developers.text).not.to.equal(owners.text);
  });

  it('name the user in their events', async () => {
    const { apiKey } = await make('named', ['transactions:retrieve']);
    await change(apiKey.id, 'revoke');
    const actors: unknown[] = [];
    for await (const { metadata } of dashboard.opened.events.read(`apiKey-${apiKey.id}`, -1))
      actors.push(JSON.parse(metadata).actor);
    const [developer, owner] = [dashboard.userIdOf('developer'), dashboard.userIdOf('owner')];
    expect(actors).to.deep.equal([
      { kind: 'user', id: developer },
      { kind: 'user', id: owner },
    ]);
  });

  it('of the sandbox and of other accounts are none, whatever is asked of them', async () => {
    const { data } = List.parse((await dashboard.ask('owner', 'GET', KEYS)).body);
    const sandbox = data.find(({ purpose }) => purpose === 'sandbox');
    const account = await dashboard.service.access.createAccount('Another');
    if (account.kind === 'rejected') throw new Error(account.description);
    const other = await dashboard.service.access.createApiKey({ accountId: account.id, name: 'theirs', scopes: [] });
    if (other.kind === 'rejected') throw new Error(other.description);
    expect(data.map(({ id }) => id)).not.to.include(other.id);
    for (const id of [sandbox?.id ?? '', other.id]) {
      for (const [verb, body] of [
        ['scopes', { scopes: [] }],
        ['rotate', { overlapMs: 0 }],
        ['revoke', {}],
      ] as const)
        expect((await change(id, verb, body)).status, `${verb} ${id}`).to.equal(404);
    }
  });

  it('need a name, a scope and an expiry within a year', async () => {
    for (const body of [
      { name: '', scopes: ['transactions:retrieve'] },
      { name: 'none', scopes: [] },
      { name: 'unknown', scopes: ['transactions:everything'] },
      { name: 'late', scopes: ['transactions:retrieve'], expiresInMs: 400 * DAY_MS },
    ])
      expect((await dashboard.ask('owner', 'POST', KEYS, body)).status, body.name).to.equal(422);
  });
});
