// The page of users over HTTP: another role, a reset and a disabling take effect on the next request; and the password
// confirmation that they require.
import { expect } from 'chai';
import { z } from 'zod';
import { isForUsers } from '../../../src/http/route.ts';
import { type Dashboard, openDashboard, PASSWORD } from '../../support/dashboard.ts';

const Linked = z.looseObject({ user: z.looseObject({ id: z.string() }), link: z.string() });
const Refused = z.object({ error: z.object({ errorId: z.string(), description: z.string() }) });
/** Longer than a password that was given counts, and shorter than a session idles. */
const LATER_MS = 11 * 60_000;

describe('the users of an account, in the dashboard', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const users = (id: string, verb: string): string => `/dashboard/api/users/${id}/${verb}`;
  const ask = (method: string, path: string, body?: unknown) => dashboard.ask('owner', method, path, body);
  const refusalOf = async (path: string, body: unknown) => {
    const { status, body: refused } = await ask('POST', path, body);
    return `${status} ${Refused.parse(refused).error.errorId}`;
  };
  const statusOf = async (cookie: string, path: string): Promise<number> =>
    (await dashboard.ask('anybody', 'GET', path, undefined, { cookie })).status;

  /** A user of their own, signed in by the link that the owner was given. */
  async function joined(email: string, role: string): Promise<{ readonly userId: string; readonly cookie: string }> {
    const invited = Linked.parse((await ask('POST', '/dashboard/api/users', { email, role })).body);
    return { userId: invited.user.id, cookie: await welcomed(invited.link) };
  }
  async function welcomed(link: string): Promise<string> {
    const welcomeToken = link.split('/').at(-1);
    const answer = await dashboard.ask('anybody', 'POST', '/dashboard/api/welcome', {
      welcomeToken,
      password: PASSWORD,
    });
    expect(answer.status).to.equal(200);
    return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  }

  it('have another role with the next request, recorded as an act of the owner', async () => {
    const { userId, cookie } = await joined('grace@example.org', 'developer');
    expect(await statusOf(cookie, '/dashboard/api/keys')).to.equal(200);
    expect((await ask('POST', users(userId, 'role'), { role: 'auditor' })).status).to.equal(200);
    expect([
      await statusOf(cookie, '/dashboard/api/keys'),
      await statusOf(cookie, '/dashboard/api/payments'),
    ]).to.deep.equal([403, 200]);
    const events = await dashboard.ask('auditor', 'GET', '/dashboard/api/events?type=UserRoleChanged');
    expect(events.text).to.include(`"actor":{"kind":"user","id":"${dashboard.userIdOf('owner')}"}`);
  });

  it('are signed out by a reset, and come back by its link alone', async () => {
    const email = 'edsger@example.org';
    const { userId, cookie } = await joined(email, 'support');
    const reset = await ask('POST', users(userId, 'reset'), {});
    expect(reset.status).to.equal(200);
    expect(await statusOf(cookie, '/dashboard/api/me')).to.equal(401);
    const signIn = await dashboard.ask('anybody', 'POST', '/dashboard/api/sign-in', { email, password: PASSWORD });
    expect(signIn.status).to.equal(401);
    const again = await welcomed(Linked.parse(reset.body).link);
    expect(await statusOf(again, '/dashboard/api/me')).to.equal(200);
    expect(await statusOf(cookie, '/dashboard/api/me')).to.equal(401);
  });

  it('neither take their own role or access, nor those of somebody elsewhere', async () => {
    const own = dashboard.userIdOf('owner');
    expect(await refusalOf(users(own, 'role'), { role: 'auditor' })).to.equal('409 Conflict');
    expect(await refusalOf(users(own, 'disable'), {})).to.equal('409 Conflict');
    expect(await refusalOf(users(own, 'reset'), {})).to.equal('409 Conflict');
    const made = await dashboard.service.access.createAccount('Another');
    if (made.kind === 'rejected') throw new Error(made.description);
    const invitation = { accountId: made.id, email: 'eve@example.org', role: 'developer' } as const;
    const other = await dashboard.service.users.inviteUser(invitation, 'operator');
    if (other.kind === 'rejected') throw new Error(other.description);
    for (const verb of ['role', 'disable', 'reset'])
      expect(await refusalOf(users(other.id, verb), verb === 'role' ? { role: 'owner' } : {}), verb).to.equal(
        '404 NotFound',
      );
  });

  it('keep their last owner, whichever of two owners is the one', async () => {
    const second = await joined('barbara@example.org', 'owner');
    const first = dashboard.userIdOf('owner');
    const bySecond = (verb: string, body: object) =>
      dashboard.ask('anybody', 'POST', users(first, verb), body, { cookie: second.cookie });
    // Both take the other's role in the same moment: one of them is left.
    const both = await Promise.all([
      ask('POST', users(second.userId, 'role'), { role: 'auditor' }),
      bySecond('role', { role: 'auditor' }),
    ]);
    expect(both.filter(({ status }) => status === 200)).to.have.length(1);
    const { service, accountId } = dashboard;
    const left = both[0]?.status === 200 ? first : second.userId;
    const { state } = await service.streams.accounts.current(accountId);
    expect(state).to.have.deep.property('owners', [left]);
    // The operator makes both owners again, for the tests below.
    const lost = left === first ? second.userId : first;
    await service.users.changeRole(accountId, lost, 'owner', 'operator');
    expect(await statusOf(dashboard.cookieOf('owner'), '/dashboard/api/users')).to.equal(200);
  });

  it('are asked for the password again on every route that needs it, until they have given it', async () => {
    const { world } = dashboard.opened;
    const { now } = world;
    const cookie = { cookie: dashboard.cookieOf('owner') };
    /** 404 and 422 come after roles and passwords. */
    const errorOf = async (method: string, path: string): Promise<string> => {
      const body = { not: 'a member' };
      const { text } = await dashboard.ask('anybody', method, path.replaceAll(/:\w+/g, 'x'), body, cookie);
      return /"errorId":"(\w+)"/.exec(text)?.[1] ?? text;
    };
    const forOwners = dashboard.routes.flatMap((route) =>
      isForUsers(route.scope) && route.scope.roles.includes('owner') ? [route] : [],
    );
    const confirmed = forOwners.flatMap(({ scope, ...route }) => (isForUsers(scope) && scope.confirmed ? [route] : []));
    expect(confirmed.length).to.be.above(5);
    try {
      world.now = () => now() + LATER_MS;
      const wrong: string[] = [];
      for (const { method, path } of confirmed) {
        const errorId = await errorOf(method, path);
        if (errorId !== 'PasswordNeeded') wrong.push(`${method} ${path}: ${errorId}`);
      }
      expect(wrong).to.deep.equal([]);
      expect((await dashboard.ask('owner', 'GET', '/dashboard/api/users')).status).to.equal(200);
      expect((await ask('POST', '/dashboard/api/confirm-password', { password: PASSWORD })).status).to.equal(200);
      expect(await errorOf('POST', '/dashboard/api/users')).not.to.equal('PasswordNeeded');
    } finally {
      world.now = now;
    }
  });
});
