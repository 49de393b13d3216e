// GET /payments/{id}/why: the causal chain, from the requester and the key to the outcome (contract §4).
import { expect } from 'chai';
import { z } from 'zod';
import { accept } from '../../src/domain/decider.ts';
import type { Fact, PaymentEvent } from '../../src/domain/payment/events.ts';
import type { Context, EventCause } from '../../src/journal/context.ts';
import { transact } from '../../src/journal/transact.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { type Shop, shopOf } from '../support/dashboard-shop.ts';
import { CARDS } from '../support/http-merchant.ts';
import { until } from '../support/until.ts';

const Step = z.looseObject({
  id: z.string(),
  kind: z.string(),
  type: z.string(),
  words: z.string(),
  by: z.looseObject({ kind: z.string(), id: z.string(), name: z.string().optional() }),
  requestId: z.string(),
  causedBy: z.string().optional(),
  call: z.looseObject({ operation: z.string(), processor: z.string(), reference: z.string() }).optional(),
  told: z.looseObject({ source: z.string(), outcome: z.string() }).optional(),
  notification: z.looseObject({ notificationId: z.string(), status: z.string() }).optional(),
  changed: z.array(z.looseObject({ member: z.string(), to: z.unknown() })).optional(),
});
const Why = z.object({
  id: z.string(),
  status: z.string(),
  version: z.number(),
  data: z.array(Step),
  nextCursor: z.string().optional(),
});
type Step = z.infer<typeof Step>;

describe('GET /payments/{id}/why', () => {
  let dashboard: Dashboard;
  let shop: Shop;
  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
  });
  after(() => dashboard.close());

  const get = async (id: string, query = '', key = dashboard.key) => {
    const answer = await fetch(`${dashboard.url}/payments/${id}/why${query}`, { headers: { 'x-api-key': key } });
    return { status: answer.status, text: await answer.text() };
  };
  const why = async (id: string, query = '') => Why.parse(JSON.parse((await get(id, query)).text));
  const newKey = async (name: string): Promise<{ readonly id: string; readonly key: string }> => {
    const made = await dashboard.service.access.createApiKey({
      accountId: dashboard.accountId,
      name,
      scopes: ['transactions:capture', 'transactions:retrieve'],
    });
    if (made.kind === 'rejected') throw new Error(made.description);
    return made;
  };
  const shown = ({ kind, type }: Step): string => `${kind} ${type}`;
  /** From a step back to where it all began. */
  const chain = (steps: readonly Step[], from: Step | undefined): readonly string[] =>
    from === undefined
      ? []
      : [
          ...chain(
            steps,
            steps.find(({ id }) => id === from.causedBy),
          ),
          from.type,
        ];

  /** Its newest event, with its metadata. */
  const lastOf = async (id: string) => {
    const { payments } = dashboard.service.streams;
    const { head } = await payments.current(id);
    for await (const one of payments.history(id, head.revision - 1)) return one;
    throw new Error(`${id} has no event`);
  };
  /** Appends what no call of today appends. */
  const append = async (id: string, by: EventCause & Pick<Context, 'actor'>, event: PaymentEvent): Promise<void> => {
    const context = { ...by, accountId: dashboard.accountId, at: Date.now(), operationId: 'op_test' };
    const { kind } = await transact(dashboard.service.streams.payments, id, context, () => accept(event));
    expect(kind).to.equal('written');
  };
  /** The repeated report of a captured payment's last outcome. */
  const repeatedOf = ({ type, data }: PaymentEvent): Fact<'OutcomeRepeated'>['data'] => {
    if (type !== 'PaymentCaptured') throw new Error(`${type} is not repeated`);
    return { attemptId: data.attemptId, operation: 'capture', evidence: data.evidence };
  };

  it('tells who captured with which key, who refunded, and what the processor answered', async () => {
    const { id: keyId, key } = await newKey('Warehouse');
    const { id } = await shop.paid();
    const captured = await fetch(`${dashboard.url}/payments/${id}/capture`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'x-request-id': 'pick-42', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(captured.status).to.equal(200);
    await dashboard.ask('support', 'POST', `/dashboard/api/payments/${id}/refund`, {
      amount: 1_000,
      reason: 'one shirt came back',
    });
    const { data, status } = await why(id);
    expect([status, data.map(shown)]).to.deep.equal([
      'SETTLED',
      [
        'ASKED PaymentCreated',
        'ASKED AuthorizationRequested',
        'ANSWERED PaymentAuthorized',
        'ASKED CaptureRequested',
        'ANSWERED PaymentCaptured',
        'ASKED RefundRequested',
        'ANSWERED RefundSucceeded',
      ],
    ]);
    const [, , , capture, taken, refund, refunded] = data;
    expect(data[1]?.changed, 'no amount begins at 0').to.deep.equal([{ member: 'status', to: 'PENDING' }]);
    expect(capture?.by).to.deep.equal({ kind: 'apiKey', id: keyId, name: 'Warehouse' });
    expect(capture?.words).to.include('The API key “Warehouse” asked to capture 54.90 EUR');
    expect([capture?.requestId, capture?.causedBy, taken?.causedBy]).to.deep.equal(['pick-42', undefined, capture?.id]);
    expect(capture?.call).to.include({
      operation: 'capture',
      processor: 'sandbox',
      amount: 5_490,
      currencyCode: 'EUR',
    });
    expect(taken?.told).to.include({
      source: 'answer',
      outcome: 'succeeded',
      amount: 5_490,
      reference: capture?.call?.reference,
    });
    expect(taken?.changed).to.deep.include.members([
      { member: 'status', from: 'AUTHORIZED', to: 'SETTLED' },
      { member: 'amountCaptured', from: 0, to: 5_490 },
    ]);
    expect(refund?.by).to.deep.equal({ kind: 'user', id: dashboard.userIdOf('support') });
    expect(refund?.words)
      .to.include('A user of the dashboard asked to refund 10.00 EUR')
      .and.include('one shirt came back');
    expect(chain(data, refunded)).to.deep.equal(['RefundRequested', 'RefundSucceeded']);
  });

  it('includes the notification that confirmed a capture, and its cause', async () => {
    const { id } = await shop.captured({ card: CARDS.captureLater });
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 6_000 });
    expect(moved.status).to.equal(200);
    await until(async () => (await why(id)).data.some(({ type }) => type === 'NotificationApplied'));
    const { data } = await why(id);
    expect(data.slice(-5).map(shown)).to.deep.equal([
      'ASKED CaptureRequested',
      'ANSWERED CapturePending',
      'NOTIFIED NotificationReceived',
      'NOTIFIED PaymentCaptured',
      'NOTIFIED NotificationApplied',
    ]);
    const [received, taken, applied] = data.slice(-3);
    expect([taken?.causedBy, applied?.causedBy]).to.deep.equal([received?.id, received?.id]);
    expect(received?.notification?.status).to.equal('received');
    expect(applied?.notification).to.include({
      status: 'applied',
      notificationId: received?.notification?.notificationId,
    });
    expect(taken?.told).to.include({ source: 'notification', outcome: 'succeeded' });
    expect(chain(data, taken)).to.deep.equal(['NotificationReceived', 'PaymentCaptured']);
  });

  it('includes a look-up that resolved an unknown outcome, caused by the request that it is about', async () => {
    const { id } = await shop.paid({ card: CARDS.unknown });
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 31_000 });
    expect(moved.status).to.equal(200);
    await until(async () => (await why(id)).data.some(({ kind }) => kind === 'LOOKED_UP'));
    const { data } = await why(id);
    const [, request, unknown, found] = data;
    expect(data.map(shown).slice(0, 3)).to.deep.equal([
      'ASKED PaymentCreated',
      'ASKED AuthorizationRequested',
      'ANSWERED AuthorizationOutcomeUnknown',
    ]);
    expect(unknown?.told).to.include({ source: 'answer', outcome: 'unknown' });
    expect([found?.kind, found?.by.kind, found?.causedBy, found?.requestId]).to.deep.equal([
      'LOOKED_UP',
      'policy',
      request?.id,
      request?.requestId,
    ]);
    expect(found?.told?.source).to.equal('lookup');
  });

  describe('leads each step back to one root', () => {
    const automatic = { paymentMethod: { captureMode: 'AUTOMATIC' } };
    /** Where nothing led to it, somebody asked for it, told it or said it. */
    const isRoot = ({ kind, type }: Step): boolean =>
      kind === 'ASKED' || kind === 'RESOLVED' || type === 'NotificationReceived';
    const rooted = async (id: string): Promise<readonly Step[]> => {
      const { data } = await why(id);
      for (const [index, step] of data.entries()) {
        const before = data.slice(0, index).map((one) => one.id);
        if (step.causedBy === undefined) expect(isRoot(step), `${shown(step)} has no cause`).to.equal(true);
        else expect(before, shown(step)).to.include(step.causedBy);
      }
      return data;
    };
    const chainOf = async (id: string, type: string): Promise<readonly string[]> => {
      const data = await rooted(id);
      return chain(
        data,
        data.findLast((step) => step.type === type),
      );
    };

    it('of an automatic capture, which its authorization led to', async () => {
      const { id } = await shop.paid({ session: automatic });
      expect((await why(id)).data.slice(-2).map(shown)).to.deep.equal([
        'DECIDED CaptureRequested',
        'ANSWERED PaymentCaptured',
      ]);
      expect(await chainOf(id, 'PaymentCaptured')).to.deep.equal([
        'PaymentCreated',
        'AuthorizationRequested',
        'PaymentAuthorized',
        'CaptureRequested',
        'PaymentCaptured',
      ]);
    });

    it('of the vaulting, which the authorization led to', async () => {
      const session = { customerId: 'customer-why', paymentMethod: { vaultOnSuccess: true } };
      const { id } = await shop.paid({ session });
      expect((await chainOf(id, 'VaultingRecorded')).slice(-2)).to.deep.equal([
        'PaymentAuthorized',
        'VaultingRecorded',
      ]);
    });

    it('of a void that was wished for before the authorization was known', async () => {
      const { id } = await shop.paid({ session: automatic, card: CARDS.unknown });
      await dashboard.ask('owner', 'POST', `/dashboard/api/payments/${id}/cancel`, {});
      expect(await chainOf(id, 'AuthorizationVoided')).to.deep.equal([
        'CancellationIntended',
        'CancellationRequested',
        'AuthorizationVoided',
      ]);
      expect((await chainOf(id, 'PaymentAuthorized')).at(-2)).to.equal('AuthorizationRequested');
    });

    it('of a declined one with another attempt, and of one that waits for its customer', async () => {
      for (const card of ['4000000000000002', '4000009900005011', CARDS.challenged])
        await rooted((await shop.paid({ card })).id);
    });
  });

  it('is told page by page, with the same links', async () => {
    const { id } = await shop.captured();
    const { data: whole } = await why(id);
    const paged: Step[] = [];
    let cursor: string | undefined;
    do {
      const page = await why(id, `?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      paged.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(paged).to.deep.equal(whole);
    expect((await get(id, '?cursor=none')).status).to.equal(400);
    expect((await get(id, '?limit=501')).status).to.equal(422);
  });

  it('links what one notification led to, whatever page it is on', async () => {
    const { id } = await shop.captured({ card: CARDS.captureLater });
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 6_000 });
    expect(moved.status).to.equal(200);
    await until(async () => (await why(id)).data.some(({ type }) => type === 'NotificationApplied'));
    const received = (await why(id)).data.find(({ type }) => type === 'NotificationReceived');
    const taken = await lastOf(id);
    expect([taken.event.type, `evt_${taken.metadata.$causationId}`]).to.deep.equal(['PaymentCaptured', received?.id]);
    // In the log of an older version each event of an append has the notification as its cause.
    const { $correlationId: correlationId, $causationId: causationId, actor } = taken.metadata;
    await append(id, { correlationId, causationId, actor }, { type: 'OutcomeRepeated', data: repeatedOf(taken.event) });
    const { data: whole } = await why(id);
    const { data: first, nextCursor } = await why(id, '?limit=6');
    expect([whole.at(-2)?.type, whole.at(-2)?.causedBy, first.length]).to.deep.equal([
      'OutcomeRepeated',
      received?.id,
      8,
    ]);
    const { data: rest } = await why(id, `?limit=6&cursor=${nextCursor}`);
    expect(rest.map(({ type, causedBy }) => [type, causedBy])).to.deep.equal([['OutcomeRepeated', received?.id]]);
  });

  it('names no key of another account', async () => {
    const account = await dashboard.service.access.createAccount('Elsewhere');
    if (account.kind === 'rejected') throw new Error(account.description);
    const theirs = await dashboard.service.access.createApiKey({
      accountId: account.id,
      name: 'Their secret project',
      scopes: [],
    });
    if (theirs.kind === 'rejected') throw new Error(theirs.description);
    const { id } = await shop.paid();
    const by = { correlationId: 'elsewhere', actor: { kind: 'apiKey', id: theirs.id } } as const;
    await append(id, by, { type: 'CancellationIntended', data: { attemptId: `${id}.elsewhere` } });
    const { text } = await get(id);
    expect(text).to.include(theirs.id).and.not.include('Their secret project');
  });

  it('holds no card, no token of the processor and nothing of another account', async () => {
    const { id } = await shop.captured();
    const { text } = await get(id);
    expect(text)
      .not.to.include(CARDS.approved)
      .and.not.include('pm_')
      .and.not.include('processorToken')
      .and.not.include('accountId');
    const account = await dashboard.service.access.createAccount('Another');
    if (account.kind === 'rejected') throw new Error(account.description);
    const other = await dashboard.service.access.createApiKey({
      accountId: account.id,
      name: 'theirs',
      scopes: ['transactions:retrieve'],
    });
    if (other.kind === 'rejected') throw new Error(other.description);
    expect((await get(id, '', other.key)).status).to.equal(404);
  });
});
