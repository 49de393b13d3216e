// Every role against every route of the dashboard. Later routes are covered automatically: the test walks the list.
import { expect } from 'chai';
import { accept } from '../../../src/domain/decider.ts';
import { ROLES, type Role } from '../../../src/domain/user/roles.ts';
import { isForUsers, type Route, type UserAccess } from '../../../src/http/route.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import { transact } from '../../../src/journal/transact.ts';
import { type Asker, type Dashboard, openDashboard, signedInUser } from '../../support/dashboard.ts';

type UserRoute = Route & { readonly scope: UserAccess };
const userRoutesOf = ({ routes }: Dashboard): readonly UserRoute[] =>
  routes.flatMap((route) => (isForUsers(route.scope) ? [{ ...route, scope: route.scope }] : []));

interface Answered {
  readonly status: number;
  readonly errorId: string | undefined;
  readonly text: string;
}

const statusOf = (dashboard: Dashboard, role: Asker, route: Route): Promise<Answered> =>
  answered(dashboard, role === 'anybody' ? undefined : dashboard.cookieOf(role), route);

/**
 * The status alone: an answer may be a stream that has no end. The body is refused by every route, after roles were
 * asked.
 */
async function answered(dashboard: Dashboard, cookie: string | undefined, { method, path }: Route): Promise<Answered> {
  const url = `${dashboard.url}${path.replaceAll(/:\w+/g, 'x')}`;
  const headers = { 'x-csrf': '1', ...(cookie !== undefined && { cookie }), 'content-type': 'application/json' };
  const ending = new AbortController();
  const answer = await fetch(url, {
    method,
    headers,
    signal: ending.signal,
    ...(method !== 'GET' && { body: '{"not": "a member"}' }),
  });
  const text = answer.status === 401 || answer.status === 403 ? await answer.text() : '';
  ending.abort();
  return { status: answer.status, errorId: /"errorId":"(\w+)"/.exec(text)?.[1], text };
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
    const others = dashboard.routes.filter(
      ({ path, scope }) => path.startsWith('/dashboard/api') && !isForUsers(scope),
    );
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
        if (isRefused === route.scope.roles.includes(role) || answer.status === 401)
          wrong.push(`${name}: ${answer.status} for ${role}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it('come with the password again where a route says so, and nowhere else', async () => {
    const { service, accountId } = dashboard;
    for (const role of ROLES) {
      const [, sessionId = ''] = dashboard.cookieOf(role).split('.');
      const confirmed = {
        type: 'PasswordConfirmed',
        data: { sessionId, at: service.world.now() - 11 * 60_000 },
      } as const;
      await transact(service.streams.users, dashboard.userIdOf(role), operatorContext(service.world, accountId), () =>
        accept(confirmed),
      );
    }
    expect(await wronglyAnswered(dashboard, 'PasswordNeeded', ({ confirmed }) => confirmed)).to.deep.equal([]);
    expect(routes.filter(({ scope }) => scope.confirmed).length).to.be.above(5);
  });
});

describe('what the routes of the dashboard concern', () => {
  let dashboard: Dashboard;
  let changing: readonly UserRoute[];
  before(async () => {
    dashboard = await openDashboard();
    changing = userRoutesOf(dashboard).filter(({ scope, method }) => scope.concerns === 'store' && method !== 'GET');
  });
  after(() => dashboard.close());

  const accountOf = async (name: string, operator: boolean): Promise<string> => {
    const made = await dashboard.service.access.createAccount(name, operator);
    if (made.kind === 'rejected') throw new Error(made.description);
    return made.id;
  };
  const cookieIn = async (accountId: string, role: Role): Promise<string> =>
    `counterfoil_session=${(await signedInUser(dashboard.service, accountId, role, `${role}@${accountId}.example`)).cookie}`;
  const isRefused = ({ status, text }: Answered): boolean => status === 403 && text.includes('whole store');

  it('is the whole store for its clock, its read models, its nodes and its secrets, and the account for all others', () => {
    const named = userRoutesOf(dashboard).filter(({ scope }) => scope.concerns === 'store');
    expect(
      named.map(({ method, path }) => `${method} ${path.replace('/dashboard/api/', '')}`).toSorted(),
    ).to.deep.equal([
      'GET circuits',
      'GET lag',
      'GET nodes',
      'GET projections',
      'GET projections/:name/rebuild',
      'GET sandbox/clock',
      'POST connections',
      'POST connections/:id/rotate',
      'POST connections/references/look',
      'POST projections/:name/rebuild',
      'POST sandbox/clock/advance',
    ]);
  });

  it('lets users of the only account change the store', async () => {
    for (const route of changing)
      for (const role of route.scope.roles)
        expect(isRefused(await statusOf(dashboard, role, route)), `${role} ${route.path}`).to.equal(false);
  });

  it('keeps users of an account among several from changing the store, whatever their role, and refuses them nothing else', async () => {
    const tenant = await accountOf('Tenant', false);
    const cookies = new Map<Role, string>();
    for (const role of ROLES) cookies.set(role, await cookieIn(tenant, role));
    const wrong: string[] = [];
    for (const route of userRoutesOf(dashboard)) {
      for (const role of route.scope.roles) {
        const answer = await answered(dashboard, cookies.get(role), route);
        const isDue = route.scope.concerns === 'store' && route.method !== 'GET';
        if (isRefused(answer) !== isDue) wrong.push(`${route.method} ${route.path}: ${answer.status} for ${role}`);
      }
    }
    expect(wrong).to.deep.equal([]);
    expect(
      await fetch(`${dashboard.url}/dashboard/api/me`, { headers: { cookie: cookies.get('owner') ?? '' } }).then((me) =>
        me.text(),
      ),
    ).to.include('"operatesStore":false');
  });

  it('lets users of the first account and of an operator’s account change the store that others share', async () => {
    const operators = await cookieIn(await accountOf('Operations', true), 'developer');
    for (const route of changing) {
      expect(isRefused(await statusOf(dashboard, 'developer', route)), route.path).to.equal(false);
      expect(isRefused(await answered(dashboard, operators, route)), route.path).to.equal(false);
    }
    const { body } = await dashboard.ask('developer', 'GET', '/dashboard/api/me');
    expect(body).to.have.property('operatesStore', true);
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
