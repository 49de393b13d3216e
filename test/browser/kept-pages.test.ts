// Tests share pages of a browser one after the other, and never learn of it.
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { portOf } from '../http/frame/serve.ts';
import { describeInBrowser, openBrowser } from './support/browser.ts';

/** The data that a page keeps, in one line. */
const KEPT = `[document.cookie, localStorage.length, sessionStorage.length, history.length, innerWidth,
  matchMedia('(prefers-color-scheme: dark)').matches].join()`;
const LEFT = `document.cookie = 'of=one'; localStorage.of = 'one'; sessionStorage.of = 'one'`;

describeInBrowser('a page of a test', () => {
  const browser = openBrowser();
  const servers: Server[] = [];
  const origins: string[] = [];
  before(async () => {
    for (const _ of ['one', 'two']) {
      const server = createServer((_request, response) =>
        response.setHeader('Content-Type', 'text/html').end('<p>served</p>'),
      );
      await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
      servers.push(server);
      origins.push(`http://127.0.0.1:${portOf(server)}`);
    }
  });
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  for (const test of ['first', 'second'])
    it(`knows nothing of others: the ${test} of two that leave all that a page can keep`, async () => {
      const page = await browser.newPage();
      for (const origin of origins) {
        await page.goto(origin);
        expect(await page.textContent('body')).to.equal('served');
        const visited = origins.indexOf(origin) + 2;
        expect(await page.evaluate(KEPT)).to.equal(
          `${origin === origins[0] ? '' : 'of=one'},0,0,${visited},1280,false`,
        );
        await page.evaluate(LEFT);
      }
      await page.setViewportSize({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.route('**/*', (route) => route.abort());
    });
});
