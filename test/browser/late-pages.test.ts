// Pages of the dashboard that are opened for the first time: before styles and scripts arrive, while the service is
// gone, and after it has a newer build.
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { Place, type Serving } from '../cli/processes.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { openRelay, type Relay } from './support/relay.ts';
import { NARROW, screenshot, WIDE } from './support/screenshot.ts';

const PASSWORD = 'a long enough passphrase';
const DISPUTES = '**/assets/disputes-page-*.js';
const MISSING = 'This page could not be loaded';

describeInBrowser('a page that is opened for the first time', () => {
  const { newContext } = openBrowser();
  const place = new Place();
  let relay: Relay;
  let serving: Serving;
  let context: BrowserContext;
  const start = async (): Promise<void> => {
    serving = await place.serve(`--log-level warn --public-url ${relay.url}`, { COUNTERFOIL_RATE_LIMIT: '0' });
    relay.to(serving.url);
  };
  const end = async (): Promise<void> => {
    relay.toNowhere();
    await serving.end('SIGKILL');
  };
  before(async () => {
    relay = await openRelay();
    await start();
    context = await newContext({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const page = await context.newPage();
    const [, link = ''] = /^Dashboard: (\S+)$/m.exec(serving.stdout()) ?? [];
    await page.goto(link);
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await heading(page, 'Overview').waitFor();
    await page.close();
  });
  after(async () => {
    relay.close();
    await place.remove();
  });

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  const click = (page: Page, name: string): Promise<void> =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();

  /** The overview in a browser that is never idle, so no other page is loaded, with a mark that a reload removes. */
  async function openBusy(): Promise<Page> {
    const page = await context.newPage();
    await page.addInitScript('globalThis.requestIdleCallback = () => 0');
    await page.goto(`${relay.url}/dashboard/`);
    await heading(page, 'Overview').waitFor();
    await page.evaluate('globalThis.isFirst = true');
    return page;
  }
  const isReloaded = async (page: Page): Promise<boolean> =>
    !(await page.evaluate<boolean>('globalThis.isFirst === true'));

  for (const { scheme, ground } of [
    { scheme: 'light', ground: 'rgb(247, 248, 250)' },
    { scheme: 'dark', ground: 'rgb(13, 15, 20)' },
  ] as const)
    it(`shows the shell of the frame before styles and scripts arrive, in ${scheme} colours`, async () => {
      const page = await context.newPage();
      const troubles = troublesOf(page);
      await page.emulateMedia({ colorScheme: scheme });
      let arrive = (): void => undefined;
      const slow = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      await page.route('**/dashboard/assets/*', async (route) => {
        await slow;
        await route.continue();
      });
      await page.goto(`${relay.url}/dashboard/`, { waitUntil: 'commit' });
      await until(() => page.evaluate<boolean>(`performance.getEntriesByName('first-contentful-paint').length === 1`));
      const side = page.locator('.shell-side');
      expect(await page.evaluate(`getComputedStyle(document.querySelector('.shell-side')).backgroundColor`)).to.equal(
        ground,
      );
      expect(await page.locator('#root > *').count()).to.equal(0);
      await screenshot(page, `shell-${WIDE.width}-${scheme}`);
      await page.setViewportSize(NARROW);
      await side.waitFor({ state: 'hidden' });
      await screenshot(page, `shell-${NARROW.width}-${scheme}`);
      await page.setViewportSize(WIDE);
      arrive();
      await heading(page, 'Overview').waitFor();
      await page.locator('.shell').waitFor({ state: 'hidden' });
      expect(troubles).to.deep.equal([]);
      await page.close();
    });

  it('says inside the frame that its service is gone, and appears without a touch when the service is back', async () => {
    const page = await openBusy();
    const look = new Look(page);
    await end();
    await click(page, 'Disputes');
    await heading(page, MISSING).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/dashboard/disputes');
    await page.getByRole('button', { name: 'Try again' }).click();
    await look.atPage('page-not-loaded');
    await start();
    await heading(page, 'Disputes').waitFor();
    expect(await isReloaded(page)).to.equal(false);
    look.end();
    await page.close();
  });

  it('appears though its service is gone, if the browser was idle before', async () => {
    const page = await context.newPage();
    const begun = new Set<string>();
    const ended = new Set<string>();
    page.on('request', (request) => begun.add(request.url()));
    page.on('requestfinished', (request) => ended.add(request.url()));
    const isLoaded = (): boolean => {
      const scripts = [...begun].filter((url) => url.includes('/assets/'));
      return scripts.some((url) => url.includes('/users-page-')) && scripts.every((url) => ended.has(url));
    };
    await page.goto(`${relay.url}/dashboard/`);
    await until(isLoaded);
    await end();
    await click(page, 'Disputes');
    await heading(page, 'Disputes').waitFor();
    await click(page, 'Users');
    await heading(page, 'Users').waitFor();
    await start();
    await page.close();
  });

  /** The service of a newer build: it has no such file, and answers every path that it does not know with its page. */
  async function deploy(page: Page, build: string): Promise<void> {
    const text = `<script type="module" src="/dashboard/assets/index-${build}.js"></script>`;
    await page.route(DISPUTES, (route) => route.fulfill({ contentType: 'text/html', body: text }));
    await page.route(`${relay.url}/dashboard/`, (route) => route.fulfill({ contentType: 'text/html', body: text }));
  }

  it('reloads the tab once if the service has a newer build, and says so in the frame if that does not help', async () => {
    const page = await openBusy();
    await deploy(page, 'newer');
    let loads = 0;
    page.on('domcontentloaded', () => {
      loads += 1;
    });
    await click(page, 'Disputes');
    await heading(page, MISSING).waitFor();
    expect(await isReloaded(page)).to.equal(true);
    const [tried] = await Promise.all([
      page.waitForResponse(DISPUTES),
      page.getByRole('button', { name: 'Try again' }).click(),
    ]);
    expect(tried.headers()['content-type']).to.equal('text/html');
    await page.unroute(DISPUTES);
    await heading(page, 'Disputes').waitFor();
    expect(loads).to.equal(1);
    await page.close();
  });
});
