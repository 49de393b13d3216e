// The beginning of a browser test of the dashboard: a service with a shop, and a page where a user of a role is signed
// in.
import type { Page } from 'playwright-core';
import type { Role } from '../../../src/domain/user/roles.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';
import { type OpenBrowser, openBrowser } from './browser.ts';
import { WIDE } from './screenshot.ts';

interface ShopInBrowser {
  readonly browser: OpenBrowser;
  readonly dashboard: Dashboard;
  readonly shop: Shop;
}

/**
 * To be called in `describeInBrowser`: a browser and a service, opened before the tests of the suite and closed after
 * them. `dashboard` and `shop` throw if a member is used earlier.
 */
export function openShopInBrowser(): ShopInBrowser {
  const browser = openBrowser();
  let opened: Dashboard | undefined;
  before('a service starts', async () => {
    opened = await openDashboard();
  });
  after('the service ends', () => opened?.close());
  const now = (): Dashboard => {
    if (opened === undefined) throw new Error('The service runs in the hooks and tests of its suite only');
    return opened;
  };
  return { browser, dashboard: openedLater(now), shop: openedLater(() => shopOf(now())) };
}

const openedLater = <Thing extends object>(now: () => Thing): Thing =>
  new Proxy<Thing>(Object.create(null), { get: (_target, member) => Reflect.get(now(), member) });

/** `path`: below /dashboard. The page closes with its test. */
export async function openSignedIn(
  browser: OpenBrowser,
  dashboard: Dashboard,
  path: string,
  role: Role,
): Promise<Page> {
  const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
  const [name = '', value = ''] = dashboard.cookieOf(role).split('=');
  await page.context().addCookies([{ name, value, url: dashboard.url }]);
  await page.goto(`${dashboard.url}/dashboard${path}`);
  return page;
}
