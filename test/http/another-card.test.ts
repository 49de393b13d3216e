// A customer who gives a challenge up for another card: never two authorizations, and nothing voided that the bank
// approved (contract §4).
import { expect } from 'chai';
import { z } from 'zod';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import { answered, challenged, resumeTokenIn } from '../support/challenged.ts';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';
import { wholeLedger } from '../support/whole-ledger.ts';

const Paid = z.looseObject({
  id: z.string(),
  status: z.string(),
  requiredAction: z.looseObject({ url: z.url() }).optional(),
});
/** Every look-up and every fence is answered with 503. */
const UNAVAILABLE = { rules: [{ match: { operation: 'look_up' }, do: { phase: 'before_effect', fault: '503' } }] };

/** A payment of the checkout whose shopper is at the bank. */
interface AtTheBank {
  readonly id: string;
  readonly token: string;
  /** The path of the bank's page. */
  readonly page: string;
}

describe('a customer who wants to pay with another card', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, timings: { ...defaultTimings, answerWithinMs: 500 } });
  });
  after(() => http.stop());

  const pay = async (token: string, number: string): Promise<Answer> => {
    const body = { paymentMethodToken: await http.shop.tokenize(token, number) };
    return http.request('POST', '/checkout/payments', { token, body });
  };
  const atTheBank = async (): Promise<AtTheBank> => {
    const token = await http.shop.session();
    const { id, requiredAction } = bodyOf(await pay(token, CARDS.challenged), Paid);
    return { id, token, page: new URL(requiredAction?.url ?? '').pathname };
  };
  const giveUp = ({ id, token }: AtTheBank, headers: { readonly [name: string]: string } = {}): Promise<Answer> =>
    http.request('POST', `/checkout/payments/${id}/cancel`, { token, body: {}, headers });
  const status = async ({ id, token }: AtTheBank): Promise<string> =>
    bodyOf(await http.request('GET', `/checkout/payments/${id}`, { token }), Paid).status;
  const faults = (plan: object): Promise<Answer> => http.shop.ask('PUT', '/sandbox/faults', plan);
  /** The operations that the sandbox has done for these payments. */
  const doneFor = async (...ids: readonly string[]): Promise<readonly string[]> =>
    (await wholeLedger(http.stores.sandbox))
      .filter(({ paymentId, outcome }) => ids.includes(paymentId) && outcome === 'succeeded')
      .map(({ operation }) => operation);

  it('pays with it once the bank can approve the first one no more', async () => {
    const waiting = await atTheBank();
    const { answer, types } = await appendedBy(http.stores.events, () => giveUp(waiting));
    expect([answer.status, answer.body]).to.deep.equal([
      200,
      {
        id: waiting.id,
        status: 'CANCELLED',
        amount: 1000,
        currencyCode: 'EUR',
        paymentMethodType: 'PAYMENT_CARD',
      },
    ]);
    expect(types).to.deep.equal([
      'payment CustomerActionGivenUp',
      'payment AttemptFenced',
      'payment PaymentCancelled',
      'payment CustomerActionExpired',
      'clientSession ClientSessionReleased',
    ]);
    const over = await fetch(`http://127.0.0.1:${http.port}${waiting.page}`, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'approve' }),
    });
    expect([over.status, await over.text()].join(' ')).to.match(/^410 .*over/s);
    const second = bodyOf(await pay(waiting.token, CARDS.approved), Paid);
    expect(second.status).to.equal('AUTHORIZED');
    expect(await doneFor(waiting.id, second.id)).to.deep.equal(['authorization']);
  });

  it('has paid where the bank has approved the first one already: nothing is voided, and no other payment begins', async () => {
    const waiting = await atTheBank();
    await answered(http, waiting.page);
    expect((await giveUp(waiting)).body).to.deep.include({ id: waiting.id, status: 'AUTHORIZED' });
    const second = await pay(waiting.token, CARDS.approved);
    expect([second.status, second.error?.errorId]).to.deep.equal([409, 'ClientSessionCompleted']);
    expect(await doneFor(waiting.id)).to.deep.equal(['authorization']);
    expect((await giveUp(waiting)).body).to.deep.include({ status: 'AUTHORIZED' });
  });

  it('and approves at the same moment has one of both', async () => {
    for (let round = 0; round < 8; round += 1) {
      const waiting = await atTheBank();
      const approve = () => answered(http, waiting.page).catch(() => undefined);
      const both = round % 2 === 0 ? [giveUp(waiting), approve()] : [approve(), giveUp(waiting)];
      await Promise.all(both);
      const end = await status(waiting);
      expect(end).to.be.oneOf(['AUTHORIZED', 'CANCELLED']);
      expect(await doneFor(waiting.id)).to.deep.equal(end === 'AUTHORIZED' ? ['authorization'] : []);
    }
  });

  it('and comes back approved at the same moment goes on', async () => {
    const waiting = await atTheBank();
    const resumeToken = resumeTokenIn(await answered(http, waiting.page));
    const { id, token } = waiting;
    const [given, resumed] = await Promise.all([
      giveUp(waiting),
      http.request('POST', `/checkout/payments/${id}/resume`, { token, body: { resumeToken } }),
    ]);
    expect([given.error, resumed.error]).to.deep.equal([undefined, undefined]);
    expect(await status(waiting)).to.equal('AUTHORIZED');
    expect(await doneFor(id)).to.deep.equal(['authorization']);
  });

  it('waits while the processor does not respond, and asks it again automatically', async () => {
    const waiting = await atTheBank();
    await faults(UNAVAILABLE);
    const asked = await giveUp(waiting);
    expect([asked.status, bodyOf(asked, Paid).status]).to.deep.equal([202, 'PENDING']);
    expect(asked.text).to.not.include('requiredAction');
    const second = await pay(waiting.token, CARDS.approved);
    expect([second.status, second.error?.errorId]).to.deep.equal([409, 'ClientSessionCompleted']);
    await faults({ rules: [] });
    http.world.advance(60_000);
    http.service.lookAtOnce();
    await until(async () => (await status(waiting)) === 'CANCELLED');
    expect(bodyOf(await pay(waiting.token, CARDS.approved), Paid).status).to.equal('AUTHORIZED');
  });

  it('has paid where the bank approved before the processor answered again', async () => {
    const waiting = await atTheBank();
    await faults(UNAVAILABLE);
    expect((await giveUp(waiting)).status).to.equal(202);
    await answered(http, waiting.page);
    await faults({ rules: [] });
    expect((await giveUp(waiting)).body).to.deep.include({ status: 'AUTHORIZED' });
    expect(await doneFor(waiting.id)).to.deep.equal(['authorization']);
  });

  it('asks once, however many windows ask, and under a key gets the same answer again', async () => {
    const waiting = await atTheBank();
    const headers = { 'X-Idempotency-Key': 'other-card' };
    const { answer: first, types } = await appendedBy(http.stores.events, async () => {
      const [one] = await Promise.all([giveUp(waiting, headers), giveUp(waiting), giveUp(waiting)]);
      return one;
    });
    expect(types.filter((type) => type.endsWith('GivenUp') || type.endsWith('PaymentCancelled'))).to.have.length(2);
    await until(async () => (await status(waiting)) === 'CANCELLED');
    const again = await giveUp(waiting, headers);
    expect([first?.error, again.error, bodyOf(again, Paid).status]).to.deep.equal([undefined, undefined, 'CANCELLED']);
    const quiet = await appendedBy(http.stores.events, () => giveUp(waiting));
    expect([quiet.answer.status, quiet.types]).to.deep.equal([200, []]);
  });

  it('may end a payment of the own session alone, and none that never asked for anything', async () => {
    const waiting = await atTheBank();
    const foreign = await giveUp({ ...waiting, token: await http.shop.session() });
    expect([foreign.status, foreign.error?.errorId]).to.deep.equal([404, 'NotFound']);
    const token = await http.shop.session();
    const { id } = bodyOf(await pay(token, CARDS.approved), Paid);
    const paid = await giveUp({ id, token, page: '' });
    expect([paid.status, paid.error?.errorId]).to.deep.equal([400, 'InvalidPaymentStatus']);
    const key = await http.request('POST', `/checkout/payments/${waiting.id}/cancel`, { key: http.shop.key, body: {} });
    expect(key.status).to.equal(401);
    expect(await status(waiting)).to.equal('PENDING');
  });

  it('leaves a payment alone that its merchant has begun to cancel', async () => {
    const { id, clientToken: token, page } = await challenged(http);
    await faults(UNAVAILABLE);
    expect((await http.shop.ask('POST', `/payments/${id}/cancel`)).status).to.equal(202);
    const { types } = await appendedBy(http.stores.events, () => giveUp({ id, token, page }));
    expect(types).to.deep.equal([]);
    await faults({ rules: [] });
  });

  it('is told to receivers and in the story of the payment as what it is', async () => {
    const waiting = await atTheBank();
    await giveUp(waiting);
    const why = (await http.shop.ask('GET', `/payments/${waiting.id}/why`)).text;
    expect(why).to.include('Customer chose another way to pay').and.include('Payment cancelled');
    const Steps = z.looseObject({
      data: z.array(z.looseObject({ type: z.string(), kind: z.string(), by: z.looseObject({ kind: z.string() }) })),
    });
    const step = Steps.parse(JSON.parse(why)).data.find(({ type }) => type === 'CustomerActionGivenUp');
    expect([step?.kind, step?.by.kind]).to.deep.equal(['ASKED', 'checkout']);
  });
});
