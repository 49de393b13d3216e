// GET /payments/{id}?at=: the payment as it was recorded at a time of the past (contract §4).
import { expect } from 'chai';
import { z } from 'zod';
import { formatTime } from '../../src/world.ts';
import { bodyOf } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const HOUR_MS = 3_600_000;
const History = z.object({ data: z.array(z.object({ type: z.string(), date: z.string(), revision: z.number() })) });
const Read = z.looseObject({ status: z.string(), version: z.number(), dateUpdated: z.string() });
const Refused = z.looseObject({
  error: z.looseObject({ errorId: z.string(), validationErrors: z.unknown().optional() }),
});

describe('GET /payments/{id}?at=', () => {
  let http: HttpService;
  /**
   * Captured an hour after it was authorized, and half refunded an hour later: the business clock was moved each time.
   */
  let id: string;
  let then: Map<number, Answer>;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    const { shop, world } = http;
    then = new Map();
    const read = async (): Promise<void> => {
      const answer = await shop.ask('GET', `/payments/${id}`);
      then.set(bodyOf(answer, Read).version, answer);
    };
    ({ id } = await shop.paid({ fields: { paymentMethod: { authorizationType: 'ESTIMATED' } } }));
    await read();
    world.advance(HOUR_MS);
    await shop.ask('POST', `/payments/${id}/capture`, { amount: 600, final: false });
    await read();
    world.advance(HOUR_MS);
    await shop.ask('POST', `/payments/${id}/refund`, { amount: 300 });
    await read();
  });
  after(() => http.stop());

  const at = (time: string, more = '') => http.shop.ask('GET', `/payments/${id}?at=${encodeURIComponent(time)}${more}`);
  const history = async () => bodyOf(await http.shop.ask('GET', `/payments/${id}/events?limit=100`), History).data;
  const errorId = ({ body }: Answer): string => Refused.parse(body).error.errorId;

  it('answers, at the time of each event, what was answered then, with its ETag', async () => {
    expect(then.size).to.equal(3);
    const events = await history();
    for (const [version, answered] of then) {
      const time = events.find(({ revision }) => revision === version)?.date ?? '';
      const past = await at(time);
      expect([past.status, past.headers.etag, past.body], time).to.deep.equal([200, `"${version}"`, answered.body]);
      const later = await at(formatTime(Date.parse(time) + 1));
      expect(later.body).to.deep.equal(answered.body);
    }
  });

  it('takes any offset, and the expanded transactions', async () => {
    const [first] = then.values();
    const { dateUpdated } = bodyOf(first ?? expect.fail('nothing was read'), Read);
    const inTokyo = formatTime(Date.parse(dateUpdated) + 9 * HOUR_MS).replace('Z', '+09:00');
    const expanded = await at(inTokyo, '&expand=transactions.events');
    expect(bodyOf(expanded, Read).status).to.equal('AUTHORIZED');
    expect(expanded.text).to.include('AUTHORIZATION_SUCCEEDED').and.not.include('CAPTURE_');
  });

  it('is 404 before the payment was created, and for another account', async () => {
    const [made] = await history();
    const before = formatTime(Date.parse(made?.date ?? '') - 1);
    expect([(await at(before)).status, errorId(await at(before))]).to.deep.equal([404, 'NotFound']);
    const now = formatTime(http.world.now());
    expect((await http.other.ask('GET', `/payments/${id}?at=${now}`)).status).to.equal(404);
    expect((await http.shop.ask('GET', `/payments/pay_none?at=${now}`)).status).to.equal(404);
  });

  it('is 422 in the future of the business clock, and not before it', async () => {
    const ahead = await at(formatTime(http.world.now() + HOUR_MS));
    expect([ahead.status, errorId(ahead)]).to.deep.equal([422, 'RequestValidationError']);
    expect(ahead.text).to.include('"$.at"').and.include('future');
    expect((await at(formatTime(http.world.now()))).status).to.equal(200); // two hours ahead of the machine
  });

  it('is 422 for a text that is not a time, and with an unknown parameter', async () => {
    for (const time of ['2026-02-30T00:00:00Z', '2026-01-31T24:00:00Z', '2026-01-31', '1769903990000', ''])
      expect((await at(time)).status, time).to.equal(422);
    expect((await at(formatTime(http.world.now()), '&revision=1')).status).to.equal(422);
  });
});
