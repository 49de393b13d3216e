// Pages that tests share: each forgets its test, whatever the page was about to do.
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { listen } from '../../src/cli/serve/http-listener.ts';
import { describeInBrowser, openBrowser } from './support/browser.ts';
import { KeptPages } from './support/kept-pages.ts';

describeInBrowser('a page that tests share', () => {
  const { newContext } = openBrowser();
  let server: Server;
  let url: string;
  before(async () => {
    server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html').setHeader('Set-Cookie', 'a=1').end('<p>a page</p>');
    });
    url = await listen(server, { host: '127.0.0.1', port: 0 });
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('forgets a test whose page is about to lead elsewhere', async () => {
    const pages = new KeptPages(async (options) => (await newContext(options)).newPage());
    const first = await pages.take({});
    let page = first;
    for (let leads = 0; leads < 40; leads += 1) {
      await page.goto(url);
      await page.evaluate(
        `sessionStorage.setItem('a', '1'); setTimeout(() => location.assign('/order'), ${leads % 8})`,
      );
      await pages.giveBack();
      page = await pages.take({});
      expect([page === first, page.url(), await page.context().cookies()]).to.deep.equal([true, 'about:blank', []]);
    }
  });
});
