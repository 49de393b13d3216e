// The pages below /docs as the server answers them: built files, with headers that keep a browser on this server.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import Koa from 'koa';
import { readWebFiles } from '../../src/cli/read-web-files.ts';
import type { FrameState } from '../../src/http/exchange.ts';
import { serveDocs } from '../../src/http/web-files.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

describe('/docs', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${http.port}${path}`, { redirect: 'manual', ...init });
  const policyOf = ({ headers }: Response): string => headers.get('content-security-policy') ?? '';

  it('is a page, and so is every guide below it', async () => {
    for (const path of [
      '/docs',
      '/docs/first-payment',
      '/docs/decisions/0001-random-event-ids',
      '/docs/api',
      '/docs/management-api',
    ]) {
      const page = await get(path);
      expect([page.status, page.headers.get('content-type')], path).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(await page.text(), path).to.match(/<main|id="reference"/);
    }
  });

  it('lets a page load nothing from elsewhere and run no inline script, whatever the script tries', async () => {
    for (const path of ['/docs', '/docs/api', '/docs/management-api', '/docs/none']) {
      const policy = policyOf(await get(path));
      expect(policy, path).to.contain("default-src 'none'; script-src 'self';").and.to.contain("connect-src 'self'");
      expect(policy, path).not.to.match(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
    }
    expect(policyOf(await get('/docs'))).not.to.contain('unsafe-inline');
  });

  it('has the headers of a page that nobody else may use', async () => {
    const { headers } = await get('/docs');
    expect([
      headers.get('x-content-type-options'),
      headers.get('referrer-policy'),
      headers.get('cross-origin-opener-policy'),
    ]).to.deep.equal(['nosniff', 'no-referrer', 'same-origin']);
  });

  it('is asked again by its ETag, while files with a hash in their name are kept for a year', async () => {
    const page = await get('/docs');
    const etag = page.headers.get('etag') ?? '';
    expect([page.headers.get('cache-control'), etag.length > 10]).to.deep.equal(['no-cache', true]);
    expect((await get('/docs', { headers: { 'If-None-Match': etag } })).status).to.equal(304);
    const [, script = ''] = /<script src="([^"]+)"/.exec(await page.text()) ?? [];
    const file = await get(script);
    expect([file.status, file.headers.get('content-type')]).to.deep.equal([200, 'text/javascript; charset=utf-8']);
    expect(file.headers.get('cache-control')).to.contain('immutable');
  });

  it('comes compressed as the browser takes it, pages and files alike', async () => {
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(await (await get('/docs')).text()) ?? [];
    for (const path of ['/docs', style])
      for (const encoding of ['br', 'gzip'])
        expect(
          (await get(path, { headers: { 'Accept-Encoding': encoding } })).headers.get('content-encoding'),
          path,
        ).to.equal(encoding);
  });

  it('has the clients as files, of one version, which are asked for again by their ETag', async () => {
    for (const [name, type] of [
      ['counterfoil-client-0.1.0.tgz', 'application/gzip'],
      ['counterfoil-0.1.0-py3-none-any.whl', 'application/zip'],
    ]) {
      const { status, headers } = await get(`/docs/${name}`, { headers: { 'Accept-Encoding': 'br, gzip' } });
      expect([status, headers.get('content-type'), headers.get('content-encoding')]).to.deep.equal([200, type, null]);
      expect(headers.get('cache-control'), name).to.equal('no-cache');
    }
  });

  it('answers HEAD, leads a slash at the end to the page, and has a page for what is not there', async () => {
    const head = await get('/docs', { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
    const slash = await get('/docs/testing/');
    expect([slash.status, slash.headers.get('location')]).to.deep.equal([302, '/docs/testing']);
    for (const path of ['/docs/none', '/docs/assets/none.js', '/docs/../package.json', '/docs/%2e%2e/x']) {
      const missing = await get(path);
      expect(
        [missing.status, path.startsWith('/docs/n') ? (await missing.text()).includes('Page not found') : true],
        path,
      ).to.deep.equal([404, true]);
    }
    expect((await get('/docs', { method: 'POST' })).status).to.equal(404);
  });
});

describe('pages of the documentation that cannot be read', () => {
  it('are read again with the next request', async () => {
    let reads = 0;
    const app = new Koa<FrameState>();
    app.silent = true;
    app.use(
      serveDocs(async () => {
        reads += 1;
        if (reads === 1) throw new Error('too many open files');
        return readWebFiles('docs');
      }),
    );
    const server = createServer(app.callback());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/docs`;
      expect([(await fetch(url)).status, (await fetch(url)).status, (await fetch(url)).status]).to.deep.equal([
        500, 200, 200,
      ]);
      expect(reads).to.equal(2);
    } finally {
      server.close();
    }
  });

  it('are none where nothing was built, and a fault where the folder cannot be read', async () => {
    expect((await readWebFiles('no-such-project')).size).to.equal(0);
    const read = await readWebFiles('docs/index.html').then(
      () => 'read',
      (fault: NodeJS.ErrnoException) => fault.code,
    );
    expect(read).to.equal('ENOTDIR');
  });
});
