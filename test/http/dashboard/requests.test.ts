// The dashboard's request log and overview over HTTP: filters, pages, the account's own alone, and the roles.
import { expect } from 'chai';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';

const List = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      date: z.string(),
      status: z.number(),
      method: z.string(),
      route: z.string(),
      diagnosticsId: z.string(),
    }),
  ),
  nextAfter: z.string().optional(),
  routes: z.array(z.string()),
  keyIds: z.array(z.string()),
});

describe('the request log of the dashboard', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
    const headers = { 'X-Api-Key': dashboard.key, 'Content-Type': 'application/json' };
    const ask = (method: string, path: string, body?: object) =>
      fetch(`${dashboard.url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    for (let n = 0; n < 5; n += 1) await ask('GET', '/payments');
    await ask('POST', '/client-session', { orderId: 'o-1' });
    await ask('POST', '/client-session', { unknown: true });
    await ask('GET', '/payments/pay_unknown');
    await dashboard.ask('owner', 'GET', '/dashboard/api/requests');
    await dashboard.service.requestLog.write();
  });
  after(() => dashboard.close());

  const list = async (query: string) =>
    List.parse((await dashboard.ask('developer', 'GET', `/dashboard/api/requests${query}`)).body);

  it('lists the requests of keys, newest first, and none of its own', async () => {
    const { data, nextAfter, routes, keyIds } = await list('');
    expect(data.map(({ method, route, status }) => `${method} ${route} ${status}`)).to.deep.equal([
      'GET /payments/:id 404',
      'POST /client-session 422',
      'POST /client-session 200',
      ...Array.from({ length: 5 }, () => 'GET /payments 200'),
    ]);
    expect(nextAfter).to.equal(undefined);
    expect(routes).to.deep.equal(['/client-session', '/payments', '/payments/:id']);
    expect(keyIds).to.have.length(1);
  });

  it('filters by status, method, route and key, and goes on after a page', async () => {
    expect((await list('?status=4xx')).data.map(({ status }) => status)).to.deep.equal([404, 422]);
    expect((await list('?method=POST&status=2xx,5xx')).data.map(({ status }) => status)).to.deep.equal([200]);
    expect((await list('?key=key_other')).data).to.deep.equal([]);
    const first = await list('?route=/payments&limit=3');
    const second = await list(`?route=/payments&limit=3&after=${first.nextAfter}`);
    expect([first.data.length, second.data.length, second.nextAfter]).to.deep.equal([3, 2, undefined]);
  });

  it('finds a request by its diagnostics id, and those between two times, both included', async () => {
    const { data } = await list('');
    const [newest = expect.fail('none'), ...others] = data;
    expect((await list(`?diagnostics_id=${newest.diagnosticsId}`)).data).to.deep.equal([newest]);
    expect((await list('?diagnostics_id=req_of_nobody')).data).to.deep.equal([]);
    const oldest = others.at(-1) ?? expect.fail('too few');
    expect((await list(`?from_date=${oldest.date}&to_date=${newest.date}`)).data).to.deep.equal(data);
    const after = new Date(Date.parse(newest.date) + 1).toISOString();
    expect((await list(`?from_date=${after}`)).data).to.deep.equal([]);
    const before = data.filter(({ date }) => date <= oldest.date);
    expect((await list(`?to_date=${oldest.date}`)).data).to.deep.equal(before);
    expect((await dashboard.ask('owner', 'GET', '/dashboard/api/requests?from_date=today')).status).to.equal(422);
  });

  it('continues with older requests when the last one of the previous page has left the log, and never starts again', async () => {
    const { data } = await list('');
    const { date = expect.fail('too few') } = data[2] ?? {};
    const rest = await list(`?after=${Date.parse(date)}.rq_0`);
    expect(rest.data).to.deep.equal(data.filter((request) => request.date < date));
    expect(await list('?after=1.rq_0'))
      .to.deep.include({ data: [] })
      .and.not.have.property('nextAfter');
    expect((await dashboard.ask('owner', 'GET', '/dashboard/api/requests?after=rq_0')).status).to.equal(422);
  });

  it('has one request by its id, and no other', async () => {
    const [request = expect.fail('none')] = (await list('')).data;
    const { status, body } = await dashboard.ask('owner', 'GET', `/dashboard/api/requests/${request.id}`);
    expect([status, body]).to.deep.equal([200, request]);
    expect((await dashboard.ask('owner', 'GET', '/dashboard/api/requests/rq_0')).status).to.equal(404);
  });

  it('is for owners and developers; the overview is for every role', async () => {
    const statusOf = async (role: 'support' | 'auditor' | 'anybody', path: string) =>
      (await dashboard.ask(role, 'GET', path)).status;
    expect(await statusOf('support', '/dashboard/api/requests')).to.equal(403);
    expect(await statusOf('anybody', '/dashboard/api/requests')).to.equal(401);
    expect(await statusOf('auditor', '/dashboard/api/overview')).to.equal(200);
    expect(await statusOf('anybody', '/dashboard/api/overview')).to.equal(401);
  });

  it('has an overview that refuses a period without days, and one of more than a year', async () => {
    const statusOf = async (query: string) =>
      (await dashboard.ask('support', 'GET', `/dashboard/api/overview${query}`)).status;
    expect(await statusOf('?from=2026-01-01&to=2026-01-31&currency=EUR')).to.equal(200);
    expect(await statusOf('?from=2026-02-01&to=2026-01-31')).to.equal(422);
    expect(await statusOf('?from=2024-01-01&to=2026-01-31')).to.equal(422);
    expect(await statusOf('?from=2026-02-30')).to.equal(422);
  });
});
