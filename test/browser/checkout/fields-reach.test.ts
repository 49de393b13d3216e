// What a processor's script reaches from the page of its fields, in the browser of a user who is signed in to the
// dashboard at the same origin: the checkout, and nothing else.
import { expect } from 'chai';
import { type ConnectedDashboard, openConnectedDashboard } from '../../support/connected-dashboard.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';

const PRIVATE = '/dashboard/api/me';

describeInBrowser("a processor's script in the page of its fields", () => {
  const browser = openBrowser();
  let dashboard: ConnectedDashboard;
  let fields: string;
  before(async () => {
    dashboard = await openConnectedDashboard();
    const { service, twin, accountId, secretIn } = dashboard;
    const [account] = twin.accounts;
    const added = await service.connections.add({
      accountId,
      processor: 'stripe',
      name: 'eu',
      secretKey: await secretIn('key', account.secretKey),
      publishableKey: account.publishableKey,
      apiUrl: twin.url,
    });
    if (added.kind === 'rejected') throw new Error(added.description);
    fields = `${dashboard.url}/checkout/fields?account=${accountId}&connection=${added.id}`;
  });
  after(() => dashboard.close());

  const opened = async () => {
    const page = await browser.newPage();
    const [name = '', value = ''] = dashboard.cookieOf('owner').split('=');
    await page.context().addCookies([{ name, value, url: dashboard.url }]);
    await page.goto(`${dashboard.url}/dashboard/`);
    const me = await page.evaluate(async (at) => (await fetch(at)).text(), PRIVATE);
    expect(me, 'the browser is signed in').to.contain(dashboard.emailOf('owner'));
    await page.goto(fields);
    return page;
  };

  it('reads no answer of the dashboard and of the API by a request, and calls the checkout', async () => {
    const page = await opened();
    const read = (path: string) =>
      page.evaluate(async (at) => {
        const answer = await fetch(at).catch(() => undefined);
        return answer === undefined ? 'refused' : await answer.text();
      }, path);
    for (const path of [PRIVATE, '/payments', '/checkout/../dashboard/api/me', '/checkout/%2e%2e/payments'])
      expect(await read(path), path).to.equal('refused');
    expect(await read('/checkout/session')).to.contain('errorId');
  });

  it('starts no worker and shows no page of ours in a frame', async () => {
    const page = await opened();
    const tried = await page.evaluate(`(async () => {
      const frame = document.createElement('iframe');
      frame.src = '${PRIVATE}';
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
      document.body.append(frame);
      await loaded;
      let shown = 'cut off';
      try {
        shown = frame.contentDocument?.body.textContent ?? 'cut off';
      } catch {}
      const worker = await new Promise((resolve) => {
        try {
          const made = new Worker('/checkout/sdk/v1/counterfoil.mjs');
          made.addEventListener('error', () => resolve('refused'));
          made.addEventListener('message', () => resolve('it runs'));
        } catch {
          resolve('refused');
        }
      });
      return [shown, worker];
    })()`);
    expect(tried).to.deep.equal(['cut off', 'refused']);
  });

  for (const path of [PRIVATE, '/dashboard/', '/payments', '/checkout/sdk/v1/counterfoil.mjs', '/checkout/frame'])
    it(`is cut off from a popup of ${path}`, async () => {
      const page = await opened();
      const next = page.context().waitForEvent('page');
      await page.evaluate(`window.popup = window.open('${path}'); undefined`);
      const popup = await next;
      await popup.waitForLoadState();
      expect(new URL(popup.url()).pathname).to.contain(path === '/dashboard/' ? '/dashboard' : path);
      const seen = await page.evaluate(`(() => {
        try {
          return popup === null || popup.closed ? 'cut off' : popup.document.documentElement.outerHTML;
        } catch {
          return 'cut off'; // until the browser has closed our end of it, it is another origin's
        }
      })()`);
      expect(seen).to.equal('cut off');
      await popup.close();
    });

  it('runs no call from a page that it may open: neither answers, nor ways back', async () => {
    const page = await opened();
    for (const path of ['/checkout/3ds/return', '/checkout/sandbox-acs/none', '/checkout/fields']) {
      const next = page.context().waitForEvent('page');
      await page.evaluate(`window.popup = window.open('${path}'); undefined`);
      const popup = await next;
      await popup.waitForLoadState();
      const read = await page.evaluate(`popup.fetch('${PRIVATE}').then(() => 'read', () => 'refused')`);
      expect(read, path).to.equal('refused');
      await popup.close();
    }
  });
});
