// The CSV of the dashboard's payments: of any size as a stream, for a spreadsheet that must not run what customers
// wrote.
import { expect } from 'chai';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import { paymentsCsv } from '../../../src/http/answers/csv.ts';
import { payments } from '../../../src/projections/models/payments.ts';
import type { PaymentPage } from '../../../src/queries/list-payments.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';
import { manyPayments } from '../../support/many-payments.ts';

const HOSTILE = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  'a "quoted", one',
  'two\nlines',
  '\n=1',
  'a;=1+1',
  'b; c',
  ' =1+1',
  '\u200B=1+1',
  '\uFEFF\u00A0@SUM(A1)',
  'a; +1',
  ' 1',
];
const MANY = 20_000;

describe('the CSV of payments', () => {
  let dashboard: Dashboard;
  let shop: Shop;
  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
  });
  after(() => dashboard.close());

  const csv = (query: string, role: 'owner' | 'developer' | 'support' | 'auditor' = 'auditor') =>
    dashboard.ask(role, 'GET', `/dashboard/api/payments.csv${query}`);

  it('has a header, times in UTC, and amounts with the decimals of their currency', async () => {
    const { id } = await shop.captured({ session: { orderId: 'yen', currencyCode: 'JPY', amount: 500 } });
    const { headers, text } = await csv('?order_id=yen');
    expect(headers.get('content-type')).to.match(/^text\/csv; charset=utf-8/);
    expect(headers.get('content-disposition')).to.match(
      /^attachment; filename="payments-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.csv"$/,
    );
    const [header, row, end] = text.split('\r\n');
    const cells = new Map(header?.split(',').map((name, at) => [name, row?.split(',')[at]]));
    expect([cells.get('id'), cells.get('currency'), cells.get('amount'), cells.get('captured')]).to.deep.equal([
      id,
      'JPY',
      '500',
      '500',
    ]);
    expect(cells.get('date_utc')).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(end).to.equal('');
    await shop.paid({ session: { orderId: 'euro' } });
    expect((await csv('?order_id=euro')).text).to.include(',EUR,54.90,54.90,0.00,');
  });

  it('defuses cells that a spreadsheet would run, and quotes the others where they need it', async () => {
    for (const customerId of HOSTILE) await shop.paid({ session: { orderId: 'hostile', customerId } });
    const { text } = await csv('?order_id=hostile');
    for (const cell of [
      `,'=1+1,`,
      `,'+1,`,
      `,'-1,`,
      `,'@SUM(A1),`,
      `,'\t=1,`,
      `,"'\r=1",`,
      ',"a ""quoted"", one",',
      ',"two\nlines",',
    ])
      expect(text).to.include(cell);
    // A line feed at the beginning, and a cell that ends at a semicolon, as spreadsheets of many countries read it.
    for (const cell of [
      `,"'\n=1",`,
      `,"a;'=1+1",`,
      ',"b; c",',
      `,' =1+1,`,
      `,'\u200B=1+1,`,
      `,'\uFEFF\u00A0@SUM(A1),`,
      `,"a;' +1",`,
      ', 1,',
    ])
      expect(text).to.include(cell);
  });

  it('has the chosen payments alone, in the order of their ids, and none of another account', async () => {
    const [first, second] = [await shop.paid(), await shop.paid()];
    const { text } = await csv(`?id=${second.id},pay_of_nobody,${first.id}`);
    expect(text.split('\r\n').map((line) => line.split(',')[0])).to.deep.equal(['id', second.id, first.id, '']);
    const many = Array.from({ length: 101 }, (_, at) => `pay_${at}`).join(',');
    expect((await csv(`?id=${many}`)).status).to.equal(422);
  });

  it('is for owner, support and auditor', async () => {
    const statuses = await Promise.all(
      (['owner', 'support', 'auditor', 'developer'] as const).map(async (role) => (await csv('', role)).status),
    );
    expect(statuses).to.deep.equal([200, 200, 200, 403]);
  });

  it('refuses a filter that the list refuses', async () => {
    expect((await csv('?min_amount=5')).status).to.equal(422);
  });

  it(`has all of ${MANY} payments, each once, newest first`, async () => {
    const { id } = await shop.paid({ session: { orderId: 'many' } });
    await manyPayments(dashboard.service, id, MANY);
    const { text } = await csv('');
    const copies = text.split('\r\n').filter((line) => line.startsWith('pay_copy'));
    expect(copies).to.have.length(MANY);
    expect(copies.map((line) => Number(line.slice(8, 16)))).to.deep.equal(copies.map((_, at) => at));
  });

  it('reads a page when the one before it was taken, so that it holds one page in memory, whatever its size', async () => {
    const { id } = await shop.paid();
    const [row] = await dashboard.service.readModels.get(payments, [id]);
    if (row === undefined || !isKnown(row.doc)) throw new Error('there is no payment');
    const page: PaymentPage = { rows: [{ ...row, doc: row.doc }], next: { date: row.doc.date, id } };
    let read = 0;
    const pieces = paymentsCsv(async () => {
      read += 1;
      return page;
    })[Symbol.asyncIterator]();
    const seen: number[] = [];
    for (let taken = 0; taken < 4; taken += 1) {
      await pieces.next();
      seen.push(read);
    }
    await pieces.return?.();
    expect(seen).to.deep.equal([0, 1, 2, 3]);
  });
});
