// What a browser without a cache loads for a page of the dashboard: few files, and few bytes.
import { expect } from 'chai';
import { describeInBrowser } from './support/browser.ts';
import { WIDE } from './support/screenshot.ts';
import { openShopInBrowser } from './support/signed-in.ts';

interface First {
  readonly title: string;
  /** Below /dashboard. */
  readonly path: string;
  readonly isSignedIn: boolean;
  readonly requests: number;
  readonly kilobytes: number;
}

/** With what the page asks the service for. Of the bytes 56 kB are React's, and 27 kB the router's and the queries'. */
const FIRST: readonly First[] = [
  { title: 'the page to sign in', path: '/', isSignedIn: false, requests: 10, kilobytes: 280 },
  { title: 'the overview', path: '/', isSignedIn: true, requests: 12, kilobytes: 280 },
  { title: 'the payments', path: '/payments', isSignedIn: true, requests: 18, kilobytes: 310 },
];

interface Loaded {
  readonly path: string;
  /** As they were sent: compressed, with headers. */
  readonly bytes: number;
}

describeInBrowser('a first load of the dashboard', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  before('a payment is there, as in every account but a new one', () => shop.captured());

  const loadedBy = async (path: string, isSignedIn: boolean): Promise<readonly Loaded[]> => {
    const context = await browser.newContext({ viewport: WIDE });
    const [name = '', value = ''] = dashboard.cookieOf('owner').split('=');
    if (isSignedIn) await context.addCookies([{ name, value, url: dashboard.url }]);
    // The pages that are loaded while the browser is idle come after the first one.
    await context.addInitScript('window.requestIdleCallback = () => 0');
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    const paths = new Map<string, string>();
    const loaded: Loaded[] = [];
    network.on('Network.requestWillBeSent', ({ requestId, request }) => {
      paths.set(requestId, new URL(request.url).pathname);
    });
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      loaded.push({ path: paths.get(requestId) ?? '', bytes: encodedDataLength });
    });
    await page.goto(`${dashboard.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate('document.fonts.ready');
    await page.waitForLoadState('networkidle');
    await context.close();
    return loaded;
  };

  for (const { title, path, isSignedIn, requests, kilobytes } of FIRST)
    it(`of ${title} takes at most ${requests} requests and ${kilobytes} kB`, async () => {
      const loaded = await loadedBy(path, isSignedIn);
      const bytes = loaded.reduce((sum, one) => sum + one.bytes, 0);
      const told = loaded.map((one) => `${one.path} ${one.bytes}`).join('\n');
      expect(bytes, told).to.be.within(100_000, kilobytes * 1_000);
      expect(loaded.length, told).to.be.at.most(requests);
    });
});
