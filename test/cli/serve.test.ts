// counterfoil serve: its start, its settings and its end.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { compiledMain, quickMain } from './built.ts';
import { createSession, firstKeyIn, Place } from './processes.ts';

const FREE_OF_CHOICE = { COUNTERFOIL_LOG_LEVEL: 'warn' };

describe('counterfoil serve', () => {
  let main = quickMain;
  let place: Place;
  beforeEach(() => {
    place = new Place(main());
  });
  afterEach(() => place.remove());

  // The others start the same program from its bundle, which is quicker.
  describe('as users start it', () => {
    before(() => {
      main = compiledMain;
    });
    after(() => {
      main = quickMain;
    });

    it('prints where it listens, a key that works and a request that works when it is pasted; its secret is its own', async () => {
      const serving = await place.serve();
      const printed = serving.stdout();
      expect(printed.split('\n')[0]).to.equal(`Listening on ${serving.url}`);
      expect(await createSession(serving.url, firstKeyIn(printed))).to.equal(200);
      // No other user of the machine may read the secret.
      expect(statSync(join(place.dir, 'data/secret.key')).mode & 0o777).to.equal(0o600);
      expect(statSync(join(place.dir, 'data')).mode & 0o777).to.equal(0o700);
      const pasted = printed.slice(printed.indexOf('curl '));
      const { stdout } = await promisify(execFile)('sh', ['-c', pasted]);
      expect(JSON.parse(stdout)).to.include({ orderId: 'order-1', amount: 5000 }).and.to.have.property('clientToken');
    });

    it('says where the API is described, on stderr', async () => {
      const serving = await place.serve();
      const { stderr } = await serving.end('SIGTERM');
      expect(stderr).to.contain(`Documentation: ${serving.url}/docs, the API: ${serving.url}/docs/api`);
      expect(serving.stdout()).not.to.contain('/docs');
    });

    it('stops on SIGTERM with 0, and starts again without another account or key', async () => {
      const first = await place.serve();
      const key = firstKeyIn(first.stdout());
      expect(await first.end('SIGTERM')).to.include({ code: 0 });
      const second = await place.serve('', FREE_OF_CHOICE);
      expect(second.stdout()).to.match(/^Listening on \S+\nDashboard: \S+\n$/);
      expect(await createSession(second.url, key)).to.equal(200);
      expect(await second.end('SIGINT')).to.include({ code: 0, stderr: '' });
    });
  });

  for (const command of ['', '--workers 2'])
    it(`is not ready, and serves all the same, for the seconds that are set before it stops ${command}`, async () => {
      const serving = await place.serve(command, { ...FREE_OF_CHOICE, COUNTERFOIL_UNREADY_SECONDS: '5' });
      const key = firstKeyIn(serving.stdout());
      const health = async () => {
        const answer = await fetch(`${serving.url}/health/ready`);
        return { status: answer.status, text: await answer.text() };
      };
      await until(async () => (await health()).status === 200);
      const ending = serving.end('SIGTERM');
      let last = { status: 0, text: '' }; // the other worker may hear of it a moment later
      await until(async () => {
        last = await health();
        return last.status === 503;
      });
      expect(last.text).to.contain('the node is stopping');
      expect(await createSession(serving.url, key)).to.equal(200);
      expect(await ending).to.include({ code: 0 });
      expect(await fetch(serving.url).catch(() => 'closed')).to.equal('closed');
    });

  it('has everything that it acknowledged after kill -9', async () => {
    const first = await place.serve();
    const key = firstKeyIn(first.stdout());
    const clientToken = await tokenOf(first.url, key);
    await first.end('SIGKILL');
    const second = await place.serve();
    const response = await fetch(`${second.url}/client-session?clientToken=${clientToken}`, {
      headers: { 'X-Api-Key': key },
    });
    expect(response.status).to.equal(200);
    expect(await response.json()).to.include({ orderId: 'kept', amount: 100 });
  });

  it('makes one account and one key when two start at once without stores', async () => {
    const both = await Promise.all([place.serve(), place.serve()]);
    expect(both.filter((one) => one.stdout().includes('API key:'))).to.have.length(1);
    expect(await place.json('accounts list'))
      .to.have.property('data')
      .with.length(1);
    expect(await place.json('keys list'))
      .to.have.property('data')
      .with.length(2); // the first key and the sandbox's
    const key = firstKeyIn(both.map((one) => one.stdout()).join(''));
    expect(await Promise.all(both.map((one) => createSession(one.url, key)))).to.deep.equal([200, 200]);
  });

  it('is not ready before the first start has printed its key', async () => {
    const port = await freePort();
    const started = place.run(`serve --port ${port}`);
    const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 200;
    await until(() => isReady().catch(() => false));
    await place.remove(); // it ends at once: all that it wrote was written before the answer
    expect((await started).stdout).to.match(/^API key: cf_test_/m);
  });

  it('prints one line with --json', async () => {
    const first = await place.serve('--json');
    const printed = JSON.parse(first.stdout());
    expect(first.stdout().trimEnd()).not.to.contain('\n');
    expect(printed).to.have.all.keys('url', 'accountId', 'keyId', 'key', 'dashboardLink');
    expect(await createSession(printed.url, printed.key)).to.equal(200);
  });

  it('says which port is taken, and exits 1 without having made anything', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { code, stdout, stderr } = await place.run(`serve --port ${port}`);
    other.close();
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.match(new RegExp(`^Another program already listens on 127.0.0.1:${port}\\.`));
    expect(firstKeyIn((await place.serve()).stdout())).to.match(/^cf_test_/);
  });

  it('exits 2 on settings that it cannot start with, and names them', async () => {
    const [port, live, host] = await Promise.all([
      place.run('serve --port no'),
      place.run('serve --port 0', { env: { COUNTERFOIL_MODE: 'live' } }),
      place.run('serve --port 0 --host 192.0.2.1'),
    ]);
    expect(port).to.include({ code: 2, stdout: '' }).and.to.have.property('stderr').that.contains('--port is "no"');
    expect(live).to.include({ code: 2 }).and.to.have.property('stderr').that.contains('COUNTERFOIL_SECRET is not set');
    expect(host)
      .to.include({ code: 2 })
      .and.to.have.property('stderr')
      .that.contains('COUNTERFOIL_HOST is "192.0.2.1"');
  });

  it('does not open a store of the other mode, with another secret, or whose secret is lost', async () => {
    await (await place.serve()).end('SIGTERM');
    const secret = readFileSync(join(place.dir, 'data/secret.key'), 'utf8').trim();
    const live = await place.run('serve --port 0 --mode live', { env: { COUNTERFOIL_SECRET: secret } });
    expect(live).to.include({ code: 2 }).and.to.have.property('stderr').that.contains('created in test mode');
    expect(await place.run('serve --port 0', { env: { COUNTERFOIL_SECRET: 'A'.repeat(43) } })).to.include({ code: 2 });
    writeFileSync(join(place.dir, 'data/secret.key'), 'not a secret');
    expect(await place.run('serve --port 0')).to.include({ code: 2 });
    rmSync(join(place.dir, 'data/secret.key'));
    const lost = await place.run('serve --port 0');
    expect(lost).to.include({ code: 2 }).and.to.have.property('stderr').that.contains('The secret of the store');
  });

  it('finishes the request that runs when it is told to stop, and takes no other', async () => {
    const serving = await place.serve();
    const key = firstKeyIn(serving.stdout());
    const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json', Expect: '100-continue' };
    const running = request(`${serving.url}/client-session`, { method: 'POST', headers });
    running.flushHeaders();
    await once(running, 'continue'); // the service has the request, and waits for its body
    const ended = serving.end('SIGTERM');
    await untilRefused(serving.url);
    running.end('{"orderId":"late","currencyCode":"EUR","amount":100}');
    const [answer]: IncomingMessage[] = await once(running, 'response');
    expect(answer?.statusCode).to.equal(200);
    answer?.resume();
    expect(await ended).to.include({ code: 0 });
  });
});

/** Until new connections are refused; accepted requests go on. */
async function untilRefused(url: string): Promise<void> {
  const refused = () =>
    fetch(`${url}/health/live`).then(
      () => false,
      () => true,
    );
  await until(refused);
}

async function tokenOf(url: string, key: string): Promise<string> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/client-session`, {
    method: 'POST',
    headers,
    body: '{"orderId":"kept","currencyCode":"EUR","amount":100}',
  });
  const { clientToken }: { readonly clientToken: string } = JSON.parse(await response.text());
  return clientToken;
}
