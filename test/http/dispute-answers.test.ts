// Answers to a dispute over HTTP: two at once, the same call again, and what a call that never arrived leaves of its
// key (contract §§4, 6).
import { expect } from 'chai';
import { z } from 'zod';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { openDispute } from '../support/open-dispute.ts';
import { until } from '../support/until.ts';

const EVIDENCE = { text: 'delivered', submit: true };
const Disputed = z.looseObject({
  disputes: z.array(
    z.looseObject({ status: z.string(), evidence: z.looseObject({ submitted: z.boolean() }).optional() }),
  ),
});
const Events = z.looseObject({ data: z.array(z.looseObject({ type: z.string() })) });
const Why = z.looseObject({
  data: z.array(
    z.looseObject({
      type: z.string(),
      kind: z.string(),
      words: z.string(),
      call: z.looseObject({ reference: z.string() }).optional(),
      told: z.looseObject({ outcome: z.string() }).optional(),
    }),
  ),
});
const WEEK_MS = 7 * 86_400_000;

describe('an answer to a dispute', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, timings: { ...defaultTimings, answerWithinMs: 500 } });
  });
  after(() => http.stop());
  afterEach(() => strike());

  /** The answer of the sandbox is struck by this; without it nothing is. */
  const strike = (...what: readonly object[]): Promise<Answer> =>
    http.shop.ask('PUT', '/sandbox/faults', {
      rules: what.map((one) => ({ match: { operation: 'dispute_answer' }, do: one })),
    });
  let keys = 0;
  const keyed = (path: string, body: object): (() => Promise<Answer>) => {
    keys += 1;
    const headers = { 'X-Idempotency-Key': `answer-${keys}` };
    return () => http.shop.ask('POST', path, body, headers);
  };
  const paymentPath = (path: string): string => path.split('/disputes/')[0] ?? '';
  const typesOf = async (path: string): Promise<readonly string[]> =>
    bodyOf(await http.shop.ask('GET', `${paymentPath(path)}/events?limit=100`), Events).data.map(({ type }) => type);
  const disputeNow = async (path: string) =>
    bodyOf(await http.shop.ask('GET', paymentPath(path)), Disputed).disputes[0];
  const laterBy = (ms: number): void => {
    http.world.advance(ms);
    http.service.lookAtOnce();
  };

  it('is sent once where evidence and acceptance are asked for at the same time', async () => {
    const path = await openDispute(http);
    const both = await Promise.all([
      keyed(`${path}/evidence`, EVIDENCE)(),
      keyed(`${path}/accept`, {})(),
      keyed(`${path}/accept`, {})(),
    ]);
    expect(both.filter(({ status }) => status === 200)).to.have.length(1);
    for (const { error } of both.filter(({ status }) => status !== 200))
      expect(error?.errorId).to.be.oneOf(['PaymentOperationInProgress', 'InvalidDisputeStatus']);
    expect((await typesOf(path)).filter((type) => type === 'DisputeAnswerRequested')).to.have.length(1);
  });

  it('that was refused is refused again with the same body', async () => {
    const path = await openDispute(http);
    const [payment, dispute] = [paymentPath(path).split('/').at(-1) ?? '', path.split('/').at(-1)];
    const { sandbox } = http.stores;
    const before = await http.service.streams.payments.current(payment);
    const known =
      'disputes' in before.state ? before.state.disputes.find(({ disputeId }) => disputeId === dispute) : undefined;
    // Accepted elsewhere, and no notification has told of it yet.
    const { accountId } = http.shop;
    const connection = { connectionId: 'sandbox', processor: 'sandbox', secrets: {} };
    const request = {
      disputeId: known?.processorDisputeId ?? '',
      accountId,
      reference: 'elsewhere',
      answer: 'accept',
    } as const;
    await sandbox.dispute(request, { connection, signal: new AbortController().signal });
    const accept = keyed(`${path}/accept`, {});
    const first = await accept();
    const second = await appendedBy(http.stores.events, accept);
    expect([first.status, first.error?.errorId]).to.deep.equal([400, 'InvalidDisputeStatus']);
    expect([second.answer.text, second.types]).to.deep.equal([first.text, []]);
    expect(second.answer.headers['idempotent-replayed']).to.equal('true');
  });

  it('that never arrived is sent by the same call again, and not before that is known', async () => {
    const path = await openDispute(http);
    await strike({ phase: 'before_effect', fault: '500', times: 1 });
    const answer = keyed(`${path}/evidence`, EVIDENCE);
    expect((await answer()).status).to.equal(202);
    const meanwhile = await appendedBy(http.stores.events, answer);
    expect([meanwhile.answer.status, meanwhile.types]).to.deep.equal([202, []]);
    laterBy(31_000);
    await until(async () => (await typesOf(path)).includes('DisputeLookUpRecorded'));
    laterBy(301_000);
    await until(async () => (await typesOf(path)).includes('DisputeAnswerNotFound'));
    const again = await answer();
    expect([again.status, again.headers['idempotent-replayed']]).to.deep.equal([200, undefined]);
    expect(await disputeNow(path)).to.deep.include({
      status: 'CHALLENGED',
      evidence: { text: 'delivered', submitted: true },
    });
    const replayed = await answer();
    expect([replayed.status, replayed.headers['idempotent-replayed'], replayed.text]).to.deep.equal([
      200,
      'true',
      again.text,
    ]);
    expect((await typesOf(path)).filter((type) => type === 'DisputeAnswerRequested')).to.have.length(2);
  });

  it('that was not sent is told by /why as asked for, with its outcome', async () => {
    const path = await openDispute(http);
    await strike({ phase: 'before_send', fault: '503' });
    expect((await keyed(`${path}/accept`, {})()).error?.errorId).to.equal('ServiceUnavailable');
    const { data } = bodyOf(await http.shop.ask('GET', `${paymentPath(path)}/why`), Why);
    const [asked, told] = data.filter(({ type }) => type.startsWith('DisputeAnswer'));
    expect([asked?.kind, told?.kind, told?.told?.outcome]).to.deep.equal(['ASKED', 'ANSWERED', 'not_sent']);
    const operation = 'dispute_answer';
    expect(asked?.call).to.include({ operation, processor: 'sandbox', amount: 1_000, currencyCode: 'EUR' });
    expect(told?.told).to.include({ operation, reference: asked?.call?.reference });
    expect(asked?.words).to.match(
      /asked to accept the dispute\. The request was allowed, and recorded before the call\.$/,
    );
  });

  it('is a draft without `submit`, which the dispute shows and no processor gets', async () => {
    const path = await openDispute(http);
    for (const body of [{ text: 'first' }, { text: 'second', customerEmail: 'ada@example.com', submit: null }])
      expect((await keyed(`${path}/evidence`, body)()).status).to.equal(200);
    expect(await disputeNow(path)).to.deep.include({
      status: 'OPEN',
      evidence: { text: 'second', customerEmail: 'ada@example.com', submitted: false },
    });
    expect(await typesOf(path)).not.to.include('DisputeAnswerRequested');
  });

  it('is refused where customerEmail is not an e-mail address', async () => {
    const path = await openDispute(http);
    for (const customerEmail of ['ada', 'ada @example.com', '']) {
      const refused = await keyed(`${path}/evidence`, { text: 'delivered', customerEmail, submit: true })();
      expect([refused.status, refused.error?.validationErrors?.[0]?.errors[0]?.path], customerEmail).to.deep.equal([
        422,
        '$.customerEmail',
      ]);
    }
    expect((await disputeNow(path))?.evidence).to.equal(undefined);
  });

  it('that never arrived is refused once the dispute is over', async () => {
    const path = await openDispute(http);
    await strike({ phase: 'before_effect', fault: '500' });
    const answer = keyed(`${path}/evidence`, EVIDENCE);
    expect((await answer()).status).to.equal(202);
    laterBy(WEEK_MS);
    await until(async () => (await disputeNow(path))?.status === 'EXPIRED');
    expect((await disputeNow(path))?.evidence?.submitted).to.equal(false);
    const again = await answer();
    expect([again.status, again.error?.errorId]).to.deep.equal([400, 'InvalidDisputeStatus']);
  });
});
