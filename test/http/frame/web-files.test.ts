// The built pages as the server sends them: types, caches, encodings, the policy, and paths that are not pages.
import { expect } from 'chai';
import { createApp } from '../../../src/http/app.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { pagePolicy, type WebFile } from '../../../src/http/web-files.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { type Answered, ask, portOf, raw } from './serve.ts';

const file = (content: string, more: Partial<WebFile> = {}): WebFile => ({
  content: Buffer.from(content),
  contentType: 'text/javascript; charset=utf-8',
  etag: `"${content.length}"`,
  isImmutable: false,
  ...more,
});
const FILES = new Map([
  ['index.html', file('<meta nonce="__STYLE_NONCE__"><script nonce="__STYLE_NONCE__">')],
  [
    'assets/index-abcdefgh.js',
    file('plain', { isImmutable: true, brotli: Buffer.from('br'), gzip: Buffer.from('gz') }),
  ],
  ['color-scheme.js', file('scheme')],
]);

describe('the built pages', () => {
  const log = { debug: () => undefined, info: () => undefined, error: () => undefined, isLevelEnabled: () => false };
  const authentication = {
    apiKey: async () => undefined,
    webhookToken: () => undefined,
    user: async () => undefined,
    operatesStore: () => Promise.resolve(false),
    clientToken: () => undefined,
  };
  const web = [
    { at: '/dashboard', files: FILES, except: ['/dashboard/api'], fallback: 'index.html', policy: pagePolicy },
  ];
  const server = createHttpServer(
    createApp({ authentication, world: calmWorld, routes: [], requestsPerSecond: 0, log, web }).callback(),
    () => 'req_parser',
  );
  before((done) => void server.listen(0, '127.0.0.1', done));
  after((done) => void server.close(done));
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answered> =>
    ask(portOf(server), { path, headers, method });

  it('return the page itself on every path that is not a file', async () => {
    for (const path of ['/dashboard/', '/dashboard/payments/pay_1?x=1', '/dashboard/index.html', '/dashboard/apis']) {
      const { status, headers } = await get(path);
      expect([status, headers['content-type'], headers['cache-control']], path).to.deep.equal([
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ]);
    }
    const led = await get('/dashboard');
    expect([led.status, led.headers.location]).to.deep.equal([302, '/dashboard/']);
  });

  it('allow no script in the page, and style tags by the nonce in the page', async () => {
    const { headers, text } = await get('/dashboard/');
    const policy = String(headers['content-security-policy']);
    const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
    expect(nonce).to.have.length(24);
    expect(text).to.equal(`<meta nonce="${nonce}"><script nonce="${nonce}">`);
    expect(policy).to.include("default-src 'none'; script-src 'self';").and.include("frame-ancestors 'none'");
    expect(policy).not.to.include('unsafe');
    expect(headers).to.include({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('keep what is named by a hash for good, and ask again for all else', async () => {
    expect((await get('/dashboard/assets/index-abcdefgh.js')).headers['cache-control']).to.equal(
      'public, max-age=31536000, immutable',
    );
    const { headers } = await get('/dashboard/color-scheme.js');
    expect(headers['cache-control']).to.equal('no-cache');
    const again = await get('/dashboard/color-scheme.js', { 'if-none-match': String(headers.etag) });
    expect([again.status, again.text]).to.deep.equal([304, '']);
  });

  it('come compressed as the browser takes them', async () => {
    const answers = await Promise.all(
      ['gzip, br', 'gzip', 'identity'].map((accepted) =>
        get('/dashboard/assets/index-abcdefgh.js', { 'accept-encoding': accepted }),
      ),
    );
    expect(answers.map(({ headers, text }) => [headers['content-encoding'], text])).to.deep.equal([
      ['br', 'br'],
      ['gzip', 'gz'],
      [undefined, 'plain'],
    ]);
  });

  it('answer HEAD without a body, and no other method', async () => {
    const head = await get('/dashboard/color-scheme.js', {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.text]).to.deep.equal([200, '6', '']);
    expect((await get('/dashboard/color-scheme.js', {}, 'POST')).status).to.equal(404);
  });

  it('leave the API alone, and lead to no file elsewhere', async () => {
    expect((await get('/dashboard/api/none')).body).to.have.nested.property('error.errorId', 'NotFound');
    for (const path of [
      '/dashboard/../package.json',
      '/dashboard/assets/..%2f..%2f..%2fpackage.json',
      '/dashboard//etc/passwd',
    ]) {
      const answer = await raw(portOf(server), `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer, path).not.to.include('"name"').and.not.include('root:');
    }
  });
});
