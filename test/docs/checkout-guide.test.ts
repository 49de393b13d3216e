// The lines of docs/guides/checkout-details.md for shops without the SDK: a payment leads to the bank's page, and back
// with its token.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { answered } from '../support/challenged.ts';
import { CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { readPage } from './pages.ts';

const [, lines = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readPage('docs/guides/checkout-details.md').text) ?? [];
/** Two requests of a browser: the order, and the way back, which begins at its address. */
const [order = '', back = ''] = lines.split(/^\/\/ https:\/\/shop\.example\/back\?.*$/m);
const run = promisify(execFile);

describe('the guide of the checkout without the SDK', () => {
  let http: HttpService;
  let folder: string;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    folder = await mkdtemp(join(tmpdir(), 'counterfoil-guide-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await http.stop();
  });

  /** The output of the lines, with the functions of the shop's web server in front of them. */
  const printed = async (given: object, code: string, result: string): Promise<string> => {
    const script = join(folder, 'lines.mjs');
    const constants = Object.entries(given).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
    const functions = `const post = async (path, body) => (await fetch('http://127.0.0.1:${http.port}' + path, {
      method: 'POST',
      headers: { 'X-Api-Key': process.env.COUNTERFOIL_API_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })).json();
    const redirect = (url) => console.log(url);`;
    await writeFile(script, [...constants, functions, code, result].join('\n'));
    const { stdout } = await run(process.execPath, [script], {
      env: { ...process.env, COUNTERFOIL_API_KEY: http.shop.key },
    });
    return stdout.trim();
  };

  for (const [outcome, status] of [
    ['approve', 'AUTHORIZED'],
    ['fail', 'DECLINED'],
  ] as const) {
    it(`leads the shopper to the bank and back, and is ${status} where the answer is ${outcome}`, async () => {
      const clientToken = await http.shop.session();
      const paymentMethodToken = await http.shop.tokenize(clientToken, CARDS.challenged);
      const bank = await printed({ clientToken, paymentMethodToken }, order, '');
      const returned = await answered(http, new URL(bank).pathname, outcome);
      expect(returned.href.startsWith('https://shop.example/back?')).to.equal(true);
      const request = { query: Object.fromEntries(returned.searchParams) };
      expect(await printed({ request }, back, 'console.log(resumed.status);')).to.equal(status);
    });
  }
});
