// Customers in the dashboard over HTTP: found by e-mail address and by the beginning of an order, with their own page
// and their names in lists.
import { expect } from 'chai';
import { z } from 'zod';
import { accept } from '../../../src/domain/decider.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import {
  type SearchedPayment,
  type SearchedPaymentKey,
  searchedPayments,
} from '../../../src/projections/models/searched-payments.ts';
import { goldenEvents, readGoldenLog } from '../../golden/golden-log.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';
import { until } from '../../support/until.ts';

const Name = z.strictObject({ firstName: z.string().optional(), lastName: z.string().optional() });
const Search = z.strictObject({
  matches: z.array(
    z.strictObject({ by: z.string(), data: z.array(z.looseObject({ id: z.string() })), hasMore: z.boolean() }),
  ),
  customers: z.array(
    z.strictObject({
      customerId: z.string(),
      customerName: Name.optional(),
      emailAddress: z.string().optional(),
      payments: z.int(),
    }),
  ),
});
const Customer = z.strictObject({
  customerId: z.string(),
  customerName: Name.optional(),
  emailAddress: z.string().optional(),
  payments: z.int(),
  firstSeenAt: z.string().optional(),
  lastSeenAt: z.string().optional(),
  totals: z.array(z.object({ currencyCode: z.string(), captured: z.int(), refunded: z.int(), lost: z.int() })),
  disputes: z.strictObject({
    count: z.int(),
    data: z.array(z.looseObject({ id: z.string(), paymentId: z.string(), status: z.string(), amount: z.int() })),
  }),
});
const CustomerList = z.strictObject({
  data: z.array(
    z.strictObject({
      ...Customer.omit({ disputes: true, firstSeenAt: true, lastSeenAt: true }).shape,
      firstSeenAt: z.iso.datetime(),
      lastSeenAt: z.iso.datetime(),
    }),
  ),
  nextCursor: z.string().optional(),
});
const Listed = z.looseObject({
  data: z.array(z.looseObject({ orderId: z.string(), customerName: Name.optional() })),
});

const ADA = { firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'Ada@Shop.Example' };

describe("the dashboard's customers", () => {
  let dashboard: Dashboard;
  let shop: Shop;
  beforeEach(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
  });
  afterEach(() => dashboard.close());

  const ask = (path: string) => dashboard.ask('auditor', 'GET', `/dashboard/api${path}`);
  const read = async <Body>(path: string, shape: z.ZodType<Body>): Promise<Body> => shape.parse((await ask(path)).body);
  const search = (text: string) => read(`/payment-search?text=${encodeURIComponent(text)}`, Search);
  const foundBy = async (text: string, by: string) =>
    (await search(text)).matches.find((match) => match.by === by)?.data.map(({ id }) => id) ?? [];
  /** The follower writes customers and the search's documents a moment after the payment. */
  const customerWith = async (id: string, isAsWanted: (customer: z.infer<typeof Customer>) => boolean) => {
    let customer: z.infer<typeof Customer> | undefined;
    await until(async () => {
      const { status, body } = await ask(`/customer?customer_id=${encodeURIComponent(id)}`);
      customer = status === 200 ? Customer.parse(body) : undefined;
      return customer !== undefined && isAsWanted(customer);
    });
    return customer;
  };

  it('are found with their payments by the whole e-mail address, however it is written', async () => {
    const { id } = await shop.paid({ session: { customerId: 'ada', customer: ADA } });
    const guest = await shop.paid({ session: { customer: { emailAddress: 'ada@shop.example' } } });
    await shop.paid({ session: { customerId: 'bob', customer: { emailAddress: 'bob@shop.example' } } });
    await until(async () => (await foundBy('ada@shop.example', 'emailAddress')).length === 2);
    await customerWith('ada', ({ payments }) => payments === 1); // the follower writes the customers later
    const { matches, customers } = await search(' ADA@shop.example ');
    expect(matches.map(({ by, data }) => [by, data.map((one) => one.id)])).to.deep.equal([
      ['emailAddress', [guest.id, id]],
    ]);
    expect(customers).to.deep.equal([
      {
        customerId: 'ada',
        customerName: { firstName: 'Ada', lastName: 'Lovelace' },
        emailAddress: ADA.emailAddress,
        payments: 1,
      },
    ]);
    expect((await search('ada@shop.exampl')).matches).to.deep.equal([]);
    expect((await search('ada')).customers.map(({ customerId }) => customerId)).to.deep.equal(['ada']);
  });

  it('leave a keyed hash in the index of the search, and no address', async () => {
    await shop.paid({ session: { customer: ADA } });
    await until(async () => (await foundBy('ada@shop.example', 'emailAddress')).length === 1);
    const [row] = await dashboard.service.readModels.find<SearchedPayment, SearchedPaymentKey>(searchedPayments, {
      where: { accountId: [dashboard.accountId] },
      limit: 1,
    });
    expect(row?.doc.emailHash).to.match(/^[0-9a-f]{32}$/);
    // ids and the hash are hex, which may contain the name by chance
    expect(JSON.stringify(row).toLowerCase()).not.to.match(/lovelace|shop\.example|[^0-9a-f]ada[^0-9a-f]/);
  });

  it('are found by the address of a payment from before its first event contained the hash', async () => {
    const golden = goldenEvents(await readGoldenLog());
    const { id, type, data, metadata } =
      golden.find(({ stream }) => stream === 'payment-pay_everything') ?? expect.fail('the golden log lacks it');
    const older = { ...JSON.parse(data), accountId: dashboard.accountId, customerId: 'ada', customer: ADA };
    const { events } = dashboard.opened;
    await events.append('payment-pay_older', -1, [{ id, type, data: JSON.stringify(older), metadata }]);
    const named = async () => (await read('/customers?text=ada%40shop.example', CustomerList)).data;
    await until(async () => (await named()).length === 1);
    expect((await named()).map(({ customerId }) => customerId)).to.deep.equal(['ada']);
  });

  it('leave orders that are found by their beginning, from three characters on, in the case as it is', async () => {
    const [first, second] = [
      await shop.paid({ session: { orderId: 'SHOE-1' } }),
      await shop.paid({ session: { orderId: 'SHOE-10' } }),
    ];
    await shop.paid({ session: { orderId: 'shoe-2' } });
    await until(async () => (await foundBy('SHO', 'orderIdPrefix')).length === 2);
    expect(await foundBy('SHOE-', 'orderIdPrefix')).to.deep.equal([first.id, second.id]);
    expect(await foundBy('SHOE-1', 'orderIdPrefix')).to.deep.equal([second.id]);
    expect(await foundBy('SHOE-1', 'orderId')).to.deep.equal([first.id]);
    expect(await foundBy('SH', 'orderIdPrefix')).to.deep.equal([]);
    const { matches } = await search('SHO');
    expect(matches.map(({ hasMore }) => hasMore)).to.deep.equal([false]);
    for (let at = 2; at < 7; at += 1) await shop.paid({ session: { orderId: `SHOE-${at}` } });
    await until(async () => (await search('SHO')).matches[0]?.hasMore === true);
    expect(await foundBy('SHO', 'orderIdPrefix')).to.have.length(5);
  });

  it('have sums by currency, times, and the name and address that they gave last', async () => {
    const captured = await shop.captured({ session: { customerId: 'ada / 1', customer: ADA } });
    await shop.ask(`/payments/${captured.id}/refund`, { amount: 490 });
    await shop.captured({
      session: { customerId: 'ada / 1', currencyCode: 'USD', amount: 700, customer: { firstName: 'Augusta' } },
    });
    await shop.paid({ session: { customerId: 'ada / 1' } });
    const ada = await customerWith('ada / 1', ({ payments, totals }) => payments === 3 && totals.length === 2);
    const { firstSeenAt = '', lastSeenAt = '', ...told } = ada ?? {};
    expect(told).to.deep.equal({
      customerId: 'ada / 1',
      customerName: { firstName: 'Augusta' },
      emailAddress: ADA.emailAddress,
      payments: 3,
      totals: [
        { currencyCode: 'EUR', captured: 5_490, refunded: 490, lost: 0 },
        { currencyCode: 'USD', captured: 700, refunded: 0, lost: 0 },
      ],
      disputes: { count: 0, data: [] },
    });
    expect(Date.parse(firstSeenAt)).to.be.below(Date.parse(lastSeenAt));
  });

  it('have their disputes, and the amount that was lost', async () => {
    const { id } = await shop.captured({ session: { customerId: 'ada' } });
    const { service, accountId } = dashboard;
    const record = (fact: PaymentEvent) =>
      service.payments.recordFact(id, operatorContext(service.world, accountId), () => () => accept(fact));
    const evidence = { source: 'notification' as const };
    const money = { amount: 490, currencyCode: 'EUR', connectionId: 'sandbox', network: 'VISA' };
    const opened = { disputeId: 'dsp_1', processorDisputeId: 'dp_1', ...money, openedAt: service.world.now() };
    await record({ type: 'DisputeOpened', data: { round: 1, type: 'DISPUTE', ...opened, evidence } });
    await record({ type: 'DisputeLost', data: { disputeId: 'dsp_1', evidence } });
    const ada = await customerWith('ada', ({ totals }) => totals[0]?.lost === 490);
    expect(ada?.disputes.count).to.equal(1);
    expect(ada?.disputes.data.map(({ paymentId, status, amount }) => [paymentId, status, amount])).to.deep.equal([
      [id, 'LOST', 490],
    ]);
  });

  it('are listed by their last payment, page by page, with their sums', async () => {
    await shop.captured({ session: { customerId: 'ada', customer: ADA } });
    for (const customerId of ['bob', 'eve|1']) await shop.paid({ session: { customerId } });
    await shop.paid({ session: {} });
    await shop.paid({ session: { customerId: 'ada', currencyCode: 'USD' } });
    await customerWith('ada', ({ payments }) => payments === 2);
    const first = await read('/customers?limit=2', CustomerList);
    const rest = await read(`/customers?limit=2&cursor=${first.nextCursor}`, CustomerList);
    expect([...first.data, ...rest.data].map(({ customerId }) => customerId)).to.deep.equal(['ada', 'eve|1', 'bob']);
    expect(rest.nextCursor).to.equal(undefined);
    const [ada] = first.data;
    const { firstSeenAt = '', lastSeenAt = '', ...told } = ada ?? {};
    expect(told).to.deep.equal({
      customerId: 'ada',
      customerName: { firstName: 'Ada', lastName: 'Lovelace' },
      emailAddress: ADA.emailAddress,
      payments: 2,
      totals: [{ currencyCode: 'EUR', captured: 5_490, refunded: 0, lost: 0 }],
    });
    expect(Date.parse(firstSeenAt)).to.be.below(Date.parse(lastSeenAt));
    expect((await ask(`/customers?text=ada&cursor=${first.nextCursor}`)).status).to.equal(400);
    const { rows } = await dashboard.service.queries.listCustomers('acc_another', 10);
    expect(rows).to.deep.equal([]);
  });

  it('are found in their list by their id, or by every whole e-mail address that they gave', async () => {
    await shop.paid({ session: { customerId: 'ada', customer: ADA } });
    await shop.paid({ session: { customerId: 'ada@shop.example' } });
    await shop.paid({ session: { customerId: 'household', customer: { emailAddress: 'ada@shop.example' } } });
    await shop.paid({ session: { customerId: 'ada', customer: { emailAddress: 'ada@home.example' } } });
    await customerWith('ada', ({ payments }) => payments === 2);
    const named = async (text: string, more = '') => {
      const { data, nextCursor } = await read(`/customers?text=${encodeURIComponent(text)}${more}`, CustomerList);
      return { ids: data.map(({ customerId }) => customerId), nextCursor };
    };
    const all = ['ada', 'household', 'ada@shop.example'];
    await until(async () => (await named('ada@shop.example')).ids.length === 3);
    expect((await named(' ada@shop.example')).ids).to.deep.equal(all);
    const { ids, nextCursor } = await named('ada@shop.example', '&limit=2');
    const rest = await named('ada@shop.example', `&limit=2&cursor=${nextCursor}`);
    expect([ids, rest.ids, rest.nextCursor]).to.deep.equal([all.slice(0, 2), all.slice(2), undefined]);
    expect((await named('ADA@home.example')).ids).to.deep.equal(['ada']);
    expect((await named('household')).ids).to.deep.equal(['household']);
    expect((await named('ada@shop.exampl')).ids).to.deep.equal([]);
  });

  it('are there with a card or a session alone, and not of another account, or without anything', async () => {
    const token = await shop.tokenize(await shop.session({ customerId: 'saved' }));
    await shop.ask(`/payment-instruments/${token}/vault`, { customerId: 'saved' });
    expect(await read('/customer?customer_id=saved', Customer)).to.deep.equal({
      customerId: 'saved',
      payments: 0,
      totals: [],
      disputes: { count: 0, data: [] },
    });
    await shop.session({ customerId: 'visitor', customer: ADA });
    const { payments, customerName } = await read('/customer?customer_id=visitor', Customer);
    expect([payments, customerName?.lastName]).to.deep.equal([0, 'Lovelace']);
    expect((await ask('/customer?customer_id=nobody')).status).to.equal(404);
    await shop.paid({ session: { customerId: 'ada' } });
    await customerWith('ada', ({ payments }) => payments === 1);
    const { readCustomer } = dashboard.service.queries;
    expect(await readCustomer('acc_another', 'ada')).to.equal(undefined);
  });

  it('have their names in the lists of payments and sessions, even where a payment has only their id', async () => {
    await shop.paid({ session: { orderId: 'named', customerId: 'ada', customer: ADA } });
    await shop.paid({ session: { orderId: 'by id', customerId: 'ada' } });
    await shop.paid({ session: { orderId: 'guest' } });
    await customerWith('ada', ({ payments }) => payments === 2);
    const name = { firstName: 'Ada', lastName: 'Lovelace' };
    for (const list of ['/payments', '/client-sessions']) {
      const { data } = await read(list, Listed);
      expect(data.map((row) => [row.orderId, row.customerName])).to.deep.equal([
        ['guest', undefined],
        ['by id', name],
        ['named', name],
      ]);
    }
  });
});
