// A headless Chromium for the tests of a suite, and of all suites of a mocha worker. Without one they are pending and say why; with CI=true they fail.
import type { Context } from 'mocha';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumPath, mustHaveChromium, WITHOUT_CHROMIUM } from './chromium.ts';

export interface OpenBrowser {
  /** A page in a context of its own: no cookies and no storage of others. It closes after the test, because open pages go on drawing. */
  readonly newPage: (options?: BrowserContextOptions) => Promise<Page>;
  /** A context whose pages share cookies and storage. */
  readonly newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>;
}

/** A worker runs many files, one after the other: a start of Chromium for each of them would take a second of CPU. It ends with the worker. */
const isShared = process.env['MOCHA_WORKER_ID'] !== undefined;
let running: Browser | undefined;

async function startedBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(WITHOUT_CHROMIUM);
  if (running?.isConnected() !== true) running = await chromium.launch({ executablePath, headless: true });
  return running;
}

/** To be called in `describeInBrowser`: starts Chromium before its tests, and ends it, or all of its pages, after them. */
export function openBrowser(): OpenBrowser {
  let browser: Browser | undefined;
  before('Chromium starts', async () => {
    browser = await startedBrowser();
  });
  after('Chromium ends', async () => {
    if (isShared) await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    else await browser?.close();
  });
  const newContext: OpenBrowser['newContext'] = (options) => {
    if (browser === undefined) throw new Error('Chromium runs in the hooks and tests of its suite only');
    return browser.newContext(options);
  };
  const ofTheTest: BrowserContext[] = [];
  afterEach('its pages close', async () => {
    await Promise.all(ofTheTest.splice(0).map((context) => context.close()));
  });
  const newPage: OpenBrowser['newPage'] = async (options) => {
    const context = await newContext(options);
    ofTheTest.push(context);
    return context.newPage();
  };
  return { newContext, newPage };
}

/** `describe` for a suite that calls openBrowser. Where there is no Chromium it holds one test, which is pending; with CI=true that fails. */
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

/** The one request that browsers make by themselves, on every site. */
const FAVICON = '/favicon.ico';

/** Everything that a page says is wrong: errors and warnings of its console, scripts that failed, violations of its CSP. Grows. */
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
