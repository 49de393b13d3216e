// Connections in the dashboard's API, over the twin of Stripe: added once, shown without a secret, with the circuit and
// the last calls, given new references, checked and disabled.
import { expect } from 'chai';
import { z } from 'zod';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { type ConnectedDashboard, openConnectedDashboard } from '../../support/connected-dashboard.ts';
import { signedInUser } from '../../support/dashboard.ts';
import { until } from '../../support/until.ts';

const Call = z.strictObject({
  what: z.string(),
  at: z.string(),
  tookMs: z.number(),
  outcome: z.string(),
  code: z.string().optional(),
  detail: z.string().optional(),
  processorTransactionId: z.string().optional(),
});
const Connection = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  secrets: z.array(z.strictObject({ name: z.string(), reference: z.string(), problem: z.string().optional() })),
  burnProven: z.boolean(),
  webhookKeyId: z.string().nullable(),
  eventsSweptUntil: z.string().nullable(),
  previousWebhookSecretUntil: z.string().nullable(),
  circuit: z.strictObject({ open: z.boolean(), changedMs: z.number().optional(), triesInMs: z.number().optional() }),
  lastCall: Call.optional(),
});
const Made = z.strictObject({ connection: Connection, path: z.string() });
const BuiltIn = Connection.pick({ circuit: true, lastCall: true }).extend({ id: z.string() });
const List = z.strictObject({
  data: z.array(Connection),
  builtIn: z.array(BuiltIn),
  processors: z.array(z.string()),
  isCut: z.boolean(),
});
const Totals = z.strictObject({
  days: z.number(),
  data: z.array(
    z.strictObject({
      connectionId: z.string(),
      count: z.number(),
      currencies: z.array(z.strictObject({ currencyCode: z.string(), count: z.number(), amount: z.number() })),
    }),
  ),
});
const Detail = z.strictObject({ connection: Connection, calls: z.array(Call) });
const Examination = z.strictObject({
  isGood: z.boolean(),
  lines: z.array(z.strictObject({ name: z.string(), value: z.string(), isGood: z.boolean() })),
});

const PATH = '/dashboard/api/connections';
const HOOK = 'whsec_of_the_connection';

/** Which files the machine has is for operators. */
const unusable = (reference: string): string =>
  `The secret ${reference} cannot be used. An operator sees the reason with \`counterfoil connections show\`.`;

describe('connections in the dashboard', () => {
  let dashboard: ConnectedDashboard;
  let secretKey: string;
  let webhookSecret: string;
  let names = 0;
  before(async () => {
    dashboard = await openConnectedDashboard();
    secretKey = await dashboard.secretIn('key', dashboard.twin.accounts[0].secretKey);
    webhookSecret = await dashboard.secretIn('hook', HOOK);
  });
  after(() => dashboard.close());

  const nextName = (): string => {
    names += 1;
    return `eu ${names}`;
  };
  const wanted = (more: object = {}) => ({
    processor: 'stripe',
    name: nextName(),
    secretKey,
    webhookSecret,
    publishableKey: 'pk_test_twin',
    apiUrl: dashboard.twin.url,
    ...more,
  });
  const add = (body: object, key?: string) =>
    dashboard.ask('owner', 'POST', PATH, body, key === undefined ? {} : { 'X-Idempotency-Key': key });
  const added = async (more: object = {}) => {
    const { status, body, text } = await add(wanted(more));
    expect(status, text).to.equal(200);
    return Made.parse(body);
  };
  const change = (id: string, verb: string, body: object = {}) =>
    dashboard.ask('owner', 'POST', `${PATH}/${id}/${verb}`, body);
  const read = async (id: string) => Detail.parse((await dashboard.ask('owner', 'GET', `${PATH}/${id}`)).body);
  const listed = async () => List.parse((await dashboard.ask('developer', 'GET', PATH)).body);
  const isListed = (name: string) => until(async () => (await listed()).data.some((one) => one.name === name));
  const refused = ({ body }: { readonly body: unknown }) =>
    z.looseObject({ error: z.looseObject({ errorId: z.string(), description: z.string() }) }).parse(body).error;

  it('are added once for an idempotency key, and a repeated request gets the first answer, the URL too', async () => {
    const body = wanted();
    const together = await Promise.all(Array.from({ length: 3 }, () => add(body, 'once')));
    for (const one of together)
      if (one.status !== 200) expect(refused(one).errorId).to.equal('IdempotencyKeyInProgress');
    const again = await add(body, 'once');
    expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([200, 'true']);
    const { connection, path } = Made.parse(again.body);
    await isListed(body.name);
    expect((await change(connection.id, 'disable')).status).to.equal(200);
    expect(Made.parse((await add(body, 'once')).body).path).to.equal(path);
    const { data, processors } = await listed();
    expect(data.filter(({ name }) => name === body.name)).to.have.length(1);
    expect(processors).to.deep.equal(['stripe', 'sandbox']);
    const keys = (await dashboard.ask('owner', 'GET', '/dashboard/api/keys')).text;
    expect(keys.split(`"stripe ${body.name}"`)).to.have.length(2);
  });

  it('have one active connection for a name, of many requests in parallel, and a disabled one frees its name', async () => {
    const body = wanted();
    const together = await Promise.all(Array.from({ length: 4 }, (_, at) => add(body, `at-once-${at}`)));
    expect(together.map(({ status }) => status).toSorted()).to.deep.equal([200, 409, 409, 409]);
    for (const one of together)
      if (one.status === 409) expect(refused(one).description).to.contain(`named ${body.name}`);
    const { connection, path } = Made.parse(together.find(({ status }) => status === 200)?.body);
    await isListed(body.name);
    expect((await add(body)).status).to.equal(409);
    const incoming = z
      .looseObject({ data: z.array(z.looseObject({ keyId: z.string(), state: z.string() })) })
      .parse((await dashboard.ask('owner', 'GET', '/dashboard/api/webhooks/incoming')).body);
    const own = incoming.data.filter(({ keyId, state }) => keyId === connection.webhookKeyId && state === 'active');
    expect(own, 'one path that anybody knows').to.have.length(1);
    expect((await change(connection.id, 'disable')).status).to.equal(200);
    await until(async () =>
      (await listed()).data.every(({ name, status }) => name !== body.name || status === 'disabled'),
    );
    const second = Made.parse((await add(body)).body);
    expect(second.connection.id).not.to.equal(connection.id);
    expect(second.path).not.to.equal(path);
  });

  it('are in the log with the user who changed them, and their key too', async () => {
    const { connection } = await added();
    await change(connection.id, 'rotate', { publishableKey: 'pk_test_other' });
    await change(connection.id, 'disable');
    const actors = async (stream: string): Promise<readonly unknown[]> => {
      const found: unknown[] = [];
      for await (const { metadata } of dashboard.opened.events.read(stream, -1))
        found.push(JSON.parse(metadata).actor.id);
      return found;
    };
    const owner = dashboard.userIdOf('owner');
    expect(await actors(`connection-${connection.id}`)).to.deep.equal([owner, owner, owner]);
    expect(await actors(`apiKey-${connection.webhookKeyId}`)).to.deep.equal([owner, owner]);
  });

  it('are listed with the sandbox that is built in, each with what it authorized in the last 30 days', async () => {
    const { connection } = await added();
    const { builtIn } = await listed();
    expect(builtIn.map(({ id }) => id)).to.deep.equal(['sandbox']);
    const totals = async () =>
      Totals.parse((await dashboard.ask('developer', 'GET', '/dashboard/api/connection-totals')).body);
    const of = async (id: string) => (await totals()).data.find(({ connectionId }) => connectionId === id);
    expect(await of(connection.id)).to.equal(undefined);
    await dashboard.paidBy(connection.id, 'pm_card_visa');
    await dashboard.paidBy(connection.id, 'pm_card_visa');
    await dashboard.paidBy(connection.id, 'pm_card_chargeDeclinedInsufficientFunds');
    await until(async () => (await of(connection.id))?.count === 2);
    const { currencies } = (await of(connection.id)) ?? {};
    expect(currencies).to.have.length(1);
    expect(currencies?.[0]).to.include({ currencyCode: 'EUR', count: 2 });
    expect(currencies?.[0]?.amount).to.be.above(0);
    expect((await dashboard.ask('support', 'GET', '/dashboard/api/connection-totals')).status).to.equal(403);
  });

  it('say of a reference that is about to be named whether this process can use it, and neither the secret nor why', async () => {
    const own = await dashboard.secretIn('asked', '');
    const look = (body: object, role: 'owner' | 'support' = 'owner') =>
      dashboard.ask(role, 'POST', `${PATH}/references/look`, { processor: 'stripe', what: 'secretKey', ...body });
    expect((await look({ reference: own })).body).to.deep.equal({ isUsable: false });
    await dashboard.secretIn('asked', dashboard.twin.accounts[0].secretKey);
    const found = await look({ reference: own });
    expect(found.body).to.deep.equal({ isUsable: true });
    expect(found.text).not.to.contain(dashboard.twin.accounts[0].secretKey);
    expect((await look({ reference: own, what: 'webhookSecret' })).body, 'another kind of secret').to.deep.equal({
      isUsable: false,
    });
    expect((await look({ reference: 'file:/etc/hostname' })).body, 'no secret').to.deep.equal({ isUsable: false });
    expect((await look({ reference: 'env:NOT_SET_ANYWHERE' })).body).to.deep.equal({ isUsable: false });
    const typed = await look({ reference: 'env:sk_test_typed_in_place_of_a_name' });
    expect(refused(typed).errorId).to.equal('RequestValidationError');
    expect(typed.text).not.to.contain('sk_test_typed_in_place_of_a_name');
    expect(refused(await look({ reference: own, processor: 'sandbox' })).errorId).to.equal('RequestValidationError');
    expect((await look({ reference: own }, 'support')).status).to.equal(403);
  });

  it('say whether a run of connections check --script has proven their fences', async () => {
    const { id, burnProven } = (await added()).connection;
    expect(burnProven).to.equal(false);
    for (const isProven of [true, false]) {
      await dashboard.opened.service.connections.recordRun(id, isProven);
      await until(async () => (await read(id)).connection.burnProven === isProven);
    }
  });

  it('show their references, circuit and last calls, and no secret', async () => {
    const { connection, path } = await added();
    expect((await read(connection.id)).calls).to.deep.equal([]);
    const { id, status } = await dashboard.paidBy(connection.id, 'pm_card_visa');
    expect(status).to.equal('AUTHORIZED');
    await dashboard.paidBy(connection.id, 'pm_card_chargeDeclinedInsufficientFunds');
    const answer = await dashboard.ask('owner', 'GET', `${PATH}/${connection.id}`);
    const { connection: shown, calls } = Detail.parse(answer.body);
    expect(shown).to.deep.include({
      status: 'active',
      secrets: [
        { name: 'secretKey', reference: secretKey },
        { name: 'webhookSecret', reference: webhookSecret },
      ],
      circuit: { open: false },
      lastCall: calls[0],
    });
    expect(calls.map(({ what, outcome }) => `${what} ${outcome}`)).to.deep.equal([
      'authorization declined',
      'preparation prepared',
      'tokenization token',
      'authorization succeeded',
      'preparation prepared',
      'tokenization token',
    ]);
    expect(calls[0]).to.include({ code: 'INSUFFICIENT_FUNDS' });
    expect(calls[3]?.processorTransactionId).to.match(/^pi_/);
    expect(Date.parse(calls[0]?.at ?? '')).to.be.at.least(Date.parse(calls[5]?.at ?? ''));
    const texts = [answer.text, (await dashboard.ask('owner', 'GET', PATH)).text, id];
    for (const secret of [dashboard.twin.accounts[0].secretKey, HOOK, path.split('/').at(-1) ?? ''])
      expect(texts.join('\n')).not.to.contain(secret);
  });

  it('are listed for an API key without their references and secrets, even when they are disabled', async () => {
    const { connection, path } = await added();
    await change(connection.id, 'disable');
    const { key } = dashboard;
    const shown = async () =>
      (await dashboard.ask('anybody', 'GET', '/connections', undefined, { 'X-Api-Key': key })).text;
    const disabled = new RegExp(`"id":"${connection.id}",[^}]*"status":"DISABLED"`);
    await until(async () => disabled.test(await shown()));
    const secrets = [dashboard.twin.accounts[0].secretKey, HOOK, path.split('/').at(-1) ?? ''];
    for (const hidden of [...secrets, secretKey, webhookSecret, 'pk_test_twin', dashboard.twin.url])
      expect(await shown()).not.to.contain(hidden);
  });

  it('show an outcome that is unknown with the id of its request, and since when the circuit is open', async () => {
    const { connection } = await added();
    dashboard.twin.fault({ path: /confirm$/ }, { kind: 'server_error', effect: 'none' });
    expect((await dashboard.paidBy(connection.id, 'pm_card_visa')).status).to.equal('PENDING');
    const lost = (await read(connection.id)).calls.find(({ what }) => what === 'authorization');
    expect(lost).to.include({ outcome: 'unknown' });
    expect(lost?.detail).to.match(/status 500.* \(request req_\w+\)$/);
    const { circuits } = dashboard.service;
    for (let call = 0; call < circuits.limits.minCalls; call += 1)
      circuits.ended({ accountId: dashboard.accountId, connectionId: connection.id }, 'operation', 'unknown');
    const { circuit } = (await read(connection.id)).connection;
    expect(circuit).to.include({ open: true });
    expect(circuit.changedMs).to.be.within(0, 60_000);
    expect(circuit.triesInMs).to.be.within(1, circuits.limits.openMs);
    circuits.ended({ accountId: dashboard.accountId, connectionId: connection.id }, 'operation', 'declined');
    expect((await read(connection.id)).connection.circuit.open).to.equal(false);
  });

  it('say of each secret whether the process that responds can use it, and which reference it is', async () => {
    const own = await dashboard.secretIn('own', dashboard.twin.accounts[0].secretKey);
    const { connection } = await added({ secretKey: own });
    await dashboard.secretIn('own', '');
    const { secrets } = (await read(connection.id)).connection;
    expect(secrets[0]?.problem).to.equal(unusable(own));
    expect(secrets[1]?.problem).to.equal(undefined);
    expect((await listed()).data.find(({ id }) => id === connection.id)?.secrets).to.deep.equal(secrets);
    const examined = Examination.parse((await change(connection.id, 'check')).body);
    expect(examined).to.deep.equal({
      isGood: false,
      lines: [{ name: 'secret', value: unusable(own), isGood: false }],
    });
    const refusal = await dashboard.paidBy(connection.id, 'pm_card_visa').catch(String);
    expect(refusal).to.contain('answered 503').and.to.contain('Nothing was changed.');
    expect((await read(connection.id)).calls, 'nothing was sent').to.deep.equal([]);
  });

  it('are checked at the processor, with the URL that it should report to', async () => {
    const { connection, path } = await added();
    const before = Examination.parse((await change(connection.id, 'check')).body);
    expect(before.isGood).to.equal(false);
    expect(before.lines.filter(({ isGood }) => !isGood).map(({ name }) => name)).to.deep.equal(['webhook']);
    dashboard.twin.accounts[0].addEndpoint({ url: `${dashboard.url}${path}`, secrets: [HOOK] });
    const { isGood, lines } = Examination.parse((await change(connection.id, 'check')).body);
    expect([isGood, lines.filter((one) => !one.isGood)]).to.deep.equal([true, []]);
    expect(JSON.stringify(lines)).not.to.contain(path.split('/').at(-1));
    dashboard.twin.fault({ path: '/v1/account' }, { kind: 'bad_gateway', effect: 'none' });
    const away = Examination.parse((await change(connection.id, 'check')).body);
    expect(away.lines.find(({ name }) => name === 'account')).to.include({ isGood: false });
  });

  it('take new references of an active connection, and none of a disabled one', async () => {
    const { connection } = await added();
    const next = await dashboard.secretIn('next', 'whsec_next');
    const rotated = Connection.parse((await change(connection.id, 'rotate', { webhookSecret: next })).body);
    expect(rotated.secrets.map(({ name, reference }) => [name, reference])).to.deep.equal([
      ['secretKey', secretKey],
      ['webhookSecret', next],
      ['previousWebhookSecret', webhookSecret],
    ]);
    expect(Date.parse(rotated.previousWebhookSecretUntil ?? '')).to.be.above(Date.now());
    expect(refused(await change(connection.id, 'rotate', { webhookSecret: next })).errorId).to.equal('Conflict');
    const third = { webhookSecret: await dashboard.secretIn('third', 'whsec_third') };
    expect(refused(await change(connection.id, 'rotate', third)).description).to.contain(
      `${webhookSecret}, is still valid`,
    );
    const dropped = Connection.parse((await change(connection.id, 'rotate', { dropPrevious: true })).body);
    expect([dropped.secrets.length, dropped.previousWebhookSecretUntil]).to.deep.equal([2, null]);
    expect(refused(await change(connection.id, 'rotate', {})).errorId).to.equal('RequestValidationError');
    const live = await dashboard.secretIn('live', 'sk_live_of_somebody');
    const wrong = await change(connection.id, 'rotate', { secretKey: live });
    expect(refused(wrong).errorId).to.equal('RequestValidationError');
    expect(wrong.text).not.to.contain('sk_live_of_somebody');
    expect(Connection.parse((await change(connection.id, 'disable')).body).status).to.equal('disabled');
    expect((await change(connection.id, 'disable')).status).to.equal(200);
    expect(refused(await change(connection.id, 'rotate', { secretKey })).errorId).to.equal('Conflict');
  });

  it('are refused for bad input, which is not repeated, and leave no API key', async () => {
    const Keys = z.looseObject({
      data: z.array(z.looseObject({ id: z.string(), name: z.string(), state: z.string() })),
    });
    /** Without the time of the last use, which is recorded up to a minute later. */
    const keysOf = async () =>
      Keys.parse((await dashboard.ask('owner', 'GET', '/dashboard/api/keys')).body).data.map(
        ({ lastUsedAt: _later, ...key }) => key,
      );
    const before = await keysOf();
    const typed = 'sk_test_typed_in_place_of_a_reference';
    const long = 'x'.repeat(1_025);
    for (const more of [
      { secretKey: typed },
      { secretKey: `env:${typed}` },
      { webhookSecret: 'whsec_typed' },
      { publishableKey: typed },
      { secretKey: 'env:SURELY_NOT_SET' },
      { secretKey: long },
      { processor: 'sandbox' },
      { processor: '' },
      { name: ' ' },
      { name: 'eu\u202e' },
      { name: long },
      { apiUrl: 'http://user:pw@127.0.0.1' },
      { apiUrl: 'ftp://127.0.0.1' },
      { apiUrl: 7 },
      { other: true },
    ]) {
      const answer = await add(wanted(more));
      expect(refused(answer).errorId, JSON.stringify(more)).to.equal('RequestValidationError');
      expect(answer.text).not.to.contain(typed).and.not.to.contain('whsec_typed');
    }
    expect(await keysOf()).to.deep.equal(before);
  });

  it('name another server by owners alone, because the secret key is sent to it', async () => {
    const asDeveloper = await dashboard.ask('developer', 'POST', PATH, wanted());
    expect([asDeveloper.status, refused(asDeveloper).errorId]).to.deep.equal([403, 'InsufficientScope']);
    const { apiUrl: _none, ...own } = wanted();
    expect((await dashboard.ask('developer', 'POST', PATH, own)).status).to.equal(200);
  });

  it('take each token of the fields by its own idempotency key, and say that a disabled one is disabled', async () => {
    const { connection } = await added();
    const clientToken = await dashboard.shop.session();
    const tokenized = async (card: string, key: string, more: object = {}) => {
      const token = dashboard.twin.accounts[0].confirmationToken(card);
      const processorToken = { connectionId: connection.id, type: 'confirmation_token', token, ...more };
      const answer = await fetch(`${dashboard.url}/checkout/payment-instruments`, {
        method: 'POST',
        headers: { 'x-client-token': clientToken, 'x-idempotency-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ processorToken }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    expect((await tokenized('pm_card_visa', 'one')).status).to.equal(200);
    const other = await tokenized('pm_card_amex', 'one');
    expect([other.status, other.text]).to.deep.equal([422, other.text]);
    expect(other.text).to.contain('IdempotencyKeyReused');
    const wrong = await tokenized('pm_card_visa', 'two', { type: 'card' });
    expect(wrong.text).to.contain('The type must be confirmation_token').and.contain('"$.processorToken"');
    await change(connection.id, 'disable');
    expect((await tokenized('pm_card_visa', 'three')).text).to.contain('The connection is disabled.');
  });

  it('are for owners and developers of their own account, and references for those who operate the store', async () => {
    const { connection } = await added();
    for (const role of ['support', 'auditor', 'anybody'] as const) {
      const status = role === 'anybody' ? 401 : 403;
      expect((await dashboard.ask(role, 'GET', PATH)).status).to.equal(status);
      expect((await dashboard.ask(role, 'GET', `${PATH}/${connection.id}`)).status).to.equal(status);
      expect((await dashboard.ask(role, 'POST', `${PATH}/${connection.id}/check`, {})).status).to.equal(status);
      expect((await dashboard.ask(role, 'POST', `${PATH}/${connection.id}/disable`, {})).status).to.equal(status);
    }
    const { access } = dashboard.service;
    const account = await access.createAccount('Tenant');
    if (account.kind === 'rejected') throw new Error(account.description);
    const { cookie } = await signedInUser(dashboard.service, account.id, 'owner', 'owner@tenant.example');
    const asTenant = async (method: string, path: string, body?: object) => {
      const headers = { cookie: `counterfoil_session=${cookie}`, 'x-csrf': '1', 'content-type': 'application/json' };
      const answer = await fetch(`${dashboard.url}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    expect(JSON.parse((await asTenant('GET', PATH)).text).data).to.deep.equal([]);
    expect((await asTenant('GET', `${PATH}/${connection.id}`)).status).to.equal(404);
    for (const verb of ['disable', 'check'])
      expect((await asTenant('POST', `${PATH}/${connection.id}/${verb}`, {})).status).to.equal(404);
    for (const [path, body] of [
      [PATH, wanted()],
      [`${PATH}/${connection.id}/rotate`, { secretKey }],
    ] as const)
      expect((await asTenant('POST', path, body)).text).to.contain('whole store');
    expect((await dashboard.ask('owner', 'GET', `${PATH}/con_0`)).status).to.equal(404);
    expect((await change('con_0', 'rotate', { secretKey })).status).to.equal(404);
  });

  it('are 503 while the log is unavailable; the next request with the name finds the key of the first', async () => {
    const body = wanted();
    const { events, service } = dashboard.opened;
    await whileAway(
      events,
      'append',
      (stream) => String(stream).startsWith('connection-'),
      async () => {
        expect((await add(body, 'away')).status).to.equal(503);
      },
    );
    expect((await add(body, 'away')).status).to.equal(200);
    const keys = (await dashboard.ask('owner', 'GET', '/dashboard/api/keys')).text;
    expect(keys.split(`"stripe ${body.name}"`)).to.have.length(2);
    await whileAway(
      service.readModels,
      'find',
      () => true,
      async () => {
        expect((await dashboard.ask('owner', 'GET', PATH)).status).to.equal(503);
        expect((await add(wanted())).status).to.equal(503);
      },
    );
    expect((await dashboard.ask('owner', 'GET', PATH)).status).to.equal(200);
  });
});

/** Runs while a function of the store rejects, as it does when the store is unavailable. */
async function whileAway<Store extends object>(
  store: Store,
  name: keyof Store & string,
  isAway: (first: unknown) => boolean,
  run: () => Promise<void>,
): Promise<void> {
  const real = store[name];
  if (typeof real !== 'function') throw new TypeError(`${name} is not a function of the store`);
  const value = (...args: readonly unknown[]): unknown =>
    isAway(args[0])
      ? Promise.reject(new StoreUnavailable('a store does not respond'))
      : Reflect.apply(real, store, args);
  Object.defineProperty(store, name, { configurable: true, writable: true, value });
  try {
    await run();
  } finally {
    Object.defineProperty(store, name, { configurable: true, writable: true, value: real });
  }
}
