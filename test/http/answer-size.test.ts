// Every route with the largest data that it accepts: no answer is larger than a mebibyte, and lists go on where they
// were cut (contract §1).
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { KEPT_PERIODS } from '../../src/domain/agreement/state.ts';
import { accept } from '../../src/domain/decider.ts';
import type { PaymentEvent } from '../../src/domain/payment/events.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { MOST_NOTES } from '../../src/domain/payment-note.ts';
import { isForUsers, type Route } from '../../src/http/route.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { SIGNATURE_HEADER, signatureOf } from '../../src/processors/sandbox/notifications.ts';
import { apiKeys } from '../../src/projections/models/api-keys.ts';
import { customerWallets } from '../../src/projections/models/customer-wallets.ts';
import { payments } from '../../src/projections/models/payments.ts';
import { CONSENT } from '../support/agreement-made.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { type Shop, shopOf } from '../support/dashboard-shop.ts';
import { until } from '../support/until.ts';

const MOST_BYTES = 1_048_576;
/** JSON makes two characters of each of these, and four of each in JSON that is a text of JSON. */
const QUOTES = '"'.repeat(255);
/** Six characters of each. */
const CONTROL = '\u0001'.repeat(255);
/** More than one answer has room for, with so large an order. */
const REFUNDS = 120;
const CUSTOMER = 'c-many-cards';
const DISPUTE = 'dsp_large';
const item = { amount: 1, name: QUOTES, description: QUOTES, itemId: QUOTES, taxCode: QUOTES };
/** Nearly the largest session, and the largest metadata. */
const LARGE = {
  amount: 100_000,
  customerId: CUSTOMER,
  metadata: { text: '"'.repeat(8_000) },
  order: { lineItems: Array.from({ length: 238 }, () => ({ ...item })) },
};
const Listed = z.looseObject({ data: z.array(z.unknown()), nextCursor: z.string().optional() });
const Deliveries = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })).min(1) });
const Made = z.looseObject({ endpoint: z.looseObject({ id: z.string() }) });

describe('the answers of all routes', function answersOfAllRoutes() {
  let dashboard: Dashboard;
  let shop: Shop;
  let clientToken: string;
  let paymentId: string;
  let paths: Readonly<Record<string, string>>;
  let secrets: string | undefined;
  let managementKey: string;

  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
    const endpoint = await dashboard.ask('owner', 'POST', '/dashboard/api/webhook-endpoints', {
      url: 'http://127.0.0.1:9/',
    });
    const endpointId = Made.parse(endpoint.body).endpoint.id;
    clientToken = await shop.session(LARGE);
    const paymentMethodToken = await shop.tokenize(clientToken);
    ({ id: paymentId } = z
      .looseObject({ id: z.string() })
      .parse(await shop.ask('/payments', { clientToken, paymentMethodToken })));
    await shop.ask(`/payments/${paymentId}/capture`, {});
    const refund = () => shop.ask(`/payments/${paymentId}/refund`, { amount: 1, orderId: CONTROL, reason: CONTROL });
    for (let at = 0; at < REFUNDS; at += 5) await Promise.all(Array.from({ length: 5 }, refund));
    await disputed();
    for (let at = 0; at < 8; at += 1)
      await shop.ask(`/payments/${paymentId}/disputes/${DISPUTE}/evidence`, {
        text: `${at}${'\u0001'.repeat(19_000)}`,
        submit: false,
      });
    const note = () =>
      dashboard.ask('owner', 'POST', `/dashboard/api/payments/${paymentId}/notes`, { text: '\u0001'.repeat(2_000) });
    for (let at = 0; at < MOST_NOTES; at += 5) await Promise.all(Array.from({ length: 5 }, note));
    for (let at = 0; at < 6; at += 1) await parked(`n-${at}`);
    await copies();
    await cards();
    await keys();
    await until(
      async () =>
        Listed.parse((await dashboard.ask('owner', 'GET', '/dashboard/api/parked-notifications')).body).data.length > 0,
    );
    const deliveries = `/dashboard/api/webhook-endpoints/${endpointId}/deliveries`;
    await until(async () => Deliveries.safeParse((await dashboard.ask('owner', 'GET', deliveries)).body).success);
    const [delivery] = Deliveries.parse((await dashboard.ask('owner', 'GET', deliveries)).body).data;
    const sessionId = z.looseObject({ sub: z.string() }).safeParse(claimsOf(clientToken)).data?.sub ?? '';
    const connectionId = await connected();
    const linkId = await links();
    const { agreementId, chargedId } = await agreed();
    managementKey = await newManagementKey();
    paths = pathsOf({
      endpointId,
      deliveryId: delivery?.id ?? '',
      sessionId,
      paymentMethodToken,
      connectionId,
      linkId,
      agreementId,
      chargedId,
    });
  });
  after(async () => {
    await dashboard.close();
    if (secrets !== undefined) await rm(secrets, { recursive: true });
  });

  /** More than one answer has room for; the id of the last one. */
  async function links(): Promise<string> {
    const { customerId: _anybody, ...fields } = LARGE;
    let id = '';
    for (let at = 0; at < 10; at += 1)
      ({ id } = z
        .looseObject({ id: z.string() })
        .parse(await shop.ask('/payment-links', { ...fields, orderId: `link-${at}`, currencyCode: 'EUR' })));
    return id;
  }

  /** More than one answer has room for, and the last one with as many periods as it lists. */
  async function agreed(): Promise<{ readonly agreementId: string; readonly chargedId: string }> {
    const Id = z.looseObject({ id: z.string() });
    const customerId = 'c-agreed';
    const kept = await shop.session({ amount: 1, customerId, paymentMethod: { vaultOnSuccess: true } });
    const paid = { clientToken: kept, paymentMethodToken: await shop.tokenize(kept) };
    const { id: first } = Id.parse(await shop.ask('/payments', paid));
    const { metadata } = LARGE;
    const terms = { amountRule: 'VARIABLE', currencyCode: 'EUR', description: QUOTES };
    const consent = { ...CONSENT, textUrl: QUOTES, ipAddress: QUOTES, userAgent: QUOTES };
    const asked = { paymentId: first, kind: 'UNSCHEDULED', terms, consent, metadata };
    let [id, chargedId] = ['', ''];
    for (let at = 0; at < 80; at += 1) ({ id } = Id.parse(await shop.ask('/agreements', asked)));
    for (let at = 100; at < 100 + KEPT_PERIODS; at += 1) {
      const period = { periodKey: `${at}${QUOTES.slice(3)}`, orderId: QUOTES, amount: 1 };
      ({ id: chargedId } = Id.parse(await shop.ask(`/agreements/${id}/charges`, period)));
    }
    return { agreementId: id, chargedId };
  }

  async function newManagementKey(): Promise<string> {
    const { service, accountId } = dashboard;
    const made = await service.access.createManagementKey({ accountId, name: 'terraform', grants: [] });
    return made.kind === 'rejected' ? expect.fail(made.description) : made.key;
  }

  async function connected(): Promise<string> {
    secrets = await mkdtemp(join(tmpdir(), 'counterfoil-secret-'));
    const file = join(secrets, 'key');
    await writeFile(file, 'sk_test_of_the_answers');
    const { service, accountId } = dashboard;
    const wanted = { accountId, processor: 'stripe', name: 'eu', secretKey: `file:${file}` };
    const added = await service.connections.add(wanted);
    return added.kind === 'rejected' ? expect.fail(added.description) : added.id;
  }

  /** Opens a dispute, as a processor's notification would. */
  async function disputed(): Promise<void> {
    const { service, accountId } = dashboard;
    const opened: PaymentEvent = {
      type: 'DisputeOpened',
      data: {
        round: 1,
        type: 'DISPUTE',
        disputeId: DISPUTE,
        processorDisputeId: 'dp-large',
        amount: 1,
        currencyCode: 'EUR',
        connectionId: 'sandbox',
        network: 'VISA',
        openedAt: service.world.now(),
        evidence: { source: 'notification' },
      },
    };
    await service.payments.recordFact(paymentId, operatorContext(service.world, accountId), () => () => accept(opened));
  }

  async function parked(notificationId: string): Promise<void> {
    const [key] = dashboard.opened.secrets.keys('sandbox-signature');
    if (key === undefined) throw new Error('no key to sign with');
    const told = {
      notificationId,
      type: 'authorization.succeeded',
      occurredAt: '2026-01-01T00:00:00Z',
      reference: 'nobody',
    };
    const money = { processorTransactionId: 'sbx_1', amount: 1, currencyCode: 'EUR' };
    const body = `${JSON.stringify({ ...told, ...money })}${'\n'.repeat(250_000)}`;
    const headers = {
      'x-api-key': dashboard.key,
      'content-type': 'application/json',
      [SIGNATURE_HEADER]: signatureOf(key, body, dashboard.opened.world.now()),
    };
    const answer = await fetch(`${dashboard.url}/webhooks/sandbox`, { method: 'POST', headers, body });
    expect(answer.status, await answer.text()).to.equal(202);
  }

  /** In the read model alone: payments with the largest metadata, of which each wants an operator. */
  async function copies(): Promise<void> {
    const { readModels } = dashboard.service;
    const [row] = await readModels.get(payments, [paymentId]);
    if (row === undefined || !isKnown(row.doc)) throw new Error('there is no payment');
    const { order: _large, attempts, disputes: _open, ...doc } = row.doc;
    const over = { ...doc, amountRefunded: doc.amountCaptured + 1, attempts: attempts.slice(0, 2), disputes: [] };
    const made = Array.from({ length: 150 }, (_, at) => ({
      id: `pay_copy${at}`,
      revision: 1,
      doc: { ...over, date: doc.date - at },
    }));
    await readModels.write(payments, made);
  }

  async function cards(): Promise<void> {
    const { service, accountId } = dashboard;
    const session = await shop.session({ customerId: CUSTOMER });
    const token = await shop.tokenize(session);
    await shop.ask(`/payment-instruments/${token}/vault`, { customerId: CUSTOMER });
    const [row] = await service.readModels.find(customerWallets, { where: {}, limit: 1 });
    if (row === undefined || row.doc.status === 'absent') throw new Error(`there is no wallet in ${accountId}`);
    const [first] = row.doc.instruments;
    if (first === undefined) throw new Error('the wallet is empty');
    const instruments = Array.from({ length: 3_000 }, (_, at) => ({
      ...first,
      token: `pm_card${at}`,
      description: QUOTES,
    }));
    await service.readModels.write(customerWallets, [
      { ...row, revision: row.revision + 1, doc: { ...row.doc, instruments } },
    ]);
  }

  async function keys(): Promise<void> {
    const { readModels } = dashboard.service;
    const [row] = await readModels.find(apiKeys, { where: { accountId: [dashboard.accountId] }, limit: 1 });
    if (row === undefined || row.doc.status === 'absent') throw new Error('there is no key');
    const webhooks = Array.from({ length: 20 }, (_, at) => ({
      webhookId: `w.${at}`,
      processor: 'sandbox',
      tokenHash: 'x',
      addedAt: 0,
    }));
    const doc = { ...row.doc, purpose: 'merchant' as const, name: CONTROL, webhooks };
    const made = Array.from({ length: 998 }, (_, at) => ({
      id: `key_${String(at).padStart(32, '0')}`,
      revision: 1,
      doc,
    }));
    await readModels.write(apiKeys, made);
  }

  /**
   * The paths of each route with parameters, or with a query that it needs or that makes its response larger; the
   * limits are the largest.
   */
  function pathsOf(of: {
    readonly endpointId: string;
    readonly deliveryId: string;
    readonly sessionId: string;
    readonly paymentMethodToken: string;
    readonly connectionId: string;
    readonly linkId: string;
    readonly agreementId: string;
    readonly chargedId: string;
  }) {
    const stream = `payment-${paymentId}`;
    const own = '/dashboard/api';
    return {
      '/client-session': `/client-session?clientToken=${clientToken}`,
      '/payments': '/payments?limit=100',
      '/payments/:id': `/payments/${paymentId}?expand=transactions.events`,
      '/payments/:id/events': `/payments/${paymentId}/events?limit=100`,
      '/payments/:id/why': `/payments/${paymentId}/why?limit=500`,
      '/events': '/events?limit=100',
      '/payment-instruments': `/payment-instruments?customer_id=${CUSTOMER}&limit=100`,
      '/payment-instruments/:token': `/payment-instruments/${of.paymentMethodToken}`,
      '/payment-links': '/payment-links?limit=100',
      '/payment-links/:id': `/payment-links/${of.linkId}`,
      '/agreements': '/agreements?limit=100',
      '/agreements/:id': `/agreements/${of.agreementId}`,
      '/agreements/:id/why': `/agreements/${of.agreementId}/why?limit=500`,
      '/checkout/payments/:id': `/checkout/payments/${paymentId}`,
      '/management/keys/:id': `/management/keys/key_${'0'.repeat(32)}`,
      '/management/users/:id': `/management/users/${dashboard.userIdOf('owner')}`,
      '/management/webhook-endpoints/:id': `/management/webhook-endpoints/${of.endpointId}`,
      [`${own}/keys/:id`]: `${own}/keys/key_${'0'.repeat(32)}`,
      [`${own}/users/:id`]: `${own}/users/${dashboard.userIdOf('owner')}`,
      [`${own}/payment-links`]: `${own}/payment-links?limit=100`,
      [`${own}/payment-links/:id`]: `${own}/payment-links/${of.linkId}`,
      [`${own}/agreements`]: `${own}/agreements?limit=100`,
      [`${own}/agreements/:id`]: `${own}/agreements/${of.agreementId}`,
      [`${own}/agreements/:id/tries`]: `${own}/agreements/${of.agreementId}/tries`,
      [`${own}/payments/:id/agreement-evidence`]: `${own}/payments/${of.chargedId}/agreement-evidence`,
      [`${own}/payments`]: `${own}/payments?limit=100`,
      [`${own}/payment-search`]: `${own}/payment-search?text=order-1`,
      [`${own}/payments/:id`]: `${own}/payments/${paymentId}`,
      [`${own}/payments/:id/events`]: `${own}/payments/${paymentId}/events`,
      [`${own}/payments/:id/stored-events`]: `${own}/payments/${paymentId}/stored-events`,
      [`${own}/payments/:id/after/:revision`]: `${own}/payments/${paymentId}/after/400`,
      [`${own}/payments/:id/why`]: `${own}/payments/${paymentId}/why`,
      [`${own}/payments/:id/notes`]: `${own}/payments/${paymentId}/notes`,
      [`${own}/payments/:id/deliveries`]: `${own}/payments/${paymentId}/deliveries`,
      [`${own}/customer`]: `${own}/customer?customer_id=${CUSTOMER}`,
      [`${own}/customers`]: `${own}/customers?limit=100`,
      [`${own}/disputes`]: `${own}/disputes?limit=100`,
      [`${own}/client-sessions`]: `${own}/client-sessions?limit=100`,
      [`${own}/client-sessions/:id`]: `${own}/client-sessions/${of.sessionId}`,
      [`${own}/payment-instruments`]: `${own}/payment-instruments?customer_id=${CUSTOMER}&limit=100`,
      [`${own}/payment-instruments/:token`]: `${own}/payment-instruments/${of.paymentMethodToken}`,
      [`${own}/connections/:id`]: `${own}/connections/${of.connectionId}`,
      [`${own}/webhook-endpoints/:id`]: `${own}/webhook-endpoints/${of.endpointId}`,
      [`${own}/webhook-endpoints/:id/deliveries`]: `${own}/webhook-endpoints/${of.endpointId}/deliveries?limit=100`,
      [`${own}/webhook-endpoints/:id/untaken`]: `${own}/webhook-endpoints/${of.endpointId}/untaken?since=2026-01-01T00%3A00%3A00Z`,
      [`${own}/webhook-deliveries/:id`]: `${own}/webhook-deliveries/${of.deliveryId}`,
      [`${own}/streams/:name/events`]: `${own}/streams/${stream}/events?limit=500`,
      [`${own}/streams/:name/state`]: `${own}/streams/${stream}/state`,
      [`${own}/streams/:name/verification`]: `${own}/streams/${stream}/verification`,
      [`${own}/events`]: `${own}/events?limit=200`,
      [`${own}/requests`]: `${own}/requests?limit=200`,
      [`${own}/overview`]: `${own}/overview?days=366`,
      [`${own}/webhooks/untaken`]: `${own}/webhooks/untaken?since=2020-01-01T00%3A00%3A00Z`,
      [`${own}/sandbox/ledger`]: `${own}/sandbox/ledger?limit=200`,
    };
  }

  const ask = async ({ scope }: Pick<Route, 'scope'>, method: string, path: string, body?: string) => {
    const headers = {
      ...(scope === 'clientToken'
        ? { 'x-client-token': clientToken }
        : { 'x-api-key': scope === 'management' ? managementKey : dashboard.key }),
      ...(isForUsers(scope) && { cookie: dashboard.cookieOf('owner') }),
      'x-csrf': '1',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const { 'x-api-key': _key, ...ofUser } = { 'x-api-key': '', ...headers };
    const sent = {
      method,
      redirect: 'manual',
      headers: isForUsers(scope) ? ofUser : headers,
      ...(body !== undefined && { body }),
    } as const;
    const answer = await fetch(`${dashboard.url}${path}`, sent);
    return { status: answer.status, text: await answer.text() };
  };

  /** The routes that read and return JSON. A stream has no size: its client takes it piece by piece. */
  const reads = (): readonly Route[] =>
    dashboard.routes.filter(({ method, description }) => method === 'GET' && description.answer !== undefined);

  it('have at most a mebibyte, where they read', async () => {
    const wrong: string[] = [];
    for (const route of reads()) {
      const path = paths[route.path] ?? route.path;
      if (/:\w/.test(path) && !/requests|projections/.test(path))
        wrong.push(`${route.path}: this test has no path of it`);
      const { status, text } = await ask(route, 'GET', path);
      const bytes = Buffer.byteLength(text);
      if (bytes > MOST_BYTES) wrong.push(`${route.path}: ${bytes} bytes`);
      if (status !== 200 && !/:\w/.test(path)) wrong.push(`${route.path}: ${status} ${text.slice(0, 200)}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  it('have at most a mebibyte, where they refuse a body with names as long as the body', async () => {
    const faults = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, '\u0000']));
    /** Nearly as large as a body may be: of any request, and of one that holds the fields of a session. */
    const bodies = [55_000, 120_000].flatMap((length) => {
      const long = 'a'.repeat(length);
      return [
        { [long]: 1 },
        { metadata: { [long]: faults }, order: { [long]: faults }, customer: { [long]: faults }, [long]: faults },
      ];
    });
    const wrong: string[] = [];
    for (const route of dashboard.routes.filter(({ bodyKind }) => bodyKind === 'json')) {
      for (const body of bodies) {
        const { text } = await ask(
          route,
          route.method,
          route.path.replaceAll(/:\w+/g, paymentId),
          JSON.stringify(body),
        );
        const bytes = Buffer.byteLength(text);
        if (bytes > MOST_BYTES) wrong.push(`${route.method} ${route.path}: ${bytes} bytes`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it('go on at their cursor where a page has ended early, and miss nothing', async () => {
    const counts: Record<string, readonly [pages: number, rows: number]> = {};
    for (const path of ['/payments', '/payments/:id/events', '/events', '/payment-instruments', '/agreements']) {
      const route = reads().find((one) => one.path === path);
      if (route === undefined) throw new Error(`there is no ${path}`);
      const seen = new Set<string>();
      let [pages, rows, cursor] = [0, 0, ''];
      do {
        const { data, nextCursor = '' } = Listed.parse(
          JSON.parse((await ask(route, 'GET', `${paths[path]}${cursor}`)).text),
        );
        for (const one of data) seen.add(JSON.stringify(one).slice(0, 200));
        [pages, rows] = [pages + 1, rows + data.length];
        cursor = nextCursor === '' ? '' : `&cursor=${nextCursor}`;
      } while (cursor !== '');
      expect(seen.size, path).to.equal(rows);
      counts[path] = [pages, rows];
    }
    const [pages = 0, rows = 0] = counts['/payments'] ?? [];
    expect(rows).to.equal(151 + 1 + KEPT_PERIODS);
    expect(pages, 'pages of payments').to.be.above(2);
    expect(counts['/payment-instruments']?.[1]).to.equal(3_000);
    expect(counts['/agreements']).to.deep.equal([2, 80]);
    expect(counts['/events']?.[0], 'pages of events').to.be.above(20);
  });

  it('leave out the oldest refunds of a payment only where they have no room, and say how many', async () => {
    const Shown = z.looseObject({ transactions: z.array(z.unknown()), transactionsOmitted: z.number().optional() });
    const [route] = reads().filter(({ path }) => path === '/payments/:id');
    if (route === undefined) throw new Error('there is no route');
    const { transactions, transactionsOmitted = 0 } = Shown.parse(
      JSON.parse((await ask(route, 'GET', `/payments/${paymentId}`)).text),
    );
    expect(transactions.length + transactionsOmitted).to.equal(REFUNDS + 1);
    expect(transactionsOmitted).to.be.above(0);
  });
});

/** The claims of a JSON web token. */
const claimsOf = (token: string): unknown => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
