// The newest events of the account in the dashboard's API: whose, in what order, by category, type and time, page by
// page.
import { expect } from 'chai';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { shopOf } from '../../support/dashboard-shop.ts';

const Page = z.strictObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      type: z.string(),
      stream: z.string(),
      position: z.string(),
      recordedAt: z.string(),
      actor: z.object({ kind: z.string(), email: z.string().optional() }),
    }),
  ),
  nextBefore: z.string().optional(),
});

describe('the newest events in the dashboard', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
    for (const name of ['one', 'two', 'three'])
      await dashboard.ask('owner', 'POST', '/dashboard/api/keys', { name, scopes: ['transactions:retrieve'] });
  });
  after(() => dashboard.close());

  const page = async (query = '') =>
    Page.parse((await dashboard.ask('auditor', 'GET', `/dashboard/api/events${query}`)).body);

  it('come newest first, and name their actors', async () => {
    const { data } = await page('?limit=3');
    const made = ['ApiKeyCreated', 'user', dashboard.emailOf('owner')];
    expect(data.map(({ type, actor }) => [type, actor.kind, actor.email])).to.deep.equal(Array(3).fill(made));
    const positions = data.map(({ position }) => BigInt(position));
    expect(positions.every((position, at) => at === 0 || position < (positions[at - 1] ?? 0n))).to.equal(true);
  });

  it('come page by page to where the log begins, each once', async () => {
    const ids: string[] = [];
    for (let query = '?limit=2'; ; ) {
      const { data, nextBefore } = await page(query);
      ids.push(...data.map(({ id }) => id));
      if (nextBefore === undefined) break;
      query = `?limit=2&before=${nextBefore}`;
    }
    expect(ids).to.deep.equal((await page('?limit=200')).data.map(({ id }) => id));
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('are found by category and by type', async () => {
    expect(
      new Set((await page('?category=user&limit=200')).data.map(({ stream }) => stream.split('-')[0])),
    ).to.deep.equal(new Set(['user']));
    expect((await page('?type=ApiKeyCreated&limit=200')).data).to.have.length(5);
  });

  it('are found between two times, both included, beside the other filters and page by page', async () => {
    const { data } = await page('?type=ApiKeyCreated&limit=200');
    const [newest = expect.fail('none')] = data;
    const oldest = data.at(-1) ?? expect.fail('none');
    const within = (from: string, to: string) => `?type=ApiKeyCreated&from_date=${from}&to_date=${to}`;
    expect((await page(within(oldest.recordedAt, newest.recordedAt))).data).to.deep.equal(data);
    const first = await page(`${within(oldest.recordedAt, newest.recordedAt)}&limit=1`);
    expect(first.data).to.deep.equal([newest]);
    const rest = await page(`${within(oldest.recordedAt, newest.recordedAt)}&before=${first.nextBefore}`);
    expect(rest.data).to.deep.equal(data.slice(1));
    const after = new Date(Date.parse(newest.recordedAt) + 1).toISOString();
    expect(await page(`?type=ApiKeyCreated&from_date=${after}`)).to.deep.equal({ data: [] });
    const before = data.filter(({ recordedAt }) => recordedAt <= oldest.recordedAt);
    expect((await page(`?type=ApiKeyCreated&to_date=${oldest.recordedAt}`)).data).to.deep.equal(before);
    expect((await dashboard.ask('owner', 'GET', '/dashboard/api/events?from_date=today')).status).to.equal(422);
  });

  it('leave out how the service works, unless all are asked for, or a category or type names it', async () => {
    const shop = shopOf(dashboard);
    const clientToken = await shop.session();
    const paymentMethodToken = await shop.tokenize(clientToken);
    const headers = { 'x-api-key': dashboard.key, 'x-idempotency-key': 'once' };
    await shop.ask('/payments', { clientToken, paymentMethodToken }, headers);
    const typesOf = async (query: string) => new Set((await page(`?limit=200${query}`)).data.map(({ type }) => type));
    const own = ['IdempotencyClaimed', 'ClientSessionClaimed', 'InstrumentClaimed'];
    const shown = await typesOf('');
    expect([...shown]).to.include.members(['PaymentCreated', 'ClientSessionCreated', 'InstrumentTokenized']);
    expect(own.filter((type) => shown.has(type))).to.deep.equal([]);
    expect([...(await typesOf('&show=all'))]).to.include.members([...own, ...shown]);
    expect([...(await typesOf('&category=idempotency'))]).to.deep.equal(['IdempotencyClaimed']);
    expect([...(await typesOf('&type=InstrumentClaimed'))]).to.deep.equal(['InstrumentClaimed']);
    expect([...(await typesOf('&category=clientSession'))]).to.deep.equal(['ClientSessionCreated']);
  });

  it('are those of the account alone, without hashes of secrets', async () => {
    const other = await dashboard.service.access.createAccount('Another');
    if (other.kind === 'rejected') throw new Error(other.description);
    const { text } = await dashboard.ask('auditor', 'GET', '/dashboard/api/events?limit=200');
    expect(text).not.to.include(other.id);
    expect(text)
      .to.include('"secretHash":"(hidden)"')
      .and.not.match(/"secretHash":"[0-9a-f]/);
  });

  it('are for those who may see personal data', async () => {
    expect((await dashboard.ask('support', 'GET', '/dashboard/api/events')).status).to.equal(403);
  });
});
