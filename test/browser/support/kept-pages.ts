// Pages that serve one test after the other: a context and its process cost half a second of CPU, which a page that
// forgets does not.
import type { BrowserContextOptions, Page } from 'playwright-core';

/** The events that tests listen to. Other listeners of a page are Playwright's own. */
const HEARD = [
  'console',
  'dialog',
  'download',
  'framenavigated',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'response',
];
/** A context's viewport where its options name none. */
const USUAL = { width: 1_280, height: 720 };

interface Used {
  readonly page: Page;
  readonly options: BrowserContextOptions;
  /** Every origin that a frame of the page has shown. */
  readonly origins: Set<string>;
}

export class KeptPages {
  readonly #open: (options: BrowserContextOptions) => Promise<Page>;
  readonly #free = new Map<string, Page[]>();
  readonly #used: Used[] = [];

  /** `open`: a page in a new context. */
  constructor(open: (options: BrowserContextOptions) => Promise<Page>) {
    this.#open = open;
  }

  /**
   * A page as new, with no cookies, storage, routes and history of others; only files that may be kept are in its
   * browser's cache.
   */
  async take(options: BrowserContextOptions): Promise<Page> {
    const page = this.#free.get(keyOf(options))?.pop() ?? (await this.#open(options));
    const origins = new Set<string>();
    page.on('framenavigated', (frame) => origins.add(new URL(frame.url()).origin));
    this.#used.push({ page, options, origins });
    return page;
  }

  /** Lets the pages of a test forget it, and keeps them for the next one. */
  async giveBack(): Promise<void> {
    await Promise.all(this.#used.splice(0).map((used) => this.#forget(used)));
  }

  async #forget({ page, options, origins }: Used): Promise<void> {
    if (page.isClosed()) return;
    if (options.javaScriptEnabled === false) return page.context().close();
    const context = page.context();
    for (const event of HEARD) page.removeAllListeners(event);
    for (const other of context.pages()) if (other !== page) await other.close();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await forgetStorage(
      page,
      [...origins].filter((origin) => origin.startsWith('http')),
    );
    await context.clearCookies();
    await page.setViewportSize(options.viewport ?? USUAL);
    await page.emulateMedia({
      colorScheme: options.colorScheme ?? 'light',
      reducedMotion: options.reducedMotion ?? 'no-preference',
    });
    const key = keyOf(options);
    this.#free.set(key, [...(this.#free.get(key) ?? []), page]);
  }
}

const keyOf = (options: BrowserContextOptions): string => JSON.stringify(options);

/**
 * Clears the storage of each origin, and the page's history. A session's storage can be reached only from its origin:
 * the page goes there, and no server is asked.
 */
async function forgetStorage(page: Page, origins: readonly string[]): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  for (const origin of origins) {
    await goTo(page, origin);
    await page.evaluate('sessionStorage.clear()');
    await devTools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
  await page.unrouteAll();
  await goTo(page, 'about:blank');
  await devTools.send('Page.resetNavigationHistory');
  await devTools.detach();
}

/** A navigation that a script of the test's page began may interrupt this one; it leads to a page without scripts. */
async function goTo(page: Page, url: string): Promise<void> {
  for (;;) {
    try {
      await page.goto(url);
      return;
    } catch (fault) {
      if (!/is interrupted by another navigation|ERR_ABORTED/.test(String(fault))) throw fault;
    }
  }
}
