// The door of the dashboard at an https address: which origin is its own, the cost of strangers, and the use of its
// answers in browsers.
import { expect } from 'chai';
import { VISITS } from '../../../src/http/middleware/rate-limit.ts';
import { type Dashboard, openDashboard, PASSWORD } from '../../support/dashboard.ts';

const OWN = 'https://pay.example';
const ME = '/dashboard/api/me';
const SIGN_IN = '/dashboard/api/sign-in';

describe("the dashboard's door", () => {
  let dashboard: Dashboard;
  let cookie: string;
  before(async () => {
    dashboard = await openDashboard({ flags: { publicUrl: OWN, rateLimit: '500', trustedProxies: '127.0.0.0/8' } });
    cookie = `__Host-${dashboard.cookieOf('owner')}`;
  });
  after(() => dashboard.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    dashboard.ask('anybody', 'GET', path, undefined, { cookie, ...headers });

  it('takes the public origin alone for its own, whatever the Host header says', async () => {
    const confirm = (origin: string) =>
      dashboard.ask('anybody', 'POST', '/dashboard/api/confirm-password', { password: PASSWORD }, { cookie, origin });
    expect((await confirm(OWN)).status).to.equal(200);
    for (const origin of [dashboard.url, dashboard.url.replace('http:', 'https:')]) {
      const { status, text } = await confirm(origin);
      expect([status, text.includes('"CrossSiteRequest"')], origin).to.deep.equal([403, true]);
    }
  });

  it('answers no page of another site, on the same domain either, and nobody frames an answer', async () => {
    const answer = await get(ME, { 'sec-fetch-site': 'same-origin' });
    expect(answer.status).to.equal(200);
    for (const { headers } of [answer, await dashboard.ask('anybody', 'POST', SIGN_IN, {})]) {
      expect(headers.get('content-security-policy')).to.equal("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('cross-origin-resource-policy')).to.equal('same-origin');
      expect(headers.get('referrer-policy')).to.equal('no-referrer');
    }
    for (const site of ['same-site', 'cross-site', 'none'])
      expect((await get(ME, { 'sec-fetch-site': site })).status, site).to.equal(403);
    expect((await get('/healthz')).headers.get('cross-origin-resource-policy')).to.equal(null);
  });

  it('tells browsers to ask by https alone', async () => {
    for (const path of [ME, '/dashboard/', '/docs', '/nothing'])
      expect((await get(path)).headers.get('strict-transport-security'), path).to.equal('max-age=31536000');
  });

  it('reads no long body of a stranger', async () => {
    const signIn = (password: string) =>
      dashboard.ask('anybody', 'POST', SIGN_IN, { email: 'owner@example.org', password });
    expect((await signIn('\u{1F511}'.repeat(512))).status).to.equal(401);
    expect((await signIn('x'.repeat(9_000))).status).to.equal(413);
  });

  it('answers a stranger so many times a minute', async () => {
    const statuses = new Map<number, number>();
    for (let visit = 0; visit <= VISITS; visit += 1) {
      const { status } = await dashboard.ask('anybody', 'POST', '/dashboard/api/welcome/look', { welcomeToken: 'x' });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses.keys()]).to.have.members([404, 429]);
    expect((await get(ME)).status).to.equal(200);
  });

  it('answers twice as many of a whole network of IPv6, however many addresses ask', async () => {
    const look = (address: string) =>
      dashboard.ask(
        'anybody',
        'POST',
        '/dashboard/api/welcome/look',
        { welcomeToken: 'x' },
        { 'x-forwarded-for': address },
      );
    for (let visit = 0; visit < 2 * VISITS; visit += 1)
      expect((await look(`2001:db8:1:${(0x100 + visit).toString(16)}::1`)).status).to.equal(404);
    const refused = await look('2001:db8:1:1ff::1');
    expect([refused.status, refused.text.includes('a minute from this network')]).to.deep.equal([429, true]);
    expect((await look('2001:db8:1:2ff::1')).status).to.equal(404);
  });
});
