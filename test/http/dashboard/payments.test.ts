// The dashboard's payments over HTTP: lists, search, one payment with its story, and what a user does to it, once.
import { expect } from 'chai';
import { z } from 'zod';
import { SCOPES } from '../../../src/domain/scopes.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';
import { until } from '../../support/until.ts';

const Item = z.looseObject({
  id: z.string(),
  status: z.string(),
  orderId: z.string(),
  derivedStatus: z.string().optional(),
  reason: z.looseObject({ message: z.string() }).optional(),
});
const Unresolved = z.looseObject({ data: z.array(Item), pending: z.object({ count: z.int(), isMore: z.boolean() }) });
const List = z.strictObject({ data: z.array(Item), nextCursor: z.string().optional() });
const Search = z.looseObject({
  matches: z.array(z.strictObject({ by: z.string(), data: z.array(Item), hasMore: z.boolean() })),
});
const Detail = z.looseObject({
  derivedStatus: z.string().optional(),
  payment: z.looseObject({
    id: z.string(),
    status: z.string(),
    version: z.number(),
    processor: z.looseObject({ amountRefunded: z.number(), processorTransactionId: z.string().optional() }),
  }),
  openAttempts: z.array(z.looseObject({ attemptId: z.string(), state: z.string(), lookUpAt: z.string().nullable() })),
  possible: z.strictObject({
    captureUpTo: z.number(),
    refundUpTo: z.number(),
    canCancel: z.boolean(),
    canAdjust: z.boolean(),
  }),
  sessionId: z.string().optional(),
});
const Story = z.strictObject({
  data: z.array(
    z.looseObject({
      type: z.string(),
      title: z.string(),
      told: z.string().optional(),
      actor: z.strictObject({ kind: z.string(), id: z.string(), name: z.string().optional() }),
    }),
  ),
  isWhole: z.boolean(),
});
const Messages = z.looseObject({
  data: z.array(z.looseObject({ eventId: z.string(), payment: z.looseObject({ id: z.string() }) })),
});
const Disputes = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), paymentId: z.string() })) });
const Refusal = z.object({ error: z.looseObject({ errorId: z.string(), description: z.string() }) });

describe("the dashboard's payments", () => {
  let dashboard: Dashboard;
  let shop: Shop;
  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
  });
  after(() => dashboard.close());

  const read = async <Body>(path: string, shape: z.ZodType<Body>): Promise<Body> =>
    shape.parse((await dashboard.ask('auditor', 'GET', `/dashboard/api${path}`)).body);
  const detailOf = (id: string) => read(`/payments/${id}`, Detail);
  const refund = (id: string, amount: number, key: string, role: 'support' | 'owner' = 'support', seen?: number) =>
    dashboard.ask(
      role,
      'POST',
      `/dashboard/api/payments/${id}/refund`,
      { amount },
      { 'x-idempotency-key': key, ...(seen !== undefined && { 'if-match': `"${seen}"` }) },
    );

  it('have idempotency keys of each user, apart from those of colleagues and of API keys', async () => {
    const { id } = await shop.captured();
    expect((await refund(id, 100, 'w1')).status).to.equal(200);
    const colleague = await refund(id, 200, 'w1', 'owner');
    expect([colleague.status, colleague.headers.get('idempotent-replayed')]).to.deep.equal([200, null]);
    const headers = { 'x-api-key': dashboard.key, 'x-idempotency-key': 'w1' };
    const merchant = await dashboard.ask('anybody', 'POST', `/payments/${id}/refund`, { amount: 300 }, headers);
    expect(merchant.status).to.equal(200);
    expect((await detailOf(id)).payment.processor.amountRefunded).to.equal(600);
  });

  it('are refunded under a key that a colleague has used for something else before', async () => {
    const { id, version } = await shop.captured();
    const key = `dash-refund-${id}-${version}`;
    const blocked = { name: 'blocks a refund', scopes: ['transactions:retrieve'] };
    const taken = await dashboard.ask('developer', 'POST', '/dashboard/api/keys', blocked, {
      'x-idempotency-key': key,
    });
    const refunded = await refund(id, 100, key);
    expect([taken.status, refunded.status]).to.deep.equal([200, 200]);
  });

  it('are captured and refunded by one user under the same key, which is one of each operation', async () => {
    const { id } = await shop.paid();
    const headers = { 'x-idempotency-key': 'one text' };
    const captured = await dashboard.ask('support', 'POST', `/dashboard/api/payments/${id}/capture`, {}, headers);
    expect([captured.status, (await refund(id, 100, 'one text')).status]).to.deep.equal([200, 200]);
  });

  it('are listed by the filters of the API, page by page', async () => {
    const orderId = 'order, with a comma';
    const [first, second] = [
      await shop.captured({ session: { orderId } }),
      await shop.captured({ session: { orderId } }),
    ];
    const filter = `order_id=${encodeURIComponent(orderId)}&status=SETTLED&limit=1`;
    const page = await read(`/payments?${filter}`, List);
    const rest = await read(`/payments?${filter}&cursor=${page.nextCursor}`, List);
    expect([...page.data, ...rest.data].map(({ id }) => id)).to.deep.equal([second.id, first.id]);
    expect(rest.nextCursor).to.equal(undefined);
  });

  it('are listed with the oldest first, and a cursor belongs to its order', async () => {
    const orderId = 'by date';
    const made = [await shop.paid({ session: { orderId } }), await shop.paid({ session: { orderId } })].map(
      ({ id }) => id,
    );
    const filter = `order_id=by+date&limit=1&sort=oldest`;
    const page = await read(`/payments?${filter}`, List);
    const rest = await read(`/payments?${filter}&cursor=${page.nextCursor}`, List);
    expect([...page.data, ...rest.data].map(({ id }) => id)).to.deep.equal(made);
    const other = `/dashboard/api/payments?order_id=by+date&limit=1&cursor=${page.nextCursor}`;
    expect((await dashboard.ask('auditor', 'GET', other)).status).to.equal(400);
    expect((await dashboard.ask('auditor', 'GET', '/dashboard/api/payments?sort=dearest')).status).to.equal(422);
  });

  it('are counted, and their amounts added up in each currency', async () => {
    const orderId = 'added up';
    await shop.paid({ session: { orderId } });
    await shop.paid({ session: { orderId, amount: 10 } });
    await shop.paid({ session: { orderId, amount: 700, currencyCode: 'JPY' } });
    expect(await read('/payment-totals?order_id=added+up', z.unknown())).to.deep.equal({
      count: 3,
      isMore: false,
      currencies: [
        { currencyCode: 'EUR', count: 2, amount: 5_500 },
        { currencyCode: 'JPY', count: 1, amount: 700 },
      ],
    });
    expect(await read('/payment-totals?order_id=of+nobody', z.unknown())).to.deep.equal({
      count: 0,
      isMore: false,
      currencies: [],
    });
    const bare = await dashboard.ask('auditor', 'GET', '/dashboard/api/payment-totals?min_amount=1');
    expect(bare.status).to.equal(422);
  });

  it('are found by id, order, customer and the last four digits, each for what it is', async () => {
    const { id } = await shop.paid({ session: { orderId: '4242', customerId: 'ada' } });
    const by = async (text: string) =>
      (await read(`/payment-search?text=${encodeURIComponent(text)}`, Search)).matches.map((match) => [
        match.by,
        match.data.some((one) => one.id === id),
      ]);
    expect(await by(id)).to.deep.equal([['id', true]]);
    expect(await by(' ada ')).to.deep.equal([['customerId', true]]);
    expect(await by('4242')).to.deep.equal([
      ['orderId', true],
      ['last4Digits', true],
    ]);
    expect(await by('nothing is called so')).to.deep.equal([]);
  });

  it('are found by an event of a webhook, by the request that made them, and by the name at the processor', async () => {
    const { id } = await shop.paid();
    const { payment } = await detailOf(id);
    const headers = { 'x-api-key': dashboard.key, 'x-idempotency-key': 'found', 'content-type': 'application/json' };
    const eventIds: string[] = [];
    await until(async () => {
      const told = Messages.parse(await (await fetch(`${dashboard.url}/events?limit=100`, { headers })).json());
      eventIds.push(...told.data.flatMap(({ eventId, payment: of }) => (of.id === id ? [eventId] : [])));
      return eventIds.length > 0;
    });
    const captured = await fetch(`${dashboard.url}/payments/${id}/capture`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    expect(captured.status).to.equal(200);
    const { processorTransactionId = '' } = payment.processor;
    const find = async (text: string | null) =>
      (await read(`/payment-search?text=${encodeURIComponent(text ?? '')}`, Search)).matches;
    const found = (by: string) => ({ by, ids: [id] });
    const idsOf = (matches: Awaited<ReturnType<typeof find>>) =>
      matches.map(({ by, data: rows }) => ({ by, ids: rows.map((row) => row.id) }));
    expect(idsOf(await find(eventIds[0] ?? ''))).to.deep.equal([found('eventId')]);
    expect(idsOf(await find(processorTransactionId))).to.deep.equal([found('processorTransactionId')]);
    // The log is written a second after the response.
    const request = captured.headers.get('x-request-id');
    await until(async () => (await find(request)).length > 0);
    expect(idsOf(await find(request))).to.deep.equal([found('diagnosticsId')]);
    expect(idsOf(await find('evt_00000000-0000-4000-8000-000000000000'))).to.deep.equal([]);
  });

  it('are listed by an open dispute and by a refund that is not known, which their status does not say', async () => {
    const disputed = await shop.captured({ card: '4000000000000259' });
    const refunded = await shop.captured();
    const rules = [{ match: { operation: 'refund' }, do: { times: 1, phase: 'before_effect', fault: '500' } }];
    await shop.ask('/sandbox/faults', { seed: 1, rules }, undefined, 'PUT');
    expect((await refund(refunded.id, 100, 'not known')).status).to.equal(202);
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 6_000 });
    expect(moved.status).to.equal(200);
    const listed = async (status: string) =>
      (await read(`/payments?derived_status=${status}`, List)).data.map((one) => [
        one.id,
        one.status,
        one.derivedStatus,
      ]);
    await until(async () => (await listed('DISPUTED')).length > 0);
    expect(await listed('DISPUTED')).to.deep.equal([[disputed.id, 'SETTLED', 'DISPUTED']]);
    expect(await listed('REFUND_NOT_KNOWN')).to.deep.equal([[refunded.id, 'SETTLED', 'REFUND_NOT_KNOWN']]);
    expect((await detailOf(disputed.id)).derivedStatus).to.equal('DISPUTED');
    const ofApi = await dashboard.ask('anybody', 'GET', '/payments?derived_status=DISPUTED', undefined, {
      'x-api-key': dashboard.key,
    });
    expect(ofApi.status).to.equal(422);
    // the list of disputes follows the payments by a moment
    let dispute: { readonly id: string } | undefined;
    await until(async () => {
      dispute = (await read('/disputes', Disputes)).data.find(({ paymentId }) => paymentId === disputed.id);
      return dispute !== undefined;
    });
    const path = `/dashboard/api/payments/${disputed.id}/disputes/${dispute?.id}/accept`;
    expect(await dashboard.ask('support', 'POST', path, {})).to.include({ status: 200 });
    await until(async () => (await listed('DISPUTE_LOST')).length > 0);
    expect(await listed('DISPUTE_LOST')).to.deep.equal([[disputed.id, 'SETTLED', 'DISPUTE_LOST']]);
    expect(await listed('DISPUTED')).to.deep.equal([]);
  });

  it('are listed by amount in one currency, page by page, and refused in several', async () => {
    for (const [at, amount] of [900, 300, 900, 100, 500].entries())
      await shop.paid({ session: { orderId: `sorted-${at}`, customerId: 'sorted', amount, currencyCode: 'SEK' } });
    const listed = async (query: string): Promise<readonly string[]> => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const next: string = cursor === undefined ? '' : `&cursor=${cursor}`;
        const page = await read(`/payments?currency_code=SEK&limit=2&${query}${next}`, List);
        found.push(...page.data.map(({ orderId }) => orderId.slice(-1)));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return found;
    };
    const largest = await listed('sort=largest');
    expect(largest.slice(0, 2)).to.have.members(['0', '2']);
    expect(largest.slice(2)).to.deep.equal(['4', '1', '3']);
    expect(await listed('sort=smallest')).to.deep.equal(largest.toReversed());
    expect(await listed('sort=largest&customer_id=sorted&max_amount=500')).to.deep.equal(['4', '1', '3']);
    for (const query of ['sort=largest', 'sort=smallest&currency_code=SEK,EUR', 'sort=amount&currency_code=SEK'])
      expect((await dashboard.ask('support', 'GET', `/dashboard/api/payments?${query}`)).status).to.equal(422);
    const byDate = await read('/payments?currency_code=SEK&limit=2', List);
    const other = await dashboard.ask(
      'support',
      'GET',
      `/dashboard/api/payments?currency_code=SEK&sort=largest&cursor=${byDate.nextCursor}`,
    );
    expect(other.text).to.include('InvalidCursor');
  });

  it('offer the codes for which an issuer declines', async () => {
    const { data } = await read('/decline-codes', z.strictObject({ data: z.array(z.string()) }));
    expect(data).to.include.members(['EXPIRED_CARD', 'INSUFFICIENT_FUNDS', 'AUTHENTICATION_FAILED']);
    expect(data).not.to.include('NOTHING_TO_CAPTURE');
  });

  it('are listed by the reason of their decline', async () => {
    const { id } = await shop.paid({ card: '4000000000009995' });
    await shop.paid({ card: '4000000000000002' });
    const { data } = await read('/payments?decline_code=INSUFFICIENT_FUNDS', List);
    expect(data.map((one) => [one.id, one.reason?.message])).to.deep.equal([
      [id, 'The account or card has insufficient funds.'],
    ]);
  });

  it('show for one payment its possible operations, and its history in words', async () => {
    const { id } = await shop.captured({ session: { orderId: 'told' } });
    const { possible, openAttempts, sessionId } = await detailOf(id);
    expect(possible).to.deep.equal({ captureUpTo: 0, refundUpTo: 5_490, canCancel: false, canAdjust: false });
    expect([openAttempts, sessionId?.slice(0, 3)]).to.deep.equal([[], 'cs_']);
    const { data } = await read(`/payments/${id}/events`, Story);
    expect(data.map(({ title }) => title)).to.deep.equal([
      'Payment created',
      'Authorization requested',
      'Authorized',
      'Capture requested',
      'Captured',
    ]);
    expect(data.at(-1)?.told).to.equal('The processor reports success: 54.90 EUR.');
  });

  it('show the stored events to those who check the log, and to nobody else', async () => {
    const { id } = await shop.paid();
    const path = `/dashboard/api/payments/${id}/stored-events`;
    const Stored = z.object({ data: z.array(z.looseObject({ type: z.string(), metadata: z.string() })) });
    const { data } = Stored.parse((await dashboard.ask('developer', 'GET', path)).body);
    expect(data.map(({ type }) => type)).to.deep.equal([
      'PaymentCreated',
      'AuthorizationRequested',
      'PaymentAuthorized',
    ]);
    expect(JSON.parse(data[1]?.metadata ?? ''))
      .to.have.property('previousHash')
      .with.length(64);
    expect((await dashboard.ask('support', 'GET', path)).status).to.equal(403);
  });

  it('are captured, refunded and cancelled by a user, whom their events name', async () => {
    const { id, version } = await shop.paid();
    const captured = await dashboard.ask('support', 'POST', `/dashboard/api/payments/${id}/capture`, {
      amount: 5_000,
      final: false,
    });
    const released = await dashboard.ask('owner', 'POST', `/dashboard/api/payments/${id}/cancel`, {
      reason: 'sold out',
    });
    const refunded = await refund(id, 1_200, `dash-refund-${id}-${version}`);
    expect([captured.status, released.status, refunded.status]).to.deep.equal([200, 200, 200]);
    const { data } = await read(`/payments/${id}/events`, Story);
    const users = data.filter(({ actor }) => actor.kind === 'user').map(({ type, actor }) => [type, actor.id]);
    expect(users).to.deep.include.members([
      ['CaptureRequested', dashboard.userIdOf('support')],
      ['CancellationRequested', dashboard.userIdOf('owner')],
      ['RefundSucceeded', dashboard.userIdOf('support')],
    ]);
  });

  it('are adjusted where the authorization is estimated', async () => {
    const { id } = await shop.paid({ session: { paymentMethod: { authorizationType: 'ESTIMATED' } } });
    expect((await detailOf(id)).possible.canAdjust).to.equal(true);
    const adjusted = await dashboard.ask('owner', 'POST', `/dashboard/api/payments/${id}/adjust-authorization`, {
      amount: 7_000,
    });
    expect(adjusted.status).to.equal(200);
    expect((await detailOf(id)).possible.captureUpTo).to.equal(7_000);
  });

  describe('of which two people saw the same version', () => {
    const outcomes = (answers: readonly { readonly status: number; readonly body: unknown }[]) =>
      answers.map(({ status, body }) => (status === 200 ? 'done' : Refusal.parse(body).error.errorId)).toSorted();

    it('are refunded once when both ask at once, each under a key of their own', async () => {
      const { id, version } = await shop.captured();
      const answers = await Promise.all([
        refund(id, 1_200, 'mine', 'support', version),
        refund(id, 1_200, 'mine too', 'owner', version),
      ]);
      expect(outcomes(answers)).to.deep.equal(['PreconditionFailed', 'done']);
      expect((await detailOf(id)).payment.processor.amountRefunded).to.equal(1_200);
    });

    it('are captured, cancelled and adjusted at that version alone', async () => {
      const { id, version } = await shop.paid({ session: { paymentMethod: { authorizationType: 'ESTIMATED' } } });
      const stale = { 'if-match': `"${version - 1}"` };
      const asked = (operation: string, body: object, headers: Readonly<Record<string, string>>) =>
        dashboard.ask('owner', 'POST', `/dashboard/api/payments/${id}/${operation}`, body, headers);
      const refused = [
        await asked('capture', {}, stale),
        await asked('cancel', {}, stale),
        await asked('adjust-authorization', { amount: 7_000 }, stale),
      ];
      expect(outcomes(refused)).to.deep.equal(['PreconditionFailed', 'PreconditionFailed', 'PreconditionFailed']);
      expect((await detailOf(id)).payment.version).to.equal(version);
      expect((await asked('cancel', {}, { 'if-match': `"${version}"` })).status).to.equal(200);
    });

    it('get the first answer again when a try is repeated, although the version is newer by then', async () => {
      const { id, version } = await shop.captured();
      const first = await refund(id, 1_200, 'lost answer', 'support', version);
      const again = await refund(id, 1_200, 'lost answer', 'support', version);
      expect([first.status, again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([200, 200, 'true']);
      expect((await detailOf(id)).payment.processor.amountRefunded).to.equal(1_200);
    });
  });

  describe('in two windows that ask under the same key', () => {
    it('are refunded once when both ask for the same amount, at once', async () => {
      const { id, version } = await shop.captured();
      const key = `dash-refund-${id}-${version}`;
      const answers = await Promise.all([refund(id, 1_200, key), refund(id, 1_200, key)]);
      // The second either waits no longer than the first, or is told to ask again, which then finds the first's answer.
      for (const { status, body } of answers)
        if (status !== 200) expect(Refusal.parse(body).error.errorId).to.equal('IdempotencyKeyInProgress');
      const again = await refund(id, 1_200, key);
      expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
      expect((await detailOf(id)).payment.processor.amountRefunded).to.equal(1_200);
    });

    it('are refunded once when they ask for different amounts, and the other is told so', async () => {
      const { id, version } = await shop.captured();
      const key = `dash-refund-${id}-${version}`;
      const answers = await Promise.all([refund(id, 1_200, key), refund(id, 700, key)]);
      const done = answers.filter(({ status }) => status === 200);
      expect(done).to.have.length(1);
      const [refused] = answers.filter(({ status }) => status !== 200);
      expect(Refusal.parse(refused?.body).error.errorId).to.be.oneOf([
        'IdempotencyKeyReused',
        'IdempotencyKeyInProgress',
      ]);
      const refunded = (await detailOf(id)).payment.processor.amountRefunded;
      expect([1_200, 700]).to.include(refunded);
      const again = await refund(id, refunded === 700 ? 1_200 : 700, key);
      expect(Refusal.parse(again.body).error.errorId).to.equal('IdempotencyKeyReused');
      expect((await detailOf(id)).payment.processor.amountRefunded).to.equal(refunded);
    });
  });

  describe('with an unknown outcome', () => {
    const resolve = (id: string, body: object, role: 'owner' | 'support' = 'owner') =>
      dashboard.ask(role, 'POST', `/dashboard/api/payments/${id}/resolve`, body);
    const unknown = async (fault: string) => {
      const rules = [{ match: { operation: 'authorization' }, do: { times: 1, phase: fault, fault: '500' } }];
      await shop.ask('/sandbox/faults', { seed: 1, rules }, undefined, 'PUT');
      const { id } = await shop.paid();
      const { openAttempts } = await detailOf(id);
      return { id, attemptId: openAttempts[0]?.attemptId ?? '', openAttempts };
    };

    it('are listed separately, with the time of the next look-up', async () => {
      const { id, openAttempts } = await unknown('after_effect_before_reply');
      expect(openAttempts.map(({ state }) => state)).to.deep.equal(['unknown']);
      expect(Date.parse(openAttempts[0]?.lookUpAt ?? '')).to.be.above(0);
      const { data } = await read('/unresolved-payments', Unresolved);
      expect(data.map((one) => one.id)).to.include(id);
    });

    it('are none that the processor has accepted and will end: those are counted beside', async () => {
      const before = await read('/unresolved-payments', Unresolved);
      const { id } = await shop.captured({ card: '4000009900004022' });
      await refund(id, 100, 'pending-refund');
      const after = await read('/unresolved-payments', Unresolved);
      expect(after.data.map((one) => one.id)).to.not.include(id);
      expect(after.pending).to.deep.equal({ count: before.pending.count + 1, isMore: false });
    });

    it('are settled by the processor itself where it knows, whatever the owner thinks', async () => {
      const { id, attemptId } = await unknown('after_effect_before_reply');
      const told = await resolve(id, { attemptId, as: 'failed', evidence: 'no line in the statement' });
      expect(told.body).to.include({ settled: 'byProcessor', succeeded: true });
      expect((await detailOf(id)).payment.status).to.equal('AUTHORIZED');
    });

    it('are settled by an owner alone, who names the evidence', async () => {
      const { id, attemptId } = await unknown('before_effect');
      const bare = await resolve(id, { attemptId, as: 'failed', evidence: '  ' });
      expect([bare.status, Refusal.parse(bare.body).error.errorId]).to.deep.equal([422, 'RequestValidationError']);
      expect((await resolve(id, { attemptId, as: 'failed', evidence: 'their support' }, 'support')).status).to.equal(
        403,
      );
      const other = await resolve(id, { attemptId: `${id}.other`, as: 'failed', evidence: 'their support' });
      expect(Refusal.parse(other.body).error.errorId).to.equal('InvalidPaymentStatus');
      const settled = await resolve(id, { attemptId, as: 'failed', evidence: 'asked their support, ticket 4711' });
      expect(settled.status).to.equal(200);
      expect(settled.body).to.include({ settled: 'byWord', succeeded: false });
      expect((await detailOf(id)).payment.status).to.equal('FAILED');
      const { data } = await read(`/payments/${id}/events`, Story);
      expect(data.at(-1)).to.include({ told: 'asked their support, ticket 4711', type: 'AuthorizationNotFound' });
      expect(data.at(-1)?.actor).to.deep.equal({
        kind: 'user',
        id: dashboard.userIdOf('owner'),
        name: 'owner@example.org',
      });
    });
  });

  it('of another account are not there', async () => {
    const { access } = dashboard.service;
    const account = await access.createAccount('Other shop');
    if (account.kind === 'rejected') throw new Error(account.description);
    const made = await access.createApiKey({ accountId: account.id, name: 'test', scopes: SCOPES });
    if (made.kind === 'rejected') throw new Error(made.description);
    const { id } = await shopOf({ url: dashboard.url, key: made.key }).captured({ session: { orderId: 'theirs' } });
    for (const path of ['', '/events', '/stored-events'])
      expect((await dashboard.ask('owner', 'GET', `/dashboard/api/payments/${id}${path}`)).status).to.equal(404);
    for (const [operation, body] of [
      ['capture', {}],
      ['cancel', {}],
      ['refund', {}],
      ['adjust-authorization', { amount: 1 }],
      ['resolve', { attemptId: `${id}.1`, as: 'failed', evidence: 'none' }],
    ] as const)
      expect(
        (await dashboard.ask('owner', 'POST', `/dashboard/api/payments/${id}/${operation}`, body)).status,
      ).to.equal(404);
    expect(await read(`/payment-search?text=${id}`, Search)).to.deep.equal({ matches: [], customers: [] });
    expect(await read('/payments?order_id=theirs', List)).to.deep.equal({ data: [] });
  });
});
