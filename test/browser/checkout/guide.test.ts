// The snippets of docs/guides/checkout.md and checkout-details.md: the page pays in a browser, and the rest compiles
// with the SDK's types. The backend's lines are those of an example, which has its own test.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { readWebFiles } from '../../../src/cli/read-web-files.ts';
import { readPage } from '../../docs/pages.ts';
import { portOf } from '../../http/frame/serve.ts';
import { CARDS } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { ROOT } from '../../support/root.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';

const text = ['checkout', 'checkout-details'].map((name) => readPage(`docs/guides/${name}.md`).text).join('\n');
const fences = (language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
const pieces = fences('ts');
const [page = ''] = fences('html');
const run = promisify(execFile);

describeInBrowser('the guide of the checkout', () => {
  const browser = openBrowser();
  let http: HttpService;
  let shop: Server;
  let folder: string;
  let html = '';
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    folder = await mkdtemp(join(tmpdir(), 'counterfoil-guide-'));
    shop = createServer((_, response) =>
      response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>Shop</title>${html}`),
    );
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    shop.close();
    shop.closeAllConnections();
    await rm(folder, { recursive: true });
    await http.stop();
  });
  const here = (code: string): string => code.replaceAll('http://127.0.0.1:4000', `http://127.0.0.1:${http.port}`);

  it('pays on the page, and leads to the order', async () => {
    html = here(page).replace('CLIENT_TOKEN', await http.shop.session({ amount: 5_000 }));
    const shopper = await browser.newPage();
    await shopper.goto(`http://127.0.0.1:${portOf(shop)}`);
    const frame = shopper.frameLocator('#pay iframe');
    await frame.locator('[name=number]').fill(CARDS.approved);
    await frame.locator('[name=expiry]').fill('12 / 39');
    await frame.locator('[name=cvc]').fill('123');
    await frame.locator('[name=name]').fill('Ada Lovelace');
    await frame.getByRole('button', { name: 'Pay €50.00' }).click();
    await shopper.waitForURL('**/order?payment=pay_*');
  });

  it("compiles with the SDK's types, and not with an option that there is not", async () => {
    const files = await readWebFiles('checkout');
    await writeFile(join(folder, 'counterfoil.d.mts'), files.get('sdk/v1/counterfoil.d.mts')?.content ?? '');
    const [, call = ''] = /<script type="module">\n([\s\S]*?)<\/script>/.exec(page) ?? [];
    const module = [call, ...pieces, 'export {};']
      .join('\n')
      .replaceAll(/'http.*counterfoil\.mjs'/g, "'./counterfoil.mjs'");
    await writeFile(join(folder, 'good.mts'), module);
    await writeFile(join(folder, 'bad.mts'), module.replace('onComplete:', 'onCompleted:'));
    const compile = (name: string): Promise<string> =>
      run(process.execPath, [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        ...[
          '--ignoreConfig',
          '--noEmit',
          '--strict',
          '--module',
          'nodenext',
          '--target',
          'es2022',
          '--lib',
          'es2022,dom',
          '--types',
          '',
          join(folder, name),
        ],
      ]).then(
        () => '',
        ({ stdout }: { readonly stdout: string }) => stdout,
      );
    expect(await compile('good.mts')).to.equal('');
    expect(await compile('bad.mts')).to.contain("'onCompleted' does not exist");
  });
});
