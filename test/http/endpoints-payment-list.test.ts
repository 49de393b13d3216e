// GET /payments: filters, order and paging (contract §4).
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS, type Payment } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Page = z.strictObject({
  data: z.array(z.looseObject({ id: z.string(), date: z.string(), status: z.string() })),
  nextCursor: z.string().optional(),
});
const MINUTE_MS = 60_000;

describe('the list of payments', () => {
  let http: HttpService;
  /** By name, in the order in which they were made, a minute between them. */
  const made = new Map<string, Payment>();
  const times: string[] = [];
  before(async () => {
    http = await serveHttp();
    const { shop, world } = http;
    const make = async (name: string, payment: Promise<Payment>): Promise<void> => {
      made.set(name, await payment);
      times.push(new Date(world.now()).toISOString());
      world.advance(MINUTE_MS);
    };
    await make('small', shop.paid({ session: { orderId: 'o-1', customerId: 'c-1', amount: 100 } }));
    await make('yen', shop.paid({ session: { orderId: 'o-2', customerId: 'c-1', currencyCode: 'JPY', amount: 500 } }));
    await make('declined', shop.paid({ session: { orderId: 'o-3', amount: 500 }, card: CARDS.declined }));
    await make(
      'settled',
      shop.captured({ session: { orderId: 'o-1', customerId: 'c-2', amount: 900 }, card: CARDS.otherApproved }),
    );
    // A look-up would find it authorized, as soon as one falls due.
    const silent = { match: { operation: 'look_up' }, do: { phase: 'before_effect', fault: '503' } };
    expect((await shop.ask('PUT', '/sandbox/faults', { seed: 1, rules: [silent] })).status).to.equal(200);
    await make('pending', shop.paid({ session: { orderId: 'o,4', amount: 1000 }, card: CARDS.pendingForEver }));
  });
  after(() => http.stop());

  const page = async (query: string) => bodyOf(await http.shop.ask('GET', `/payments?${query}`), Page);
  const names = (data: readonly { readonly id: string }[]): readonly (string | undefined)[] =>
    data.map(({ id }) => [...made].find(([, payment]) => payment.id === id)?.[0]);
  const found = async (query: string) => names((await page(query)).data);
  const ALL = ['pending', 'settled', 'declined', 'yen', 'small'];

  it('is newest first, and appends no event', async () => {
    const { answer, types } = await appendedBy(http.stores.events, () => http.shop.ask('GET', '/payments'));
    const { data, nextCursor } = bodyOf(answer, Page);
    expect([names(data), nextCursor, types]).to.deep.equal([ALL, undefined, []]);
    expect(data.map(({ date }) => date)).to.deep.equal(
      data
        .map(({ date }) => date)
        .sort()
        .reverse(),
    );
  });

  it('shows of each payment the members of the contract, and no more', async () => {
    const { shop } = http;
    const { id } = made.get('settled') ?? { id: '' };
    const { data } = await page('status=SETTLED');
    const whole = bodyOf(await shop.ask('GET', `/payments/${id}`), z.looseObject({ paymentMethod: z.looseObject({}) }));
    const { paymentMethodType, paymentMethodData } = whole.paymentMethod;
    const { order, customer, transactions, outcomeKnown, ...shown } = whole;
    expect([order, customer, transactions === undefined, outcomeKnown]).to.deep.equal([
      undefined,
      undefined,
      false,
      true,
    ]);
    expect(data).to.deep.equal([{ ...shown, paymentMethod: { paymentMethodType, paymentMethodData } }]);
  });

  const FILTERS: readonly (readonly [string, readonly string[]])[] = [
    ['status=AUTHORIZED', ['yen', 'small']],
    ['status=AUTHORIZED,DECLINED', ['declined', 'yen', 'small']],
    ['status=AUTHORIZED&status=DECLINED', ['declined', 'yen', 'small']],
    ['status=AUTHORIZED,DECLINED&status=SETTLED', ['settled', 'declined', 'yen', 'small']],
    ['status=FAILED', []],
    ['currency_code=JPY', ['yen']],
    ['currency_code=JPY,EUR', ALL],
    ['currency_code=USD', []],
    ['order_id=o-1', ['settled', 'small']],
    ['order_id=o-2,o-3', ['declined', 'yen']],
    ['order_id=nobody', []],
    ['order_id=o,4', []],
    ['order_id=o%2C4', ['pending']],
    ['order_id=o-2,o%2c4', ['pending', 'yen']],
    ['order_id=o-2&order_id=o%2C4', ['pending', 'yen']],
    ['status=AUTHORIZED%2CDECLINED', ['declined', 'yen', 'small']],
    ['customer_id=c-1', ['yen', 'small']],
    ['customer_id=c-1&customer_id=c-2', ['settled', 'yen', 'small']],
    ['processor=sandbox', ALL],
    ['processor=another', []],
    ['last_4_digits=4444', ['settled']],
    ['last_4_digits=4444,0002', ['settled', 'declined']],
    ['payment_method_type=PAYMENT_CARD', ALL],
    ['currency_code=EUR&min_amount=500', ['pending', 'settled', 'declined']],
    ['currency_code=EUR&max_amount=500', ['declined', 'small']],
    ['currency_code=EUR&min_amount=101&max_amount=999', ['settled', 'declined']],
    ['currency_code=EUR&min_amount=0&max_amount=9007199254740991', ['pending', 'settled', 'declined', 'small']],
    ['status=AUTHORIZED&customer_id=c-1&currency_code=EUR&last_4_digits=4242&order_id=o-1', ['small']],
  ];
  for (const [query, expected] of FILTERS) {
    it(`finds by ${query}`, async () => {
      expect(await found(query)).to.deep.equal(expected);
    });
  }

  it('finds by dates, both ends included, with any offset', async () => {
    const { data } = await page('');
    const dates = data.map(({ date }) => date);
    const [, settled = '', declined = '', yen = ''] = dates;
    expect(await found(`from_date=${settled}`)).to.deep.equal(['pending', 'settled']);
    expect(await found(`to_date=${yen}`)).to.deep.equal(['yen', 'small']);
    expect(await found(`from_date=${yen}&to_date=${settled}`)).to.deep.equal(['settled', 'declined', 'yen']);
    const inTokyo = new Date(Date.parse(declined) + 9 * 60 * MINUTE_MS).toISOString().replace('Z', '%2B09:00');
    expect(await found(`from_date=${inTokyo}&to_date=${inTokyo}`)).to.deep.equal(['declined']);
    const unencoded = inTokyo.replace('%2B', '+');
    expect(await found(`from_date=${unencoded}&to_date=${unencoded}`)).to.deep.equal(['declined']);
    expect(await found(`from_date=${settled}&to_date=${yen}`)).to.deep.equal([]);
  });

  it('has the requested page size, 20 by default', async () => {
    const { data, nextCursor } = await page('limit=2');
    expect([names(data), typeof nextCursor]).to.deep.equal([ALL.slice(0, 2), 'string']);
    expect((await page('limit=5')).nextCursor).to.equal(undefined);
    expect((await page('limit=100')).data).to.have.length(5);
  });

  it('goes on after a cursor, with another page size too', async () => {
    const first = await page('limit=1&currency_code=EUR');
    const second = await page(`limit=2&currency_code=EUR&cursor=${first.nextCursor}`);
    const third = await page(`currency_code=EUR&cursor=${second.nextCursor}`);
    expect([first, second, third].map(({ data }) => names(data))).to.deep.equal([
      ['pending'],
      ['settled', 'declined'],
      ['small'],
    ]);
    expect(third.nextCursor).to.equal(undefined);
  });

  it('takes a cursor whatever the order and the form of its filters, and refuses it with others', async () => {
    const { nextCursor } = await page('limit=1&status=AUTHORIZED,DECLINED&currency_code=EUR');
    expect(await found(`cursor=${nextCursor}&currency_code=EUR&status=AUTHORIZED&status=DECLINED`)).to.deep.equal([
      'small',
    ]);
    for (const query of [
      '',
      'status=AUTHORIZED',
      'status=AUTHORIZED,DECLINED',
      'status=AUTHORIZED,CANCELLED&currency_code=EUR',
      'status=AUTHORIZED,DECLINED&currency_code=USD',
      'status=AUTHORIZED,DECLINED&currency_code=EUR&order_id=o-1',
    ]) {
      const { error } = await http.shop.ask('GET', `/payments?cursor=${nextCursor}&${query}`);
      expect(error?.errorId, query).to.equal('InvalidCursor');
    }
  });

  it('binds a cursor to the moments and amounts of its filters too', async () => {
    const [one = '', other = ''] = times;
    const { nextCursor } = await page(`limit=1&from_date=${one}&currency_code=EUR&min_amount=101`);
    for (const [from, least] of [
      [other, 101],
      [one, 102],
    ] as const) {
      const query = `cursor=${nextCursor}&from_date=${from}&currency_code=EUR&min_amount=${least}`;
      expect((await http.shop.ask('GET', `/payments?${query}`)).error?.errorId, query).to.equal('InvalidCursor');
    }
  });

  it('refuses a text that is not a cursor of this list', async () => {
    const { id } = made.get('settled') ?? { id: '' };
    const history = bodyOf(
      await http.shop.ask('GET', `/payments/${id}/events?limit=1`),
      z.looseObject({ nextCursor: z.string() }),
    );
    for (const cursor of ['x', 'bnVsbA', Buffer.from('{}').toString('base64url'), history.nextCursor]) {
      expect((await http.shop.ask('GET', `/payments?cursor=${cursor}`)).error?.errorId, cursor).to.equal(
        'InvalidCursor',
      );
    }
  });

  const WRONG: readonly (readonly [string, string])[] = [
    ['unknown=1', '$.unknown'],
    ['orderId=o-1', '$.orderId'],
    ['limit=0', '$.limit'],
    ['limit=101', '$.limit'],
    ['limit=ten', '$.limit'],
    ['limit=1&limit=2', '$.limit'],
    ['status=PAID', '$.status[0]'],
    ['status=AUTHORIZED,paid', '$.status[1]'],
    ['currency_code=eur', '$.currency_code[0]'],
    ['last_4_digits=123', '$.last_4_digits[0]'],
    ['payment_method_type=CASH', '$.payment_method_type[0]'],
    ['from_date=2020-01-01', '$.from_date'],
    ['to_date=x', '$.to_date'],
    ['from_date=2020-02-30T00:00:00Z', '$.from_date'],
    ['to_date=2020-01-01T24:00:00Z', '$.to_date'],
    ['min_amount=1', '$.min_amount'],
    ['max_amount=1.5&currency_code=EUR', '$.max_amount'],
    ['min_amount=9007199254740992&currency_code=EUR', '$.min_amount'],
    [`cursor=${'x'.repeat(1_025)}`, '$.cursor'],
  ];
  for (const [query, path] of WRONG) {
    it(`is a 422 on ${path} for ${query.slice(0, 50)}`, async () => {
      const { status, error } = await http.shop.ask('GET', `/payments?${query}`);
      expect([status, error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
      expect(error?.validationErrors).to.have.length(1);
      expect(error?.validationErrors?.[0]).to.nested.include({ model: 'Query', 'errors[0].path': path });
    });
  }

  it('names every violation of a query at once', async () => {
    const { error } = await http.shop.ask('GET', '/payments?unknown=1&limit=0&status=PAID&from_date=x');
    const paths = error?.validationErrors?.flatMap(({ errors }) => errors.map(({ path }) => path));
    expect(paths).to.have.members(['$.unknown', '$.limit', '$.status[0]', '$.from_date']);
  });

  it('loses and doubles no payment while payments are added, many of them in one millisecond', async () => {
    const { other } = http;
    const paymentMethodToken = await other.vaulted('c-many');
    const pay = async (): Promise<string> => {
      const answer = await other.ask('POST', '/payments', {
        paymentMethodToken,
        orderId: 'many',
        currencyCode: 'EUR',
        amount: 1,
      });
      return bodyOf(answer, z.looseObject({ id: z.string() })).id;
    };
    const before = await Promise.all(Array.from({ length: 25 }, pay));
    const seen: string[] = [];
    const added: Promise<string>[] = [];
    let cursor = '';
    for (let pages = 0; pages < 50; pages += 1) {
      added.push(pay(), pay());
      const { data, nextCursor } = bodyOf(await other.ask('GET', `/payments?order_id=many&limit=3${cursor}`), Page);
      seen.push(...data.map(({ id }) => id));
      if (nextCursor === undefined) break;
      cursor = `&cursor=${nextCursor}`;
    }
    await Promise.all(added);
    expect(seen).to.include.members(before);
    expect(new Set(seen).size).to.equal(seen.length);
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
