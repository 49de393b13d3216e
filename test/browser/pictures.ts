// npm run pictures: creates the pictures of the documentation again. `npm run pictures -- all <folder>` creates every
// page, in every state, at both widths and in both themes, for review.
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { loadShop } from '../../src/cli/demo/run-shop.ts';
import { listen } from '../../src/cli/serve/http-listener.ts';
import type { Role } from '../../src/domain/user/roles.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { chromiumPath, WITHOUT_CHROMIUM } from './support/chromium.ts';
import { type ExampleAccount, exampleAccount } from './support/example-account.ts';
import { type PictureState, pageStates } from './support/page-states.ts';
import { NARROW, WIDE } from './support/screenshot.ts';

const OF_THE_DOCUMENTATION = 'docs/pictures';

async function main([what, folder]: readonly string[]): Promise<void> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(WITHOUT_CHROMIUM);
  const browser = await chromium.launch({ executablePath, headless: true });
  const dashboard = await openDashboard();
  const empty = what === 'all' ? await openDashboard() : undefined;
  const example = await exampleAccount(dashboard);
  try {
    if (empty === undefined) await forDocumentation(browser, dashboard, example);
    else await allPages(browser, { dashboard, empty, example }, folder ?? 'pictures');
  } finally {
    await browser.close();
    await dashboard.close();
    await empty?.close();
  }
}

async function forDocumentation(browser: Browser, dashboard: Dashboard, { refunded }: ExampleAccount): Promise<void> {
  const context = await signedIn(browser, dashboard, 'owner', { viewport: WIDE });
  for (const [name, path] of [
    ['dashboard-overview', '/'],
    ['dashboard-payments', '/payments'],
    ['dashboard-payment', `/payments/${refunded}`],
  ] as const) {
    const page = await context.newPage();
    await page.goto(`${dashboard.url}/dashboard${path}`);
    await settled(page);
    await page.screenshot({ path: join(OF_THE_DOCUMENTATION, `${name}.png`), animations: 'disabled' });
    await page.close();
  }
  await context.close();
  await shop(browser, dashboard);
}

/** The shop's payment page with a filled card. */
async function shop(browser: Browser, { url: counterfoilUrl, key: apiKey }: Dashboard): Promise<void> {
  const ending = new AbortController();
  // The picture is of a page before anything is told.
  const untold = { webhookSecret: '', after: undefined, signal: ending.signal };
  const server = createServer(await loadShop({ apiKey, counterfoilUrl, ...untold }));
  const url = await listen(server, { host: '127.0.0.1', port: 0 });
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  for (const product of ['Ledger notebook', 'Bottle of ink']) {
    await page.goto(url);
    await page.getByRole('button', { name: `Add to cart ${product}` }).click();
  }
  await page.getByRole('link', { name: 'Check out' }).click();
  const frame = page.frameLocator('#checkout iframe');
  await frame.locator('[name=number]').fill('4242424242424242');
  await frame.locator('[name=expiry]').fill('12 / 30');
  await frame.locator('[name=cvc]').fill('123');
  await frame.locator('[name=name]').fill('Ada Lovelace');
  await page.screenshot({ path: join(OF_THE_DOCUMENTATION, 'shop-checkout.png'), animations: 'disabled' });
  ending.abort();
  server.close();
  server.closeAllConnections();
}

interface Accounts {
  readonly dashboard: Dashboard;
  /** An account in which nothing has happened. */
  readonly empty: Dashboard;
  readonly example: ExampleAccount;
}

async function allPages(browser: Browser, { dashboard, empty, example }: Accounts, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [width, viewport] of [['wide', WIDE] as const, ['narrow', NARROW] as const])
    for (const colorScheme of ['light', 'dark'] as const) {
      const options = { viewport, colorScheme };
      for (const state of pageStates(example)) {
        const account = state.isEmptyAccount === true ? empty : dashboard;
        const context =
          state.isSignedOut === true
            ? await browser.newContext(options)
            : await signedIn(browser, account, 'owner', options);
        await picture(context, account, state, join(folder, `${state.name}-${width}-${colorScheme}.png`));
        await context.close();
      }
    }
}

async function picture(
  context: BrowserContext,
  { url }: Dashboard,
  { path, api, steps }: PictureState,
  file: string,
): Promise<void> {
  const page = await context.newPage();
  const isOwnSession = (asked: URL): boolean => asked.pathname.endsWith('/me');
  const isData = (asked: URL): boolean => asked.pathname.startsWith('/dashboard/api/') && !isOwnSession(asked);
  if (api === 'lost') await page.route(isData, (route) => route.abort());
  if (api === 'slow') await page.route(isData, () => undefined);
  await page.goto(`${url}/dashboard${path}`);
  await (api === undefined ? settled(page) : page.waitForTimeout(api === 'lost' ? 4_500 : 600));
  await steps?.(page).catch((fault: unknown) => process.stderr.write(`${file}: ${String(fault)}\n`));
  await page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
}

async function settled(page: Page): Promise<void> {
  await page.locator('main, h1').first().waitFor();
  // a polled predicate would be evaluated as text, which the page's own policy forbids
  await page.locator('body:not(:has([class*=Skeleton-root], [aria-busy=true]))').waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await page.waitForTimeout(250);
}

async function signedIn(
  browser: Browser,
  { url, cookieOf }: Dashboard,
  role: Role,
  options: Parameters<Browser['newContext']>[0],
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  const [name = '', value = ''] = cookieOf(role).split('=');
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  return context;
}

await main(process.argv.slice(2));
process.exit(0); // the sandbox's threads of a closed service may outlive it
