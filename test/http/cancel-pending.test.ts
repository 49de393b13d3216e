// POST /payments/{id}/cancel while the authorization is open: the wish is on record first, and what is found afterwards
// is voided (contract §4).
import { expect } from 'chai';
import { z } from 'zod';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import { answered, challenged, resumeTokenIn } from '../support/challenged.ts';
import { bodyOf } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';

const AUTOMATIC = { paymentMethod: { captureMode: 'AUTOMATIC' } } as const;
const PENDING_WITHOUT_NOTIFICATION = '4000009900001036';
const ANSWER_LOST = '4000009900001077';
const Events = z.looseObject({
  data: z.array(z.looseObject({ type: z.string() })),
});
const Payment = z.looseObject({ id: z.string(), status: z.string() });
const Steps = z.looseObject({ data: z.array(z.looseObject({ type: z.string(), requestId: z.string() })) });
/** Every look-up and every fence is answered with 503. */
const NO_FENCE = { rules: [{ match: { operation: 'look_up' }, do: { phase: 'before_effect', fault: '503' } }] };

describe('a cancellation of a payment that is PENDING, with automatic capture', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, timings: { ...defaultTimings, answerWithinMs: 500 } });
  });
  after(() => http.stop());

  const history = async (id: string) =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}/events?limit=100`), Events).data;
  const types = async (id: string): Promise<readonly string[]> => (await history(id)).map(({ type }) => type);
  const status = async (id: string): Promise<string> =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}`), Payment).status;
  /** With a key that may cancel and nothing else. */
  const cancel = async (id: string, requestId = `cancel-of-${id}`): Promise<Answer> => {
    const { key } = await http.shop.keyFor('transactions:cancel');
    return http.request('POST', `/payments/${id}/cancel`, { key, headers: { 'X-Request-Id': requestId } });
  };
  const paid = async (number: string) => bodyOf(await http.shop.pay({ card: number, session: AUTOMATIC }), Payment);
  /** Each step of `/why` with the request that it is counted to. */
  const requests = async (id: string): Promise<ReadonlyMap<string, string>> => {
    const { data } = bodyOf(await http.shop.ask('GET', `/payments/${id}/why`), Steps);
    return new Map(data.map(({ type, requestId }) => [type, requestId]));
  };
  const voidedByCancellation = async (id: string, answer: Answer): Promise<void> => {
    expect([answer.status, bodyOf(answer, Payment).status]).to.deep.equal([200, 'CANCELLED']);
    const all = await types(id);
    expect(all).not.to.include('CaptureRequested');
    expect(all.indexOf('CancellationIntended')).to.be.lessThan(all.indexOf('PaymentAuthorized'));
    expect(all.slice(-3)).to.deep.equal(['PaymentAuthorized', 'CancellationRequested', 'AuthorizationVoided']);
    expect((await requests(id)).get('PaymentAuthorized')).not.to.equal(`cancel-of-${id}`);
  };

  it('voids what the customer approved who has not come back', async () => {
    const shown = await challenged(http, { session: AUTOMATIC });
    await answered(http, shown.page);
    await voidedByCancellation(shown.id, await cancel(shown.id));
  });

  it('voids what a look-up finds of an authorization that was pending', async () => {
    const { id } = await paid(PENDING_WITHOUT_NOTIFICATION);
    http.world.advance(6_000);
    await voidedByCancellation(id, await cancel(id));
  });

  it('voids what a look-up finds of an authorization whose answer was lost', async () => {
    const { id } = await paid(ANSWER_LOST);
    await voidedByCancellation(id, await cancel(id));
  });

  it('is on record before the processor is asked, and falls due when the processor does not answer', async () => {
    const { id } = await challenged(http, { session: AUTOMATIC });
    await http.shop.ask('PUT', '/sandbox/faults', NO_FENCE);
    const asked = await cancel(id);
    expect([asked.status, (await types(id)).slice(-2)]).to.deep.equal([
      202,
      ['CancellationIntended', 'LookUpRecorded'],
    ]);
    await http.shop.ask('PUT', '/sandbox/faults', { rules: [] });
    http.world.advance(5_000);
    http.service.lookAtOnce();
    await until(async () => (await status(id)) === 'CANCELLED');
    expect((await types(id)).slice(-3)).to.deep.equal(['AttemptFenced', 'PaymentCancelled', 'CustomerActionExpired']);
  });

  it('is kept once, however often and by however many it is asked for', async () => {
    const { id } = await paid(ANSWER_LOST);
    const all = await Promise.all([cancel(id, 'one'), cancel(id, 'two'), cancel(id, 'three')]);
    // 409: the void is on its way.
    for (const one of all) expect(one.status).to.be.oneOf([200, 202, 409]);
    await until(async () => (await status(id)) === 'CANCELLED');
    const counted = (await types(id)).filter(
      (type) => type === 'CancellationIntended' || type === 'CancellationRequested',
    );
    expect(counted).to.deep.equal(['CancellationIntended', 'CancellationRequested']);
  });

  it('answers again under its key, and does nothing twice', async () => {
    const { id } = await paid(ANSWER_LOST);
    const headers = { 'X-Idempotency-Key': 'cancel-pending-1' };
    const first = await http.shop.ask('POST', `/payments/${id}/cancel`, {}, headers);
    const again = await http.shop.ask('POST', `/payments/${id}/cancel`, {}, headers);
    expect([first.status, again.status, again.headers['idempotent-replayed']]).to.deep.equal([200, 200, 'true']);
    expect(again.body).to.deep.equal(first.body);
  });

  it('voids what the customer approves at the same moment', async () => {
    const { id, page } = await challenged(http, { session: AUTOMATIC });
    const resumeToken = resumeTokenIn(await answered(http, page));
    const both = await Promise.all([cancel(id), http.shop.ask('POST', `/payments/${id}/resume`, { resumeToken })]);
    expect(both.map((one) => one.status < 500)).to.deep.equal([true, true]);
    const all = await types(id);
    const [wish, capture] = [all.indexOf('CancellationIntended'), all.indexOf('CaptureRequested')];
    expect(capture === -1 || wish === -1 || capture < wish, all.join(' ')).to.equal(true);
    if (wish !== -1) await until(async () => (await status(id)) === 'CANCELLED');
  });
});

describe('a cancellation that is refused', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, timings: { ...defaultTimings, answerWithinMs: 500 } });
  });
  after(() => http.stop());

  const types = async (id: string): Promise<readonly string[]> =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}/events?limit=100`), Events).data.map(({ type }) => type);

  it('leaves no event, whatever a look-up would have found', async () => {
    const { id } = bodyOf(await http.shop.pay({}), Payment);
    const lost = {
      match: { operation: 'capture' },
      do: { phase: 'after_effect_before_reply', fault: 'reset', times: 1 },
    };
    await http.shop.ask('PUT', '/sandbox/faults', { rules: [lost] });
    expect((await http.shop.ask('POST', `/payments/${id}/capture`, {})).status).to.equal(202);
    const before = await types(id);
    const refused = await http.shop.ask('POST', `/payments/${id}/cancel`);
    expect([refused.status, refused.error?.errorId]).to.deep.equal([409, 'PaymentOperationInProgress']);
    expect(await types(id)).to.deep.equal(before);
  });
});

describe('a look-up on the way of another operation', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, timings: { ...defaultTimings, answerWithinMs: 500 } });
  });
  after(() => http.stop());

  it('belongs to the attempt, and so does the automatic capture that follows: not to a refund that is refused', async () => {
    const { id } = bodyOf(await http.shop.pay({ card: ANSWER_LOST, session: AUTOMATIC }), Payment);
    const { key } = await http.shop.keyFor('transactions:refund');
    const refund = { key, body: { amount: 9_999_999 }, headers: { 'X-Request-Id': 'the-refund' } };
    expect((await http.request('POST', `/payments/${id}/refund`, refund)).status).to.equal(422);
    const { data } = bodyOf(await http.shop.ask('GET', `/payments/${id}/why`), Steps);
    expect(data.map(({ type }) => type)).to.include.members([
      'PaymentAuthorized',
      'CaptureRequested',
      'PaymentCaptured',
    ]);
    expect(data.filter(({ requestId }) => requestId === 'the-refund')).to.deep.equal([]);
    const requestOf = (wanted: string) => data.find(({ type }) => type === wanted)?.requestId;
    expect(requestOf('CaptureRequested')).to.equal(requestOf('AuthorizationRequested'));
  });
});
