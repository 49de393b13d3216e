// A page of the dashboard in a browser where a user of a role is signed in.
import type { Page } from 'playwright-core';
import type { Role } from '../../../src/domain/user/roles.ts';
import type { Dashboard } from '../../support/dashboard.ts';
import type { OpenBrowser } from './browser.ts';
import { WIDE } from './screenshot.ts';

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
