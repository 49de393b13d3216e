// GET /agreements/{id}/why: the causal chain of an agreement, and what is next (contract §14, "Why").
import { expect } from 'chai';
import { z } from 'zod';
import { retryDeclinedCharges } from '../../src/policies/due-work.ts';
import { runDue } from '../../src/policies/policy.ts';
import { formatTime } from '../../src/world.ts';
import { agreementOf, firstPayment, TERMS } from '../support/agreement-made.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const DAY_MS = 86_400_000;
const NO_FUNDS = '4000009900005045';
const EXPIRED = '4000009900005052';
const CANCELLED = '5100099900005042';

const Step = z.looseObject({
  id: z.string(),
  kind: z.string(),
  type: z.string(),
  words: z.string(),
  by: z.looseObject({ kind: z.string(), id: z.string() }),
  causedBy: z.string().optional(),
  revision: z.number(),
  periodKey: z.string().optional(),
  paymentId: z.string().optional(),
  changed: z.looseObject({ to: z.string() }).optional(),
});
const Next = z.looseObject({ words: z.string(), periodKey: z.string().optional(), at: z.string().optional() });
const Why = z.object({
  id: z.string(),
  status: z.string(),
  version: z.number(),
  data: z.array(Step),
  next: z.array(Next).optional(),
  nextCursor: z.string().optional(),
});

describe('GET /agreements/{id}/why', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  after(() => http.stop());

  const ask = (id: string, what: string, body: object = {}) => http.shop.ask('POST', `/agreements/${id}/${what}`, body);
  const made = async (card: string, fields: object = {}): Promise<string> =>
    agreementOf(http, await firstPayment(http, undefined, { card }), fields);
  const charge = (id: string, periodKey: string) => ask(id, 'charges', { periodKey, orderId: 'o' });
  const why = async (id: string, query = '') =>
    bodyOf(await http.shop.ask('GET', `/agreements/${id}/why${query}`), Why);
  const shown = ({ kind, type }: z.infer<typeof Step>): string => `${kind} ${type}`;
  const doDue = () => runDue(retryDeclinedCharges(http.service.work), http.service.readModels, http.service.work);

  it('leads from each decline to the try that the service makes, and says when', async () => {
    const id = await made(NO_FUNDS, { retry: { policy: 'DAYS', days: [2, 4] } });
    await charge(id, 'p');
    const first = await why(id);
    expect(first.data.map(shown)).to.deep.equal([
      'ASKED AgreementProposed',
      'DECIDED AgreementActivated',
      'ASKED ChargeClaimed',
      'DECIDED RetryPlanned',
      'ANSWERED ChargeSettled',
    ]);
    const [proposed, activated, claimed, planned, settled] = first.data;
    expect([activated?.causedBy, activated?.changed]).to.deep.equal([proposed?.id, { from: 'PENDING', to: 'ACTIVE' }]);
    expect(claimed).to.include({ periodKey: 'p', paymentId: settled?.paymentId });
    expect(claimed?.words).to.include('asked for 19.00 EUR: try 1 of the period p');
    expect(settled?.words).to.include('Try 1 of the period p was declined: INSUFFICIENT_FUNDS.');
    const { periods } = z
      .looseObject({ periods: z.tuple([z.looseObject({ retryAt: z.string() })]) })
      .parse((await http.shop.ask('GET', `/agreements/${id}`)).body);
    expect(planned?.words).to.equal(`The service makes try 2 of the period p at ${periods[0].retryAt}.`);
    expect(first.next).to.deep.include({
      periodKey: 'p',
      words: 'The service makes the next try.',
      at: periods[0].retryAt,
    });
    http.world.advance(2 * DAY_MS);
    await doDue();
    const tried = (await why(id)).data.findLast(({ type }) => type === 'ChargeClaimed');
    expect([tried?.kind, tried?.by.kind]).to.deep.equal(['DECIDED', 'policy']);
    expect(tried?.words).to.match(/^The service asked for 19\.00 EUR: try 2 /);
    await ask(id, 'pause');
    const paused = await why(id);
    expect(paused.next?.[0]?.words).to.equal('Nothing is charged until you resume the agreement.');
    expect(paused.next?.[1]?.words).to.equal('The next try waits for the agreement.');
  });

  it('says why a period cannot be tried, and until when', async () => {
    const id = await made(NO_FUNDS);
    await charge(id, 'p');
    const early = await charge(id, 'p');
    const { next } = await why(id);
    expect(next?.find(({ periodKey }) => periodKey === 'p')).to.include({ at: early.error?.notBefore });
    http.world.advance(DAY_MS);
    const later = await why(id);
    expect(later.next?.find(({ periodKey }) => periodKey === 'p')?.words).to.equal('You may try it again now.');
  });

  for (const [card, status, words] of [
    [EXPIRED, 'SUSPENDED', 'Nothing is charged until then: The customer has to give another payment method.'],
    [CANCELLED, 'REVOKED', undefined],
  ] as const)
    it(`explains the status ${status} by the refusal that led to it`, async () => {
      const id = await made(card);
      await charge(id, 'p');
      const { data, next, status: shownStatus } = await why(id);
      const [settled, last] = data.slice(-2);
      expect([shownStatus, last?.causedBy, last?.changed?.to]).to.deep.equal([status, settled?.id, status]);
      expect(next?.[0]?.words).to.equal(words);
    });

  it('names changes and notices with what they rest on', async () => {
    const id = await made('4242424242424242');
    const noticeGivenAt = formatTime(http.world.now() - DAY_MS);
    await ask(id, 'notices', { kind: 'TERMS', sentAt: noticeGivenAt, channel: 'EMAIL' });
    await http.shop.ask('PATCH', `/agreements/${id}`, { terms: { ...TERMS, amount: 1_000 }, noticeGivenAt });
    const words = (await why(id)).data.slice(-2).map((step) => step.words);
    expect(words[0]).to.include(`that the customer was informed at ${noticeGivenAt}: TERMS, EMAIL.`);
    expect(words[1]).to.include(`changed the terms, on the ground of a notice of ${noticeGivenAt}.`);
  });

  it('is read page by page, the last of which has what is next', async () => {
    const id = await made('4242424242424242');
    await charge(id, 'p');
    const whole = await why(id);
    const paged: z.infer<typeof Step>[] = [];
    let cursor: string | undefined;
    do {
      const page = await why(id, `?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      paged.push(...page.data);
      cursor = page.nextCursor;
      expect(page.next).to.deep.equal(cursor === undefined ? whole.next : undefined);
    } while (cursor !== undefined);
    expect(paged).to.deep.equal(whole.data);
    expect((await http.shop.ask('GET', `/agreements/${id}/why?cursor=none`)).error?.errorId).to.equal('InvalidCursor');
    expect((await http.other.ask('GET', `/agreements/${id}/why`)).error?.errorId).to.equal('NotFound');
  });
});
