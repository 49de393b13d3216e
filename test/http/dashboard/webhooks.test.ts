// Webhooks in the dashboard's API: endpoints with their health, deliveries with what was sent and answered, one more on
// request.
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { actsOf, type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';
import { until } from '../../support/until.ts';
import { openReceiver, type Receiver } from '../../webhooks/receiver.ts';

const Attempt = z.looseObject({ at: z.string(), status: z.number().nullable(), fault: z.string().nullable() });
const Endpoint = z.looseObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()).optional(),
  state: z.string(),
  version: z.number(),
  health: z.string(),
  previousUntil: z.string().optional(),
  lastAttempt: Attempt.optional(),
});
const Made = z.strictObject({ endpoint: Endpoint, secret: z.string() });
const Endpoints = z.looseObject({ data: z.array(Endpoint), types: z.array(z.string()) });
const Delivery = z.looseObject({
  id: z.string(),
  paymentId: z.string(),
  eventType: z.string(),
  status: z.string(),
  discarded: z.string().nullable(),
  queuedAt: z.string(),
  nextAttemptAt: z.string().nullable(),
  lastAttempt: Attempt.nullable(),
});
const Deliveries = z.looseObject({ data: z.array(Delivery), nextCursor: z.string().optional() });
const Call = Attempt.extend({
  kind: z.literal('call'),
  body: z.string().nullable(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })).nullable(),
  isAsSent: z.boolean(),
});
const Resend = z.looseObject({ kind: z.literal('resend'), actor: z.object({ kind: z.string(), id: z.string() }) });
const Untaken = z.strictObject({ count: z.number(), isMore: z.boolean(), asOf: z.string() });
const Resent = z.strictObject({ resent: z.number(), nextCursor: z.string().optional() });
const Log = z.looseObject({
  delivery: Delivery,
  url: z.string(),
  endpointState: z.string(),
  body: z.string(),
  entries: z.array(z.discriminatedUnion('kind', [Call, Resend])),
});

const PATH = '/dashboard/api';
const DAY_MS = 86_400_000;

describe('webhooks in the dashboard', () => {
  let dashboard: Dashboard;
  let receiver: Receiver;
  let shop: Shop;
  before(async () => {
    dashboard = await openDashboard();
    receiver = await openReceiver();
    shop = shopOf(dashboard);
  });
  after(async () => {
    await dashboard.close();
    await receiver.close();
  });

  const ask = (method: string, path: string, body?: object) =>
    dashboard.ask('developer', method, `${PATH}${path}`, body);
  const add = async (url: string, events?: readonly string[]) => {
    const added = await ask('POST', '/webhook-endpoints', { url, ...(events !== undefined && { events }) });
    expect(added.status, added.text).to.equal(200);
    return Made.parse(added.body);
  };
  const endpoint = async (id: string) => Endpoint.parse((await ask('GET', `/webhook-endpoints/${id}`)).body);
  const deliveries = async (id: string, query = '') =>
    Deliveries.parse((await ask('GET', `/webhook-endpoints/${id}/deliveries${query}`)).body);
  const log = async (id: string) => Log.parse((await ask('GET', `/webhook-deliveries/${id}`)).body);
  const untilCalled = (id: string, status: string) =>
    until(async () => (await deliveries(id, `?status=${status}`)).data.some(({ lastAttempt }) => lastAttempt !== null));
  const disabled = (id: string) => ask('POST', `/webhook-endpoints/${id}/disable`, {});

  it('answer the secret of a new endpoint once, and never again', async () => {
    const { endpoint: made, secret } = await add(`${receiver.url}#not-sent`, ['PAYMENT.REFUND']);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect(made).to.include({ url: receiver.url, state: 'enabled', health: 'unused' });
    const listed = await ask('GET', '/webhook-endpoints');
    expect(listed.text).not.to.include('whsec_');
    expect(Endpoints.parse(listed.body).data.map(({ id }) => id)).to.include(made.id);
    await disabled(made.id);
  });

  it('show what each call sent and was answered, and the signature that proves it', async () => {
    const { endpoint: made, secret } = await add(receiver.url);
    receiver.answering = (_message, response) => void response.writeHead(500).end('out of order');
    const paymentId = (await shop.paid()).id;
    await untilCalled(made.id, 'retrying');
    expect(await endpoint(made.id)).to.deep.include({ health: 'failing' });
    const [failed] = (await deliveries(made.id, `?payment_id=${paymentId}`)).data;
    expect(failed).to.deep.include({ status: 'retrying', eventType: 'PAYMENT.STATUS' });
    expect(Date.parse(failed?.nextAttemptAt ?? '')).to.be.above(Date.now());
    const { body, url, entries } = await log(failed?.id ?? '');
    const [call] = entries;
    if (call?.kind !== 'call') throw new Error('the first entry is not a call');
    expect([url, call.status, call.body, call.isAsSent]).to.deep.equal([receiver.url, 500, 'out of order', true]);
    const received = receiver.received.find((one) => one.body.payment.id === paymentId);
    expect(body).to.equal(received?.text);
    for (const { name, value } of call.headers ?? [])
      expect(received?.headers[name.toLowerCase()], name).to.equal(value);
    const sent = Object.fromEntries((call.headers ?? []).map(({ name, value }) => [name, value]));
    expect(new Webhook(secret).verify(body, sent)).to.deep.equal(received?.body);

    receiver.answering = undefined;
    const resent = await ask('POST', `/webhook-deliveries/${failed?.id}/resend`, {});
    expect([resent.status, Delivery.parse(resent.body).status]).to.deep.equal([200, 'waiting']);
    await untilCalled(made.id, 'delivered');
    const after = await log(failed?.id ?? '');
    expect(after.entries.map(({ kind }) => kind)).to.deep.equal(['call', 'resend', 'call']);
    const [, asked] = after.entries;
    expect(asked?.kind === 'resend' && asked.actor).to.deep.equal({
      kind: 'user',
      id: dashboard.userIdOf('developer'),
    });
    expect(await endpoint(made.id)).to.deep.include({ health: 'failing_in_part' });

    const ofPayment = Deliveries.parse(
      (await dashboard.ask('owner', 'GET', `/dashboard/api/payments/${paymentId}/deliveries`)).body,
    );
    expect(ofPayment.data.map(({ id }) => id)).to.deep.equal([failed?.id]);
    await disabled(made.id);
    expect((await ask('POST', `/webhook-deliveries/${failed?.id}/resend`, {})).status).to.equal(409);
    expect([after.endpointState, (await log(failed?.id ?? '')).endpointState]).to.deep.equal(['enabled', 'disabled']);
  });

  it('are resent as a whole: every message that was not taken since a time, once for each count', async () => {
    const { endpoint: made } = await add(receiver.url);
    receiver.answering = (_message, response) => void response.writeHead(500).end();
    const paymentIds = [(await shop.paid()).id, (await shop.paid()).id];
    await until(async () => (await deliveries(made.id, '?status=retrying')).data.length === 2);
    await until(async () => (await ask('GET', `/webhook-endpoints/${made.id}`)).text.includes('"retrying":{"count":2'));
    expect((await deliveries(made.id, '?status=failed')).data).to.deep.equal([]);
    const { data: queued } = await deliveries(made.id);
    const [newest] = queued;
    expect((await deliveries(made.id, '?status=retrying&to_date=2020-01-01T00:00:00Z')).data).to.deep.equal([]);
    // both may be queued in one millisecond
    const sinceNewest = queued.filter(({ queuedAt }) => queuedAt === newest?.queuedAt).map(({ id }) => id);
    expect(
      (await deliveries(made.id, `?status=retrying&from_date=${newest?.queuedAt}`)).data.map(({ id }) => id),
    ).to.deep.equal(sinceNewest);
    const after = new Date(Date.parse(newest?.queuedAt ?? '') + 1).toISOString();
    expect((await deliveries(made.id, `?status=retrying&from_date=${after}`)).data).to.deep.equal([]);
    // Each message is refused twice: its next call is then minutes away.
    const isMinutesAway = ({ nextAttemptAt }: z.infer<typeof Delivery>) =>
      Date.parse(nextAttemptAt ?? '') > Date.now() + 60_000;
    await until(async () => (await deliveries(made.id)).data.every(isMinutesAway));
    const since = new Date(0).toISOString();
    const counted = Untaken.parse((await ask('GET', `/webhook-endpoints/${made.id}/untaken?since=${since}`)).body);
    expect(counted).to.deep.include({ count: 2, isMore: false });
    receiver.answering = undefined;
    const resend = async () => {
      let resent = 0;
      let cursor: string | undefined;
      do {
        const body = { since, asOf: counted.asOf, ...(cursor !== undefined && { cursor }) };
        const batch = Resent.parse((await ask('POST', `/webhook-endpoints/${made.id}/resend`, body)).body);
        resent += batch.resent;
        cursor = batch.nextCursor;
      } while (cursor !== undefined);
      return resent;
    };
    const twice = await Promise.all([resend(), resend()]); // a double click
    expect(twice[0] + twice[1]).to.equal(2);
    await until(async () => (await deliveries(made.id, '?status=delivered')).data.length === 2);
    expect(await resend()).to.equal(0);
    const acts = (await actsOf(dashboard)).filter(({ type }) => type === 'WebhookResendRequested');
    expect(acts.map(({ by }) => by)).to.deep.equal([dashboard.userIdOf('developer')]);
    const { entries } = await log(`${made.id}.${paymentIds[0]}.${newest?.id.split('.')[2]}`);
    expect(entries.map(({ kind }) => kind)).to.deep.equal(['call', 'call', 'resend', 'call']);
    await disabled(made.id);
    expect((await ask('POST', `/webhook-endpoints/${made.id}/resend`, { since, asOf: counted.asOf })).status).to.equal(
      409,
    );
  });

  it('are changed at the version that was shown, and of two people only one changes it', async () => {
    const { endpoint: made } = await add(receiver.url);
    const change = (body: object) =>
      dashboard.ask('developer', 'PATCH', `${PATH}/webhook-endpoints/${made.id}`, body, {
        'If-Match': `"${made.version}"`,
      });
    const changed = await change({ url: `${receiver.url}?moved`, events: ['PAYMENT.REFUND'] });
    expect(Endpoint.parse(changed.body)).to.deep.include({
      url: `${receiver.url}?moved`,
      events: ['PAYMENT.REFUND'],
      version: made.version + 1,
    });
    expect(await change({ events: null })).to.have.nested.property('body.error.errorId', 'PreconditionFailed');
    expect((await ask('PATCH', `/webhook-endpoints/${made.id}`, { events: null })).status).to.equal(200);
    expect((await endpoint(made.id)).events).to.equal(undefined);
    for (const role of ['support', 'auditor'] as const)
      expect((await dashboard.ask(role, 'PATCH', `${PATH}/webhook-endpoints/${made.id}`, {})).status, role).to.equal(
        403,
      );
    await ask('DELETE', `/webhook-endpoints/${made.id}`);
  });

  it('are deleted: lists leave them out, what waited is discarded with a reason, and it all stays readable', async () => {
    const { endpoint: made } = await add(receiver.url);
    receiver.answering = (_message, response) => void response.writeHead(500).end();
    const { id: paymentId } = await shop.paid();
    await untilCalled(made.id, 'retrying');
    receiver.answering = undefined;
    const deleted = await ask('DELETE', `/webhook-endpoints/${made.id}`);
    expect(Endpoint.parse(deleted.body)).to.deep.include({ id: made.id, state: 'deleted' });
    expect((await ask('DELETE', `/webhook-endpoints/${made.id}`)).status).to.equal(200);
    expect(Endpoints.parse((await ask('GET', '/webhook-endpoints')).body).data.map(({ id }) => id)).not.to.include(
      made.id,
    );
    expect(await endpoint(made.id)).to.deep.include({ state: 'deleted', url: receiver.url });
    const [waiting] = (await deliveries(made.id)).data;
    expect(waiting).to.deep.include({ status: 'retrying', discarded: 'deleted', nextAttemptAt: null });
    const ofPayment = await dashboard.ask('owner', 'GET', `/dashboard/api/payments/${paymentId}/deliveries`);
    expect(Deliveries.parse(ofPayment.body).data.map(({ discarded }) => discarded)).to.deep.equal(['deleted']);
    expect(await log(waiting?.id ?? '')).to.deep.include({ endpointState: 'deleted' });
    expect((await ask('POST', `/webhook-deliveries/${waiting?.id}/resend`, {})).status).to.equal(409);
    expect((await ask('POST', `/webhook-endpoints/${made.id}/disable`, {})).status).to.equal(404);
  });

  it('are changed once for each idempotency key, however often a request comes', async () => {
    const under = (key: string, path: string, body: object) =>
      dashboard.ask('developer', 'POST', `${PATH}${path}`, body, { 'X-Idempotency-Key': key });
    const url = `${receiver.url}?once`;
    const [first, ...others] = await Promise.all(
      Array.from({ length: 4 }, () => under('add', '/webhook-endpoints', { url })),
    );
    for (const { status, body } of others)
      if (status !== 200) expect([status, body]).to.have.nested.property('1.error.errorId', 'IdempotencyKeyInProgress');
    const again = await under('add', '/webhook-endpoints', { url });
    expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([200, 'true']);
    const made = Made.parse(again.body);
    if (first?.status === 200) expect(first.body).to.deep.equal(again.body);
    expect(
      Endpoints.parse((await ask('GET', '/webhook-endpoints')).body).data.filter((one) => one.url === url).length,
    ).to.equal(1);
    expect(await under('add', '/webhook-endpoints', { url: receiver.url })).to.have.nested.property(
      'body.error.errorId',
      'IdempotencyKeyReused',
    );

    const { id } = made.endpoint;
    const rotate = () => under('rotate', `/webhook-endpoints/${id}/rotate-secret`, { overlapMs: DAY_MS });
    const rotated = [Made.parse((await rotate()).body), Made.parse((await rotate()).body)];
    expect(rotated[0]).to.deep.equal(rotated[1]);
    expect(rotated[0]?.secret).not.to.equal(made.secret);

    await shop.paid();
    await untilCalled(id, 'delivered');
    const [delivery] = (await deliveries(id)).data;
    const resend = () => under('resend', `/webhook-deliveries/${delivery?.id}/resend`, {});
    expect((await resend()).status).to.equal(200);
    await until(async () => (await log(delivery?.id ?? '')).entries.length === 3);
    expect((await resend()).headers.get('Idempotent-Replayed')).to.equal('true');
    expect((await log(delivery?.id ?? '')).entries.map(({ kind }) => kind)).to.deep.equal(['call', 'resend', 'call']);
    await disabled(id);
    expect((await resend()).status).to.equal(200); // it was done, before the endpoint ended
  });

  it('are filtered by status, type and payment, page by page', async () => {
    const { endpoint: made } = await add(receiver.url);
    const ids: string[] = [];
    for (let paid = 0; paid < 3; paid += 1) ids.push((await shop.paid()).id);
    await until(async () => (await deliveries(made.id, '?status=delivered')).data.length === 3);
    const first = await deliveries(made.id, '?limit=2');
    const second = await deliveries(made.id, `?limit=2&cursor=${first.nextCursor}`);
    expect([...first.data, ...second.data].map(({ paymentId }) => paymentId)).to.have.members(ids);
    expect([first.data.length, second.nextCursor]).to.deep.equal([2, undefined]);
    expect((await deliveries(made.id, '?type=PAYMENT.REFUND')).data).to.deep.equal([]);
    expect((await deliveries(made.id, '?status=failed')).data).to.deep.equal([]);
    expect((await deliveries(made.id, `?payment_id=${ids[0]}`)).data.length).to.equal(1);
    expect(
      (await ask('GET', `/webhook-endpoints/${made.id}/deliveries?limit=2&status=failed&cursor=${first.nextCursor}`))
        .status,
    ).to.equal(400);
    await disabled(made.id);
  });

  it('rotate a secret, whose predecessor signs as well for a while', async () => {
    const { endpoint: made, secret } = await add(receiver.url);
    const rotated = Made.parse(
      (await ask('POST', `/webhook-endpoints/${made.id}/rotate-secret`, { overlapMs: DAY_MS })).body,
    );
    expect(rotated.secret).not.to.equal(secret);
    expect(Date.parse(rotated.endpoint.previousUntil ?? '')).to.be.within(
      Date.now() + DAY_MS - 60_000,
      Date.now() + DAY_MS,
    );
    const paymentId = (await shop.paid()).id;
    await untilCalled(made.id, 'delivered');
    const told = receiver.received.find((one) => one.body.payment.id === paymentId);
    for (const one of [secret, rotated.secret])
      expect(new Webhook(one).verify(told?.text ?? '', told?.headers ?? {})).to.be.an('object');
    expect((await disabled(made.id)).status).to.equal(200);
    expect((await ask('POST', `/webhook-endpoints/${made.id}/rotate-secret`, { overlapMs: 0 })).status).to.equal(409);
    expect(await endpoint(made.id))
      .to.include({ state: 'disabled' })
      .and.not.have.property('previousUntil');
  });

  it('are an event with the user as its actor, whatever is changed', async () => {
    const { endpoint: made } = await add(receiver.url);
    await dashboard.ask('owner', 'POST', `${PATH}/webhook-endpoints/${made.id}/disable`, {});
    const actors: unknown[] = [];
    for await (const { metadata } of dashboard.opened.events.read(`webhookEndpoint-${made.id}`, -1))
      actors.push(JSON.parse(metadata).actor);
    const [developer, owner] = [dashboard.userIdOf('developer'), dashboard.userIdOf('owner')];
    expect(actors).to.deep.equal([
      { kind: 'user', id: developer },
      { kind: 'user', id: owner },
    ]);
  });

  it('of another account are none, whatever is asked of them', async () => {
    const { access, webhooks } = dashboard.service;
    const account = await access.createAccount('Another');
    if (account.kind === 'rejected') throw new Error(account.description);
    const other = await webhooks.addWebhookEndpoint({ accountId: account.id, url: receiver.url });
    if (other.kind === 'rejected') throw new Error(other.description);
    for (const [method, path, body] of [
      ['GET', `/webhook-endpoints/${other.id}`],
      ['POST', `/webhook-endpoints/${other.id}/disable`, {}],
      ['POST', `/webhook-endpoints/${other.id}/rotate-secret`, { overlapMs: 0 }],
      ['GET', `/webhook-endpoints/${other.id}/untaken?since=2026-01-01T00:00:00Z`],
      [
        'POST',
        `/webhook-endpoints/${other.id}/resend`,
        { since: '2026-01-01T00:00:00Z', asOf: '2026-01-01T00:00:00Z' },
      ],
      ['GET', `/webhook-deliveries/${other.id}.pay_1.2`],
      ['POST', `/webhook-deliveries/${other.id}.pay_1.2/resend`, {}],
    ] as const)
      expect((await ask(method, path, body)).status, `${method} ${path}`).to.equal(404);
    expect(Endpoints.parse((await ask('GET', '/webhook-endpoints')).body).data.map(({ id }) => id)).not.to.include(
      other.id,
    );
    expect((await deliveries(other.id)).data).to.deep.equal([]);
  });

  it('need a URL that can be called, and known types', async () => {
    for (const body of [
      { url: '' },
      { url: 'shop.example/webhooks' },
      { url: 'ftp://shop.example' },
      { url: 'https://user:word@shop.example' },
      { url: receiver.url, events: [] },
      { url: receiver.url, events: ['PAYMENT.EVERYTHING'] },
    ])
      expect((await ask('POST', '/webhook-endpoints', body)).status, JSON.stringify(body)).to.equal(422);
  });
});
