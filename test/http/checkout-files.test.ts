// The SDK's files and the card frame over HTTP: sizes, headers, and who may frame the checkout (contract §3).
import { createServer, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { readCheckoutFiles, readWebFiles } from '../../src/cli/read-web-files.ts';
import { serveCheckoutFiles } from '../../src/http/checkout-files.ts';
import { serveReturnPage } from '../../src/http/checkout-pages.ts';
import type { FrameState } from '../../src/http/exchange.ts';
import type { WebFiles } from '../../src/http/web-files.ts';
import { connectionAt } from '../../src/processors/connections.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { portOf } from './frame/serve.ts';

const KIB = 1_024;
const CONNECTION = {
  status: 'active',
  accountId: '',
  processor: 'one',
  name: 'one',
  secrets: {},
  createdAt: 0,
} as const;

describe('the files of the checkout', () => {
  let http: HttpService;
  let files: WebFiles;
  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${http.port}${path}`, init);
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    files = await readWebFiles('checkout');
  });
  after(() => http.stop());

  const gzipped = (starts: string): number =>
    [...files]
      .filter(([name]) => name.startsWith(starts) && !/\.d\.m?ts$/.test(name))
      .reduce((sum, [, { content }]) => sum + gzipSync(content, { level: 9 }).length, 0);

  it('take 20 KiB of a page of the merchant at most, 40 KiB of the frame, 3 KiB of fields and 10 KiB of a link, compressed', () => {
    expect([...files.keys()]).to.include.members([
      'sdk/v1/counterfoil.mjs',
      'sdk/v1/counterfoil.js',
      'frame/index.html',
    ]);
    // A page loads one of the two.
    expect(gzipped('sdk/')).to.be.within(1 * KIB, 20 * KIB);
    // The page of a payment link has files of its own besides those that it shares with the frame.
    const ofLink = gzipped('frame/pay.html') + gzipped('frame/assets/pay-');
    expect(ofLink).to.be.within(1 * KIB, 10 * KIB);
    // A session with a processor's fields loads their module, too.
    const ofFields = gzipped('frame/assets/stripe-');
    expect(ofFields).to.be.within(100, 3 * KIB);
    expect(gzipped('frame/') - ofLink - ofFields).to.be.within(10 * KIB, 40 * KIB);
  });

  for (const [name, type] of [
    ['counterfoil.mjs', 'text/javascript; charset=utf-8'],
    ['counterfoil.js', 'text/javascript; charset=utf-8'],
    ['counterfoil.d.mts', 'text/plain; charset=utf-8'],
    ['counterfoil.d.ts', 'text/plain; charset=utf-8'],
  ] as const) {
    it(`may be loaded by pages of any origin: ${name}`, async () => {
      const answer = await ask(`/checkout/sdk/v1/${name}`, { headers: { Origin: 'https://shop.example' } });
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, type]);
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
      expect(answer.headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=300');
    });
  }

  it('hold no secret, no inline script and no word of another origin', () => {
    for (const [name, { content }] of files) {
      const text = Buffer.from(content).toString('utf8');
      expect(text, name).not.to.match(/cf_(test|live)_|whsec_|eyJ/);
      const hosts = [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host);
      expect(new Set(hosts), name).to.satisfy((found: ReadonlySet<string>) =>
        [...found].every((host) => host === 'www.w3.org'),
      );
      if (name.endsWith('.html')) expect(text, name).not.to.match(/<script(?![^>]*\bsrc=)|<style| on\w+=/);
    }
  });

  it('are a page that any origin may frame in test mode, under a policy without inline script', async () => {
    const answer = await ask('/checkout/frame?account=acc_1');
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('referrer-policy')).to.equal('no-referrer');
    expect(answer.headers.get('permissions-policy')).to.include('payment=(self)').and.include('camera=()');
    expect(answer.headers.get('x-frame-options')).to.equal(null);
    const policy = answer.headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy).to.include.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `connect-src http://127.0.0.1:${http.port}/checkout/`,
      "worker-src 'none'",
      "base-uri 'none'",
    ]);
    expect(policy).to.include.members([
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      'frame-ancestors *',
    ]);
  });

  it('answer 404 below the frame and the SDK for what is not there', async () => {
    for (const path of [
      '/checkout/frame/index.html',
      '/checkout/frame/',
      '/checkout/sdk/v2/counterfoil.mjs',
      '/checkout/sdk/',
    ])
      expect((await ask(path)).status, path).to.equal(404);
  });

  describe('in live mode', () => {
    let server: Server;
    const reported: string[] = [];
    const origins = ['https://acs.bank.example', 'https://acs.bank.example', 'https://acs.bank.example:8443'];
    const sources = ['https://js.acquirer.example', 'https://*.js.acquirer.example'];
    const known = {
      shownBy: async () => [connectionAt('one'), connectionAt('two')],
      processor: async (name: string) => (name === 'one' ? one : undefined),
      find: (accountId: string, id: string) =>
        accountId === http.shop.accountId && id === 'con_1' ? { id, doc: CONNECTION } : undefined,
    };
    let one: Processor;
    before(async () => {
      const app = new Koa<FrameState>();
      app.silent = true; // some answers below are faults
      one = {
        ...http.stores.sandbox,
        challengeOrigins: () => origins,
        fields: () => ({
          script: 'https://js.acquirer.example/v1',
          scripts: sources,
          frames: ['https://js.acquirer.example'],
          calls: ['https://api.acquirer.example:8443'],
        }),
      };
      const files = await readCheckoutFiles('live', {
        ...http.service,
        connections: { known },
        publicUrl: () => 'https://pay.example',
        report: (notice) => void reported.push(String(notice)),
      });
      app.use(serveCheckoutFiles(files)).use(serveReturnPage(files));
      server = createServer(app.callback());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    after(() => server.close());
    const ancestors = async (path: string): Promise<string | undefined> => {
      const { headers } = await fetch(`http://127.0.0.1:${portOf(server)}${path}`);
      return headers.get('content-security-policy')?.split('; ').at(-1);
    };

    it("let the account's own origins frame the checkout, as soon as they are named, our own page of a link, and nobody else", async () => {
      const { accountId } = http.shop;
      const path = `/checkout/frame?account=${accountId}`;
      expect(await ancestors(path)).to.equal("frame-ancestors 'self'");
      await http.service.access.setAllowedOrigins(accountId, ['https://shop.example', 'https://shop.example.org']);
      expect(await ancestors(path)).to.equal("frame-ancestors 'self' https://shop.example https://shop.example.org");
      for (const other of [
        `/checkout/frame?account=${http.other.accountId}`,
        '/checkout/frame?account=',
        '/checkout/frame',
      ])
        expect(await ancestors(other)).to.equal("frame-ancestors 'self'");
    });

    it('let the page of a challenge hold the pages that processors name, in full, and the way back stand in it', async () => {
      const { accountId } = http.shop;
      await http.service.access.setAllowedOrigins(accountId, ['https://shop.example']);
      const at = (path: string) => fetch(`http://127.0.0.1:${portOf(server)}${path}?account=${accountId}`);
      const { headers } = await fetch(
        `http://127.0.0.1:${portOf(server)}/checkout/frame?account=${accountId}&challenge`,
      );
      const policy = headers.get('content-security-policy')?.split('; ') ?? [];
      expect(policy).to.include.members(["default-src 'none'", "frame-ancestors 'self' https://shop.example"]);
      expect(policy).to.include("frame-src 'self' https://acs.bank.example https://acs.bank.example:8443");
      expect(headers.get('permissions-policy')).to.include(
        'payment=(self "https://acs.bank.example" "https://acs.bank.example:8443")',
      );
      // A bank's page sends no policy for embedders, and would be refused by this one.
      expect(headers.get('cross-origin-embedder-policy')).to.equal(null);
      const form = await at('/checkout/frame');
      expect(form.headers.get('content-security-policy')).to.not.include('frame-src');
      const back = await at('/checkout/3ds/return');
      expect(back.headers.get('content-security-policy')).to.include("frame-ancestors 'self' https://shop.example");
    });

    it('let a page with the fields of a processor load what that one names, and no other page', async () => {
      const { accountId } = http.shop;
      const at = (query: string) => fetch(`http://127.0.0.1:${portOf(server)}/checkout/fields?${query}`);
      const { headers } = await at(`account=${accountId}&connection=con_1`);
      const policy = headers.get('content-security-policy');
      expect(policy?.split('; ')).to.include.members([
        "default-src 'none'",
        "script-src 'self' https://js.acquirer.example https://*.js.acquirer.example",
        `connect-src http://127.0.0.1:${portOf(server)}/checkout/ https://pay.example/checkout/ https://api.acquirer.example:8443`,
        "worker-src 'none'",
        'frame-src https://js.acquirer.example',
        "frame-ancestors 'self' https://shop.example",
      ]);
      expect(headers.get('cross-origin-embedder-policy')).to.equal(null);
      for (const other of [
        `account=${accountId}`,
        `account=${accountId}&connection=con_2`,
        `account=${http.other.accountId}&connection=con_1`,
      ])
        expect((await at(other)).status, other).to.equal(404);
      for (const wrong of ['*', "'unsafe-inline'", 'https:', 'https://a.example; script-src *', 'data:']) {
        sources.push(wrong);
        reported.length = 0;
        for (const _again of [1, 2]) {
          const answer = await at(`account=${accountId}&connection=con_1`);
          expect([answer.status, answer.headers.get('content-security-policy')], wrong).to.deep.equal([200, policy]);
        }
        expect(reported.join('\n')).to.contain(`A processor names ${wrong}, which a policy cannot name`);
        expect(reported).to.have.length(1);
        sources.pop();
      }
    });

    it('take no wildcard and no path of a processor for an origin', async () => {
      for (const wrong of [
        'https://*.bank.example',
        '*',
        'https:',
        'https://bank.example/acs',
        'https://bank.example/',
        'https://a;b.example',
        'https://a,b.example',
        'http://[::1]:4010',
        "https://a'b.example",
        'https://A.example',
      ]) {
        origins.push(wrong);
        const answer = await fetch(
          `http://127.0.0.1:${portOf(server)}/checkout/frame?account=${http.shop.accountId}&challenge`,
        );
        expect([answer.status, answer.headers.get('content-security-policy')], wrong).to.satisfy(
          ([status, policy]: readonly unknown[]) =>
            status === 200 && String(policy).endsWith('https://acs.bank.example:8443'),
        );
        expect(reported.at(-1)).to.contain(wrong);
        origins.pop();
      }
    });
  });
});
