// counterfoil users, and the dashboard's link of serve, beside a running service.
import { expect } from 'chai';
import { z } from 'zod';
import { Place } from './processes.ts';

const Linked = z.strictObject({ id: z.string(), email: z.string(), role: z.string(), link: z.string() });
const Listed = z.object({
  data: z.array(z.looseObject({ id: z.string(), email: z.string(), state: z.string(), role: z.string() })),
});
const PASSWORD = 'a long enough passphrase';

const dashboardIn = (printed: string): string => /^Dashboard: (\S+)$/m.exec(printed)?.[1] ?? '';
const tokenIn = (link: string): string => /\/dashboard\/#\/welcome\/(\S+)$/.exec(link)?.[1] ?? '';

async function post(url: string, path: string, body: object, cookie = ''): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'X-Csrf': '1', cookie };
  return fetch(`${url}/dashboard/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}
const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';

describe('counterfoil users', () => {
  const place = new Place();
  after(() => place.remove());
  const linked = async (command: string) => Linked.parse(await place.json(command));

  it('serve prints a one-time link at each start until somebody has signed in, and the plain address afterwards', async () => {
    const first = await place.serve();
    const unused = tokenIn(dashboardIn(first.stdout()));
    await first.end('SIGTERM');
    const second = await place.serve('--json');
    const { dashboardLink, url } = z
      .looseObject({ dashboardLink: z.string(), url: z.string() })
      .parse(JSON.parse(second.stdout()));
    const token = tokenIn(dashboardLink);
    expect(token).not.to.equal(unused);
    const body = { welcomeToken: token, email: 'Ada@Example.org', password: PASSWORD };
    const welcomed = await post(url, 'welcome', body);
    expect(await welcomed.json()).to.include({ email: 'ada@example.org', role: 'owner' });
    // Used once, and the links before it are over with it.
    expect((await post(url, 'welcome', body)).status).to.equal(404);
    expect((await post(url, 'welcome', { ...body, welcomeToken: unused, email: 'eve@example.org' })).status).to.equal(
      404,
    );
    await second.end('SIGTERM');
    const third = await place.serve();
    expect(dashboardIn(third.stdout())).to.equal(`${third.url}/dashboard/`);
    const me = await fetch(`${third.url}/dashboard/api/me`, { headers: { cookie: cookieOf(welcomed) } });
    expect(me.status).to.equal(200); // a session survives a restart
    await third.end('SIGTERM');
  });

  it('adds a user by a link, disables a user from the next request on, and enables a user again', async () => {
    const serving = await place.serve();
    const added = await linked('users add --email grace@example.org --role support');
    expect(added).to.include({ email: 'grace@example.org', role: 'support' });
    const welcomed = await post(serving.url, 'welcome', { welcomeToken: tokenIn(added.link), password: PASSWORD });
    const cookie = cookieOf(welcomed);
    const status = async () => (await fetch(`${serving.url}/dashboard/api/me`, { headers: { cookie } })).status;
    expect(await status()).to.equal(200);
    expect((await place.run('users disable grace@example.org')).stdout).to.equal('grace@example.org is disabled.\n');
    expect(await status()).to.equal(401);
    expect((await post(serving.url, 'sign-in', { email: 'grace@example.org', password: PASSWORD })).status).to.equal(
      401,
    );
    const again = await linked('users add --email grace@example.org --role auditor');
    expect(again).to.include({ id: added.id, role: 'auditor' });
    const reset = await linked(`users reset ${added.id}`);
    expect(
      (await post(serving.url, 'welcome', { welcomeToken: tokenIn(again.link), password: PASSWORD })).status,
    ).to.equal(404);
    expect(
      (await post(serving.url, 'welcome', { welcomeToken: tokenIn(reset.link), password: PASSWORD })).status,
    ).to.equal(200);
    const { data } = Listed.parse(await place.json('users list'));
    expect(data.map(({ email, state, role }) => `${email} ${state} ${role}`).toSorted()).to.deep.equal([
      'ada@example.org active owner',
      'grace@example.org active auditor',
    ]);
    expect(await place.run('users disable ada@example.org')).to.include({
      code: 1,
      stderr: 'This is the last active owner of the account.\n',
    });
  });

  it('asks for the account where users of several accounts have the e-mail', async () => {
    const { id: another } = z.looseObject({ id: z.string() }).parse(await place.json('accounts create --name Another'));
    const { data: accounts } = z
      .object({ data: z.array(z.looseObject({ id: z.string() })) })
      .parse(await place.json('accounts list'));
    const first = accounts.find(({ id }) => id !== another)?.id ?? '';
    const added = await linked(`users add --email grace@example.org --role owner --account ${another}`);
    const both = await place.run('users reset grace@example.org');
    expect(both.code).to.equal(2);
    expect(both.stderr).to.match(
      /^Users of several accounts have the e-mail address grace@example\.org\. Name an account with --account \(acc_\w+, acc_\w+\)\.$/m,
    );
    for (const id of [first, another]) expect(both.stderr).to.include(id);
    expect(await linked(`users reset grace@example.org --account ${another}`)).to.include({
      id: added.id,
      role: 'owner',
    });
    const disabled = await place.json(`users disable GRACE@example.org --account ${first}`);
    expect(disabled).to.include({ state: 'disabled', accountId: first });
    const elsewhere = await place.run(`users disable ${added.id} --account ${first}`);
    expect(elsewhere).to.include({ code: 1, stderr: `There is no user ${added.id} in the account ${first}.\n` });
  });

  it('refuses what it cannot use', async () => {
    expect((await place.run('users add --email no --role owner')).code).to.equal(2);
    expect((await place.run('users add --email a@example.org --role king')).code).to.equal(2);
    expect((await place.run('users add --email ada@example.org --role owner')).code).to.equal(2); // which account?
    expect(await place.run('users reset usr_nobody')).to.include({ code: 1, stderr: 'There is no user usr_nobody.\n' });
  });
});
