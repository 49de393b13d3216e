// The dashboard in live mode: there is no sandbox to work with, and owners and support set up a second factor first.
import { expect } from 'chai';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { shopOf } from '../../support/dashboard-shop.ts';

const SECRET = Buffer.alloc(32, 3).toString('base64url');
/** Every route of the sandbox in test mode. */
const SANDBOX = [
  ['GET', '/dashboard/api/sandbox/cards'],
  ['GET', '/dashboard/api/sandbox/fault-kinds'],
  ['GET', '/dashboard/api/sandbox/faults'],
  ['PUT', '/dashboard/api/sandbox/faults'],
  ['GET', '/dashboard/api/sandbox/clock'],
  ['POST', '/dashboard/api/sandbox/clock/advance'],
  ['GET', '/dashboard/api/sandbox/ledger'],
  ['GET', '/dashboard/api/sandbox/diff'],
] as const;

describe('the dashboard in live mode', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard({ flags: { mode: 'live', secret: SECRET } });
  });
  after(() => dashboard.close());

  it('has no route of the sandbox, for any role', async () => {
    for (const [method, path] of SANDBOX) {
      const body = method === 'GET' ? undefined : { byMs: 1, rules: [] };
      for (const role of ['developer', 'auditor', 'anybody'] as const)
        expect((await dashboard.ask(role, method, path, body)).status, `${method} ${path} for ${role}`).to.equal(404);
    }
    expect(dashboard.routes.filter(({ path }) => path.includes('/sandbox')).map(({ path }) => path)).to.deep.equal([]);
  });

  it('takes a webhook endpoint at a public https URL alone, and says why not', async () => {
    const add = (url: string) => dashboard.ask('developer', 'POST', '/dashboard/api/webhook-endpoints', { url });
    expect((await add('http://shop.example/webhooks')).text).to.include('must begin with https://');
    for (const host of [
      '127.0.0.1',
      '10.1.2.3',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:192.168.0.1]',
      '169.254.169.254',
      'localhost',
      'db.internal',
    ]) {
      const { status, text } = await add(`https://${host}/webhooks`);
      expect([status, text.includes('needs a public address')], host).to.deep.equal([422, true]);
    }
    expect((await add('https://shop.example/webhooks')).status).to.equal(200);
  });

  it('offers a customer no method while there is no connection that could take one', async () => {
    const clientToken = await shopOf(dashboard).session();
    const { body } = await dashboard.ask('anybody', 'GET', '/checkout/session', undefined, {
      'x-client-token': clientToken,
    });
    expect(body).to.have.property('amount');
    expect(body).not.to.have.property('paymentMethods');
  });

  it('opens nothing to owners and support before their second factor, and everything of theirs to the others', async () => {
    for (const role of ['owner', 'support'] as const) {
      const refused = await dashboard.ask(role, 'GET', '/dashboard/api/payments');
      expect([refused.status, /"errorId":"(\w+)"/.exec(refused.text)?.[1]], role).to.deep.equal([
        403,
        'TwoFactorNeeded',
      ]);
      expect((await dashboard.ask(role, 'GET', '/dashboard/api/me')).status, role).to.equal(200);
    }
    for (const role of ['developer', 'auditor'] as const)
      expect((await dashboard.ask(role, 'GET', '/dashboard/api/payments')).status, role).to.equal(200);
  });
});
