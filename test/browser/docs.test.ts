// The page of the API's description in a real browser.
import { expect } from 'chai';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { screenshot, WIDE } from './support/screenshot.ts';

describeInBrowser('the documentation in a browser', () => {
  const browser = openBrowser();
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  it('opens without an error in the console', async () => {
    const page = await browser.newPage({ viewport: WIDE });
    const troubles = troublesOf(page);
    await page.goto(`http://127.0.0.1:${http.port}/docs`, { waitUntil: 'networkidle' });
    await screenshot(page, 'docs-wide');
    expect(await page.title()).to.include('Counterfoil');
    expect(troubles).to.deep.equal([]);
  });
});
