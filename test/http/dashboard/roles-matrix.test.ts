// Every role against every route of the dashboard. Later routes are covered by themselves: the test walks the list.
import { expect } from 'chai';
import { accept } from '../../../src/domain/decider.ts';
import { ROLES, type Role } from '../../../src/domain/user/roles.ts';
import { isForUsers, type Route, type UserAccess } from '../../../src/http/route.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import { transact } from '../../../src/journal/transact.ts';
import { type Asker, type Dashboard, openDashboard } from '../../support/dashboard.ts';

type UserRoute = Route & { readonly scope: UserAccess };
const userRoutesOf = ({ routes }: Dashboard): readonly UserRoute[] =>
  routes.flatMap((route) => (isForUsers(route.scope) ? [{ ...route, scope: route.scope }] : []));

/** The status alone: an answer may be a stream that has no end. The body is refused by every route, after roles were asked. */
async function statusOf(
  dashboard: Dashboard,
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

/** Routes and roles of which `isDue` says otherwise than the route's answer does. */
async function wronglyAnswered(
  dashboard: Dashboard,
  errorId: string,
  isDue: (access: UserAccess, role: Role) => boolean,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const route of userRoutesOf(dashboard)) {
    for (const role of route.scope.roles) {
      const answer = await statusOf(dashboard, role, route);
      if ((answer.errorId === errorId) !== isDue(route.scope, role))
        wrong.push(`${route.method} ${route.path}: ${answer.status} for ${role}`);
    }
  }
  return wrong;
}

describe('the roles of the dashboard', () => {
  let dashboard: Dashboard;
  let routes: readonly UserRoute[];
  before(async () => {
    dashboard = await openDashboard();
    routes = userRoutesOf(dashboard);
  });
  after(() => dashboard.close());

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
      const { status } = await statusOf(dashboard, 'anybody', route);
      if (status !== 401) wrong.push(`${name}: ${status} for anybody`);
      for (const role of ROLES) {
        const answer = await statusOf(dashboard, role, route);
        const isRefused = answer.status === 403 && answer.errorId === 'InsufficientScope';
        if (isRefused === route.scope.roles.includes(role) || answer.status === 401) wrong.push(`${name}: ${answer.status} for ${role}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it('come with the password again where a route says so, and nowhere else', async () => {
    const { service, accountId } = dashboard;
    for (const role of ROLES) {
      const [, sessionId = ''] = dashboard.cookieOf(role).split('.');
      const confirmed = { type: 'PasswordConfirmed', data: { sessionId, at: service.world.now() - 11 * 60_000 } } as const;
      await transact(service.streams.users, dashboard.userIdOf(role), operatorContext(service.world, accountId), () => accept(confirmed));
    }
    expect(await wronglyAnswered(dashboard, 'PasswordNeeded', ({ confirmed }) => confirmed)).to.deep.equal([]);
    expect(routes.filter(({ scope }) => scope.confirmed).length).to.be.above(5);
  });
});

describe('the roles of the dashboard in live mode', () => {
  it('open nothing but the own area to owner and support before two-factor sign-in is set up', async () => {
    const dashboard = await openDashboard({ flags: { mode: 'live' }, env: { COUNTERFOIL_SECRET: 'A'.repeat(43) } });
    try {
      const mustEnrol: readonly Role[] = ['owner', 'support'];
      const isDue = ({ enrolling }: UserAccess, role: Role): boolean => enrolling !== true && mustEnrol.includes(role);
      expect(await wronglyAnswered(dashboard, 'TwoFactorNeeded', isDue)).to.deep.equal([]);
    } finally {
      await dashboard.close();
    }
  });
});
