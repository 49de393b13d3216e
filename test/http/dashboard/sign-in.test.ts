// Sign-in, the session's cookie, and what a request to the dashboard needs besides it.
import { expect } from 'chai';
import { type Dashboard, openDashboard, PASSWORD, signedInUser } from '../../support/dashboard.ts';
import { until } from '../../support/until.ts';

describe('the dashboard', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const signIn = (body: object, headers?: Readonly<Record<string, string>>) =>
    dashboard.ask('anybody', 'POST', '/dashboard/api/sign-in', body, headers);

  it('signs in by e-mail and password, with a cookie that no script and no other site can use', async () => {
    const answer = await signIn({ email: ' Owner@Example.org ', password: PASSWORD });
    expect(answer.status).to.equal(200);
    expect(answer.body)
      .to.have.property('user')
      .that.includes({ email: 'owner@example.org', role: 'owner', accountName: 'Default', mode: 'test' });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).to.match(
      /^counterfoil_session=usr_\w+\.ses_\w+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    const [pair = ''] = cookie.split(';');
    expect(await dashboard.ask('anybody', 'GET', '/dashboard/api/me', undefined, { cookie: pair })).to.have.property(
      'status',
      200,
    );
    const left = await dashboard.ask('anybody', 'POST', '/dashboard/api/sign-out', {}, { cookie: pair });
    expect(left.headers.getSetCookie()).to.deep.equal([
      'counterfoil_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ]);
    expect(await dashboard.ask('anybody', 'GET', '/dashboard/api/me', undefined, { cookie: pair })).to.have.property(
      'status',
      401,
    );
  });

  it('knows each role by its cookie', async () => {
    for (const role of ['owner', 'developer', 'support', 'auditor'] as const) {
      const { status, body } = await dashboard.ask(role, 'GET', '/dashboard/api/me');
      expect(status).to.equal(200);
      expect(body).to.include({
        role,
        email: `${role}@example.org`,
        userId: dashboard.userIdOf(role),
        accountId: dashboard.accountId,
      });
    }
  });

  it('does not count automatic calls of a page as a use', async () => {
    const { users, queries } = dashboard.service;
    const userId = dashboard.userIdOf('support');
    const lastUse = async (): Promise<number | undefined> => {
      const sessions = (await queries.readUser(userId))?.user.sessions ?? [];
      return [
        ...(await users.lastUses(sessions.map(({ sessionId, place }) => ({ userId, sessionId, place })))).values(),
      ][0];
    };
    const ask = async (headers: Readonly<Record<string, string>>): Promise<number | undefined> => {
      expect(await dashboard.ask('support', 'GET', '/dashboard/api/me', undefined, headers)).to.have.property(
        'status',
        200,
      );
      return lastUse();
    };
    const first = (await ask({})) ?? 0;
    await until(() => dashboard.service.world.now() > first);
    expect(await ask({ 'x-background': '1' })).to.equal(first);
    expect(await ask({})).to.be.above(first);
  });

  it('refuses what another site sends', async () => {
    const path = '/dashboard/api/confirm-password';
    const ask = (headers: Readonly<Record<string, string>>) =>
      dashboard.ask('owner', 'POST', path, { password: PASSWORD }, headers);
    const { host } = new URL(dashboard.url);
    expect((await ask({ origin: dashboard.url, 'sec-fetch-site': 'same-origin' })).status).to.equal(200);
    for (const headers of [
      { 'x-csrf': '' },
      { origin: 'https://shop.example' },
      { origin: 'null' },
      { origin: `http://${host}.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      const answer = await ask(headers);
      expect(answer.status, JSON.stringify(headers)).to.equal(403);
      expect(answer.text).to.include('"CrossSiteRequest"');
      expect((await signIn({ email: 'owner@example.org', password: PASSWORD }, headers)).status).to.equal(403);
    }
  });

  it('looks at no API key, and the API at no cookie', async () => {
    const byKey = await dashboard.ask('anybody', 'GET', '/dashboard/api/me', undefined, { 'x-api-key': dashboard.key });
    expect(byKey.status).to.equal(401);
    expect((await dashboard.ask('owner', 'GET', '/payments')).status).to.equal(401);
    expect(
      (await dashboard.ask('anybody', 'GET', '/payments', undefined, { 'x-api-key': dashboard.key })).status,
    ).to.equal(200);
  });

  it('answers unknown e-mails and wrong passwords alike, after the same work', async () => {
    const { users } = dashboard.service;
    const answers = new Set<string>();
    for (const email of ['owner@example.org', 'nobody@example.org']) {
      const before = users.passwordsVerified();
      const { status, text } = await signIn({ email, password: 'not the password' }, { 'x-request-id': 'same' });
      answers.add(`${status} ${text} ${users.passwordsVerified() - before}`);
    }
    expect([...answers]).to.have.length(1);
    expect([...answers][0]).to.match(/^401 .* 1$/);
  });

  it('asks which account is meant where e-mail and password are of users in several, and signs in to that one', async () => {
    const { service } = dashboard;
    const made = await service.access.createAccount('Another');
    if (made.kind === 'rejected') throw new Error(made.description);
    const email = dashboard.emailOf('owner');
    const own = dashboard.accountId;
    await signedInUser(service, made.id, 'auditor', email);
    const asked = await signIn({ email, password: PASSWORD });
    expect([asked.status, asked.body, asked.headers.getSetCookie()]).to.deep.equal([
      200,
      {
        needs: 'account',
        accounts: [
          { accountId: made.id, accountName: 'Another' },
          { accountId: own, accountName: 'Default' },
        ],
      },
      [],
    ]);
    expect((await signIn({ email, password: PASSWORD, accountId: own })).body)
      .to.have.property('user')
      .that.includes({ userId: dashboard.userIdOf('owner'), accountId: own });
    expect((await signIn({ email, password: PASSWORD, accountId: made.id })).body)
      .to.have.property('user')
      .that.includes({ role: 'auditor', accountName: 'Another' });
    const wrong = await signIn({ email, password: 'not the password', accountId: own }, { 'x-request-id': 'same' });
    const unknown = await signIn(
      { email: 'nobody@example.org', password: PASSWORD, accountId: own },
      { 'x-request-id': 'same' },
    );
    expect([wrong.status, wrong.text]).to.deep.equal([401, unknown.text]);
  });

  it('asks the first owner for the name of the shop, which everybody sees from then on, and never asks others', async () => {
    const { access, users, queries } = dashboard.service;
    const linkOf = async (name: string) => {
      const made = await access.createAccount(name);
      if (made.kind === 'rejected') throw new Error(made.description);
      const link = await users.makeOwnerLink(made.id);
      if (link.kind === 'rejected') throw new Error(link.description);
      return { accountId: made.id, welcomeToken: link.token };
    };
    const welcome = (body: object) => dashboard.ask('anybody', 'POST', '/dashboard/api/welcome', body);
    const look = (welcomeToken: string) =>
      dashboard.ask('anybody', 'POST', '/dashboard/api/welcome/look', { welcomeToken });
    const first = await linkOf('Default');
    expect((await look(first.welcomeToken)).body).to.deep.equal({ isFirstOwner: true });
    const given = { welcomeToken: first.welcomeToken, email: 'first@example.org', password: PASSWORD };
    expect((await welcome({ ...given, shopName: '' })).status).to.equal(422);
    expect((await welcome({ ...given, shopName: 'Shop 4242 4242 4242 4242' })).text).to.contain('CardNumberNotAllowed');
    expect((await welcome({ ...given, shopName: 'Corner shop' })).body).to.include({
      accountName: 'Corner shop',
      isNamed: true,
    });
    await until(async () => (await queries.readShopName(first.accountId)) === 'Corner shop');

    const second = await linkOf('Default');
    const silent = { welcomeToken: second.welcomeToken, email: 'second@example.org', password: PASSWORD };
    expect((await welcome(silent)).body).to.include({ accountName: 'Default', isNamed: false });
    expect(await queries.readShopName(second.accountId)).to.equal(undefined);

    const invited = await users.inviteUser(
      { accountId: second.accountId, email: 'third@example.org', role: 'support' },
      'operator',
    );
    if (invited.kind === 'rejected') throw new Error(invited.description);
    expect((await look(invited.token)).body).to.deep.equal({ email: 'third@example.org', isFirstOwner: false });
    await welcome({ welcomeToken: invited.token, password: PASSWORD, shopName: 'Not theirs to name' });
    expect(await queries.readAccount(second.accountId)).to.include({ name: 'Default' });
  });

  it('shows no account the stream of an e-mail, whose revisions say how many other accounts know it', async () => {
    const { service, opened } = dashboard;
    const made = await service.access.createAccount('Curious');
    if (made.kind === 'rejected') throw new Error(made.description);
    const { cookie } = await signedInUser(service, made.id, 'owner', 'curious@example.org');
    const as = { cookie: `counterfoil_session=${cookie}` };
    const invited = await dashboard.ask(
      'anybody',
      'POST',
      '/dashboard/api/users',
      { email: dashboard.emailOf('owner'), role: 'owner' },
      as,
    );
    expect(invited.status).to.equal(200);
    const newest = (await opened.events.newest?.(undefined, 500)) ?? [];
    const streams = new Set(newest.flatMap(({ stream }) => (stream.startsWith('email-') ? [stream] : [])));
    expect(streams.size).to.be.above(4);
    const seen = await dashboard.ask('anybody', 'GET', '/dashboard/api/events?limit=200', undefined, as);
    expect(seen.text).to.include('"UserInvited"').and.not.include('UserListed');
    for (const stream of streams)
      for (const asker of [as, { cookie: dashboard.cookieOf('owner') }])
        expect(
          (await dashboard.ask('anybody', 'GET', `/dashboard/api/streams/${stream}/events`, undefined, asker)).status,
        ).to.equal(404);
  });
});
