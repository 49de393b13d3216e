// The documentation in a real browser: guides and search in both schemes and widths, and the API reference, whose own
// examples work.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { provenPayment } from '../audit/proven-payment.ts';
import { openDashboard } from '../support/dashboard.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';
import { axeViolations } from './support/axe.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { NARROW, screenshot, WIDE } from './support/screenshot.ts';

/** Scalar reports on its own which parts of a document its schema does not know. */
const OF_SCALAR = /document validation errors|\[Object/;

describeInBrowser('the documentation in a browser', () => {
  const browser = openBrowser();
  let http: HttpService;
  let origin: string;
  before(async () => {
    http = await serveHttp();
    origin = `http://127.0.0.1:${http.port}`;
  });
  after(() => http.stop());

  /** The addresses of other servers that the page asks for. Grows. */
  const foreignOf = (page: Page): readonly string[] => {
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin)
        foreign.push(request.url());
    });
    return foreign;
  };

  it('shows its pages in any theme and width without a violation, a trouble or a scroll to the side', async () => {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [look, troubles] = [new Look(page), troublesOf(page)];
    for (const path of ['/docs', '/docs/first-payment', '/docs/contract']) {
      await page.goto(`${origin}${path}`);
      await look.atPage(path.slice(1).replaceAll('/', '-'));
    }
    look.end();
    expect(troubles).to.deep.equal([]);
  });

  it('checks a proof on its own page, and sends nothing', async () => {
    const { proof, kept, publicKey } = await provenPayment();
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [look, troubles] = [new Look(page), troublesOf(page)];
    await page.goto(`${origin}/docs/proofs`);
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    const fileOf = (value: object) => ({
      name: 'given.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(value)),
    });
    const check = async (value: object): Promise<readonly string[]> => {
      await page.getByLabel('The proof or checkpoint').setInputFiles(fileOf(value));
      await page.getByLabel('The public key of the service').fill(publicKey);
      await page.getByLabel('A checkpoint that you have kept').setInputFiles(fileOf(kept));
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.locator('.verify-proof .verdict').waitFor();
      return page.locator('.verify-proof [role=status] :is(.verdict, li)').allTextContents();
    };
    expect(await check(proof)).to.include('Everything that is said here holds.');
    await page.locator('.verify-proof').scrollIntoViewIfNeeded();
    await look.atPage('docs-proofs');
    await page.reload();
    const [stream, ...rest] = proof.streams;
    const events = (stream?.events ?? []).map((event) => ({ ...event, data: event.data.replace('1000', '9000') }));
    const said = await check({ ...proof, streams: [{ ...stream, events }, ...rest] });
    expect(said[0]).to.equal('This proves nothing.');
    expect(said.join()).to.contain('It was altered, or belongs to another log.');
    await page.reload();
    expect(await check([])).to.deep.equal(['The file is not a JSON object.']);
    look.end();
    expect(asked.filter((url) => !url.startsWith(`${origin}/docs`))).to.deep.equal([]);
    expect(troubles).to.deep.equal([]);
  });

  it('is searched with the keyboard alone', async () => {
    const page = await browser.newPage({ viewport: WIDE });
    const troubles = troublesOf(page);
    await page.goto(`${origin}/docs`);
    await page.keyboard.press('/');
    await page.keyboard.type('xyzzyq plugh');
    await page.getByText('Nothing found for “xyzzyq plugh”.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('lose a response');
    await page.getByRole('option').first().waitFor();
    await screenshot(page, 'docs-search');
    expect(await axeViolations(page)).to.deep.equal([]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/testing#lose-a-response');
    expect(troubles).to.deep.equal([]);
  });

  it('has one search on the reference too, which leads to its operations', async () => {
    const page = await browser.newPage({ viewport: WIDE });
    const troubles = troublesOf(page);
    await page.goto(`${origin}/docs/api`);
    await page.locator('a.endpoint[role=link]').first().waitFor();
    expect(await page.getByRole('button', { name: /^search/i }).count()).to.equal(1);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    expect(await page.getByRole('dialog').count()).to.equal(1);
    await page.keyboard.type('capture the authorized amount');
    const operation = page.locator('[role=option][href$="POST/payments/{id}/capture"]');
    await operation.waitFor();
    await screenshot(page, 'docs-api-search');
    await operation.click();
    await page.waitForURL((url) => url.hash === '#tag/payments/POST/payments/{id}/capture');
    const section = page.locator('[id$="tag/payments/POST/payments/{id}/capture"]').first();
    await until(async () => Math.abs((await section.boundingBox())?.y ?? Number.POSITIVE_INFINITY) < WIDE.height);
    expect(troubles.filter((trouble) => !OF_SCALAR.test(trouble))).to.deep.equal([]);
  });

  it('has a reference that begins sessions with Create, and names the clients in place of languages', async () => {
    const page = await browser.newPage({ viewport: WIDE });
    await page.goto(`${origin}/docs/api`);
    const first = page.locator('a.endpoint[role=link]').first();
    await first.waitFor();
    expect(await first.textContent()).to.match(/post.*\/client-session$/i);
    for (const [name, path] of [
      ['The Node client', '/docs/node-client'],
      ['the Python client', '/docs/python-client'],
      ['/openapi.json', '/openapi.json'],
    ] as const)
      expect(await page.getByRole('link', { name }).first().getAttribute('href'), name).to.match(
        new RegExp(`${path}$`),
      );
    expect(await page.getByText('Client Libraries').isVisible()).to.equal(false);
  });

  it('copies the commands of a page, with the address of this server', async () => {
    const context = await browser.newContext({ viewport: WIDE, permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(`${origin}/docs/first-payment`);
    await page.locator('.code', { hasText: 'URL=' }).hover();
    await page.locator('.code', { hasText: 'URL=' }).getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.contain(`URL=${origin}\n`);
    await context.close();
  });

  it('keeps the scheme that the reader chose', async () => {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light' });
    await page.goto(`${origin}/docs`);
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    await page.goto(`${origin}/docs/testing`);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).to.equal('dark');
  });

  it('opens its pages of a narrow window by a button', async () => {
    const page = await browser.newPage({ viewport: NARROW });
    await page.goto(`${origin}/docs/testing`);
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Going live' });
    expect(await link.isVisible()).to.equal(false);
    await page.getByRole('button', { name: 'Pages' }).click();
    await screenshot(page, 'docs-menu');
    await link.click();
    await page.waitForURL('**/docs/going-live');
  });

  it('has a reference without a violation in any theme and width, whose links the keyboard reaches', async function look() {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(`${origin}/docs/api`);
    const link = page.locator('a.endpoint', { hasText: 'post/client-session' }).first();
    await link.and(page.locator('[role=link]')).waitFor();
    const looked = new Look(page);
    await looked.atPage('docs-api-reference');
    looked.end();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/api#tag/client-sessions/POST/client-session');
  });

  it('has a reference of the management API, one click away, without a violation in any theme and width', async function look() {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [troubles, foreign] = [troublesOf(page), foreignOf(page)];
    // the service of these tests has no routes of management: their description comes from a service that has them
    const dashboard = await openDashboard();
    await page.route('**/management/openapi.json', async (route) =>
      route.fulfill({ response: await route.fetch({ url: `${dashboard.url}/management/openapi.json` }) }),
    );
    await page.goto(`${origin}/docs/api`);
    await page.getByRole('navigation', { name: 'Descriptions' }).getByRole('link', { name: 'Management' }).click();
    await page.waitForURL('**/docs/management-api');
    const link = page.locator('a.endpoint').first();
    await link.and(page.locator('[role=link]')).waitFor();
    expect(await link.textContent()).to.include('/management/');
    const looked = new Look(page);
    await looked.atPage('docs-management-reference');
    looked.end();
    await dashboard.close();
    expect(troubles.filter((trouble) => !OF_SCALAR.test(trouble))).to.deep.equal([]);
    expect(foreign).to.deep.equal([]);
  });

  it('has a reference in which the example of a session works with a key, and which asks no other server', async () => {
    const page = await browser.newPage({ viewport: WIDE });
    const [troubles, foreign] = [troublesOf(page), foreignOf(page)];
    await page.goto(`${origin}/docs/api#tag/client-sessions/POST/client-session`);
    const example = page.getByRole('button', { name: /Test Request.*post \/client-session/i }).first();
    await example.waitFor();
    await screenshot(page, 'docs-api');
    await example.click();
    const client = page.getByRole('dialog');
    await client.locator('input[type=password], input.scalar-password-input').first().fill(http.shop.key);
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await client.getByRole('button', { name: /^Send/ }).first().click();
    const answer = await answered;
    expect([answer.status(), new URL(answer.url()).pathname]).to.deep.equal([200, '/client-session']);
    expect(await answer.json()).to.include({ orderId: 'order-1', amount: 5_490 });
    await client.getByText('200 OK').waitFor();
    await screenshot(page, 'docs-api-answer');
    expect(troubles.filter((trouble) => !OF_SCALAR.test(trouble))).to.deep.equal([]);
    expect(foreign).to.deep.equal([]);
  });
});
