// The port of the metrics: its answers, its limits, and `serve` with it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { listen } from '../../src/cli/serve/http-listener.ts';
import { listenForMetrics, type MetricsListener } from '../../src/cli/serve/metrics.ts';
import { MAX_REQUESTS_AHEAD, MAX_UNFINISHED_ANSWERS } from '../../src/http/server.ts';
import { ask } from '../http/frame/serve.ts';
import { until } from '../support/until.ts';
import { parseExposition } from '../telemetry/exposition.ts';
import { firstKeyIn, Place, type Serving } from './processes.ts';

describe('the port of the metrics', () => {
  const faults: unknown[] = [];
  let text: () => Promise<string> = async () => 'a 1\n';
  let listener: MetricsListener;
  let port: number;
  before(async () => {
    const prometheus = { text: () => text(), contentType: 'text/plain; version=0.0.4; charset=utf-8' };
    listener = await listenForMetrics({ host: '127.0.0.1', port: 0 }, prometheus, (fault) => void faults.push(fault), {
      silentMs: 500,
      connections: 4,
    });
    port = Number(new URL(listener.url).port);
  });
  after(() => listener.close());

  it('answers GET and HEAD of /metrics, whatever the query is', async () => {
    const got = await ask(port, { path: '/metrics?name%5B%5D=a' });
    expect([got.status, got.headers['content-type'], got.text]).to.deep.equal([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'a 1\n',
    ]);
    const head = await ask(port, { method: 'HEAD', path: '/metrics' });
    expect([head.status, head.headers['content-length'], head.text]).to.deep.equal([200, '4', '']);
  });

  it('says at / where they are', async () => {
    const { status, text: said } = await ask(port, { path: '/' });
    expect([status, said.trim().split('\n').length]).to.deep.equal([200, 1]);
    expect(said).to.contain('/metrics');
  });

  it('has no other page, and takes no body', async () => {
    for (const path of ['/health/ready', '/payments', '/metrics/', '//metrics', '/openapi.json'])
      expect((await ask(port, { path })).status).to.equal(404);
    const post = await ask(port, { method: 'POST', path: '/metrics', body: 'a' });
    expect([post.status, post.headers.allow]).to.deep.equal([405, 'GET, HEAD']);
  });

  it('answers 500 without the reason when they cannot be collected, and reports it', async () => {
    const before = text;
    const fault = new Error('a secret detail');
    text = () => Promise.reject(fault);
    const { status, text: said } = await ask(port, { path: '/metrics' });
    text = before;
    expect(status).to.equal(500);
    expect(said).not.to.contain('secret');
    expect(faults).to.deep.equal([fault]);
  });

  it('collects them once for all who ask meanwhile, and refuses a connection that is many requests ahead of its answers', async () => {
    const before = text;
    let collected = 0;
    text = async () => {
      collected += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return 'a 1\n';
    };
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(MAX_REQUESTS_AHEAD));
    let answers = '';
    for await (const chunk of socket) answers += String(chunk);
    text = before;
    expect(answers.match(/HTTP\/1\.1 200 OK/g)).to.have.lengthOf(MAX_UNFINISHED_ANSWERS);
    expect(answers.match(/HTTP\/1\.1 429 Too Many Requests/g)).to.have.lengthOf(1);
    expect(collected).to.be.within(1, 10);
  });

  describe('whose clients do not read their answers', () => {
    const large = Buffer.alloc(16 * 1024 * 1024, 'a').toString('latin1');
    /** A listener with room for four clients, all deaf. Answers the status of a fifth; undefined without room. */
    const withDeaf = async (silentMs: number, work: (tried: () => Promise<number | undefined>) => Promise<void>) => {
      const prometheus = { text: async () => large, contentType: 'text/plain' };
      const limits = { silentMs, connections: 4 };
      const full = await listenForMetrics({ host: '127.0.0.1', port: 0 }, prometheus, () => undefined, limits);
      const fullPort = Number(new URL(full.url).port);
      const deaf = Array.from({ length: 4 }, () => connect(fullPort, '127.0.0.1'));
      for (const socket of deaf) socket.on('error', () => undefined).pause();
      await Promise.all(deaf.map((socket) => once(socket, 'connect')));
      for (const socket of deaf) socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
      await work(() =>
        ask(fullPort, { path: '/' })
          .then(({ status }) => status)
          .catch(() => undefined),
      );
      for (const socket of deaf) socket.destroy();
      await full.close();
    };

    // Writing 64 MiB can pause this process for seconds: a short silence would end the four before the fifth comes.
    it('has no room for others while it waits for them', () =>
      withDeaf(600_000, async (tried) => {
        expect(await tried()).to.equal(undefined);
      }));

    it('frees itself of them', () => withDeaf(500, (tried) => until(async () => (await tried()) === 200)));
  });

  it('that another program has is named by its own setting', async () => {
    const other = createServer();
    const taken = Number(new URL(await listen(other, { host: '127.0.0.1', port: 0 })).port);
    const refused = await listenForMetrics(
      { host: '127.0.0.1', port: taken },
      { text, contentType: 'a' },
      () => undefined,
    ).catch((fault: unknown) => String(fault));
    other.close();
    expect(refused).to.contain('COUNTERFOIL_METRICS_PORT').and.to.contain(`127.0.0.1:${taken}`);
  });
});

describe('serve with metrics', () => {
  const place = new Place();
  let serving: Serving;
  let metrics: string;
  before(async function startIt() {
    serving = await place.serve('', { COUNTERFOIL_METRICS_PORT: '0' });
    metrics = '';
    await until(() => {
      [, metrics = ''] = /Metrics at (http:[^"\s]+)/.exec(serving.stderr()) ?? [];
      return metrics !== '';
    });
  });
  after(() => place.remove());

  it('has them on a port of their own, of the process that serves', async () => {
    const key = firstKeyIn(serving.stdout());
    const before = parseExposition(await (await fetch(metrics)).text());
    for (let i = 0; i < 3; i += 1) await fetch(`${serving.url}/payments`, { headers: { 'X-Api-Key': key } });
    const scraped = async () => parseExposition(await (await fetch(metrics)).text());
    let after = await scraped();
    // The first look at the stores is on its way.
    await until(async () => {
      after = await scraped();
      return after.series('counterfoil_store_available').length >= 2;
    });
    const labels = { route: '/payments', method: 'GET', status: '200' };
    const name = 'counterfoil_http_requests_total';
    expect(after.sum(name, labels) - before.sum(name, labels)).to.equal(3);
    expect(after.value('counterfoil_ready')).to.equal(1);
    expect(after.series('counterfoil_store_available').map(({ value }) => value)).to.deep.equal([1, 1]);
    // it was created, and so was the link of its owner
    expect(after.sum('counterfoil_appends_total', { category: 'account', result: 'written' })).to.equal(2);
  });

  it('never has them on its own', async () => {
    expect((await fetch(`${serving.url}/metrics`)).status).to.equal(404);
    expect((await fetch(metrics.replace('/metrics', '/health/live'))).status).to.equal(404);
  });

  it('is refused a port that is taken, and ends', async () => {
    const { code, stderr } = await place.run('serve --port 0', {
      env: { COUNTERFOIL_METRICS_PORT: new URL(metrics).port },
    });
    expect(code).to.equal(1);
    expect(stderr).to.contain('COUNTERFOIL_METRICS_PORT');
  });

  it('ends in order, and leaves no port open', async () => {
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    expect(await fetch(metrics).catch(() => 'closed')).to.equal('closed');
  });
});
