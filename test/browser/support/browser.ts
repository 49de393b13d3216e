// A headless Chromium for the tests of a suite, and of all suites of a mocha worker. Without one they are pending and
// say why; with CI=true they fail.
import type { Context } from 'mocha';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumPath, mustHaveChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { KeptPages } from './kept-pages.ts';

export interface OpenBrowser {
  /**
   * A page without cookies and storage of others. After the test it is blank and another test's: `page.clock` and init
   * scripts want a `newContext`.
   */
  readonly newPage: (options?: BrowserContextOptions) => Promise<Page>;
  /** A context whose pages share cookies and storage. */
  readonly newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>;
}

/**
 * A worker runs many files, one after the other: a start of Chromium for each of them would take a second of CPU. It
 * ends with the worker.
 */
const isShared = process.env['MOCHA_WORKER_ID'] !== undefined;
let running: Browser | undefined;
/** For what a page is to show: Playwright's own 30 s are too few where four files share two cores. */
const PATIENCE_MS = 120_000;

async function startedBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(WITHOUT_CHROMIUM);
  if (running?.isConnected() !== true) running = await chromium.launch({ executablePath, headless: true });
  return running;
}

/**
 * To be called in `describeInBrowser`: starts Chromium before its tests, and ends it, or all of its pages, after them.
 */
export function openBrowser(): OpenBrowser {
  let browser: Browser | undefined;
  before('Chromium starts', async () => {
    browser = await startedBrowser();
  });
  after('Chromium ends', async () => {
    if (isShared) await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    else await browser?.close();
  });
  const newContext: OpenBrowser['newContext'] = async (options) => {
    if (browser === undefined) throw new Error('Chromium runs in the hooks and tests of its suite only');
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  const pages = new KeptPages(async (options) => (await newContext(options)).newPage());
  afterEach('its pages forget the test', () => pages.giveBack());
  const newPage: OpenBrowser['newPage'] = (options = {}) => pages.take(options);
  return { newContext, newPage };
}

/**
 * `describe` for a suite that calls openBrowser. Where there is no Chromium it holds one test, which is pending; with
 * CI=true that fails.
 */
export function describeInBrowser(title: string, suite: () => void): void {
  if (chromiumPath() !== undefined) describe(title, suite);
  else
    describe(title, () => {
      it('left out: there is no Chromium', function (this: Context) {
        if (mustHaveChromium()) throw new Error(WITHOUT_CHROMIUM);
        this.skip();
      });
    });
}

/** `it` of the rest of the suite alone, in a file of which the fast part has some tests (test/parts.mjs). */
export const itInRest: (title: string, test: (this: Context) => Promise<void>) => void =
  process.env['PART'] === 'fast' ? () => undefined : it;

/** The one request that browsers send automatically, on every site. */
const FAVICON = '/favicon.ico';

/**
 * Everything that a page says is wrong: errors and warnings of its console, scripts that failed, violations of its CSP.
 * Grows.
 */
export function troublesOf(page: Page): readonly string[] {
  const troubles: string[] = [];
  page.on('console', (message) => {
    const { url } = message.location();
    const isTrouble = message.type() === 'error' || message.type() === 'warning';
    if (isTrouble && !url.endsWith(FAVICON)) troubles.push(`${message.text()} (${url})`);
  });
  page.on('pageerror', (fault) => troubles.push(String(fault)));
  return troubles;
}
