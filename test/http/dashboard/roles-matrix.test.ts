// Every role against every route of the dashboard. Later routes are covered by themselves: the test walks the list.
import { expect } from 'chai';
import { ROLES } from '../../../src/domain/user/roles.ts';
import { isForUsers, type Route, type UserAccess } from '../../../src/http/route.ts';
import { type Asker, type Dashboard, openDashboard } from '../../support/dashboard.ts';

describe('the roles of the dashboard', () => {
  let dashboard: Dashboard;
  let routes: readonly (Route & { readonly scope: UserAccess })[];
  before(async () => {
    dashboard = await openDashboard();
    routes = dashboard.routes.flatMap((route) => (isForUsers(route.scope) ? [{ ...route, scope: route.scope }] : []));
  });
  after(() => dashboard.close());

  /** The status alone: an answer may be a stream that has no end. The body is refused by every route, after roles were asked. */
  async function statusOf(
    role: Asker,
    { method, path }: Route,
  ): Promise<{ readonly status: number; readonly errorId: string | undefined }> {
    const url = `${dashboard.url}${path.replaceAll(/:\w+/g, 'x')}`;
    const headers = { 'x-csrf': '1', ...(role !== 'anybody' && { cookie: dashboard.cookieOf(role) }), 'content-type': 'application/json' };
    const ending = new AbortController();
    const answer = await fetch(url, { method, headers, signal: ending.signal, ...(method !== 'GET' && { body: '{"not": "a member"}' }) });
    const text = answer.status === 401 || answer.status === 403 ? await answer.text() : '';
    ending.abort();
    return { status: answer.status, errorId: /"errorId":"(\w+)"/.exec(text)?.[1] };
  }

  it('stand on every route below /dashboard/api but sign-in and the links', () => {
    const others = dashboard.routes.filter(({ path, scope }) => path.startsWith('/dashboard/api') && !isForUsers(scope));
    expect(others.map(({ path, scope }) => `${String(scope)} ${path}`)).to.deep.equal([
      'visitor /dashboard/api/sign-in',
      'visitor /dashboard/api/welcome/look',
      'visitor /dashboard/api/welcome',
    ]);
    expect(routes.length).to.be.above(10);
  });

  it('are asked before anything else: 401 without a session, 403 for other roles, neither for the right ones', async () => {
    const wrong: string[] = [];
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      const { status } = await statusOf('anybody', route);
      if (status !== 401) wrong.push(`${name}: ${status} for anybody`);
      for (const role of ROLES) {
        const answer = await statusOf(role, route);
        const isRefused = answer.status === 403 && answer.errorId === 'InsufficientScope';
        if (isRefused === route.scope.roles.includes(role) || answer.status === 401) wrong.push(`${name}: ${answer.status} for ${role}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });
});
