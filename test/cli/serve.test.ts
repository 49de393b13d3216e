import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createSession, firstKeyIn, Place } from './processes.ts';

const FREE_OF_CHOICE = { COUNTERFOIL_LOG_LEVEL: 'warn' };

describe('counterfoil serve', function () {
  this.timeout(30_000);
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.remove());

  it('prints where it listens, a key that works and a request that works when it is pasted', async () => {
    const serving = await place.serve();
    const printed = serving.stdout();
    expect(printed.split('\n')[0]).to.equal(`Listening on ${serving.url}`);
    expect(await createSession(serving.url, firstKeyIn(printed))).to.equal(200);
    const request = printed.slice(printed.indexOf('curl '));
    const { stdout } = await promisify(execFile)('sh', ['-c', request]);
    expect(JSON.parse(stdout)).to.include({ orderId: 'order-1', amount: 5000 }).and.to.have.property('clientToken');
  });

  it('keeps its secret from everybody else', async () => {
    await place.serve();
    expect(statSync(join(place.dir, 'data/secret.key')).mode & 0o777).to.equal(0o600);
    expect(statSync(join(place.dir, 'data')).mode & 0o777).to.equal(0o700);
  });

  it('stops on SIGTERM with 0, and starts again without another account or key', async () => {
    const first = await place.serve();
    const key = firstKeyIn(first.stdout());
    expect(await first.end('SIGTERM')).to.include({ code: 0 });
    const second = await place.serve('', FREE_OF_CHOICE);
    expect(second.stdout()).to.equal(`Listening on ${second.url}\n`);
    expect(await createSession(second.url, key)).to.equal(200);
    expect(await second.end('SIGINT')).to.include({ code: 0, stderr: '' });
  });

  it('has everything that it acknowledged after kill -9', async () => {
    const first = await place.serve();
    const key = firstKeyIn(first.stdout());
    const clientToken = await tokenOf(first.url, key);
    await first.end('SIGKILL');
    const second = await place.serve();
    const response = await fetch(`${second.url}/client-session?clientToken=${clientToken}`, { headers: { 'X-Api-Key': key } });
    expect(response.status).to.equal(200);
    expect(await response.json()).to.include({ orderId: 'kept', amount: 100 });
  });

  it('makes one account and one key when two start at once on nothing', async () => {
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

  it('prints one line with --json', async () => {
    const first = await place.serve('--json');
    const printed = JSON.parse(first.stdout());
    expect(first.stdout().trimEnd()).not.to.contain('\n');
    expect(printed).to.have.all.keys('url', 'accountId', 'keyId', 'key');
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
    expect(stderr).to.match(new RegExp(`^Another program listens on 127.0.0.1:${port} already`));
    expect(firstKeyIn((await place.serve()).stdout())).to.match(/^cf_test_/);
  });

  it('exits 2 on settings that it cannot start with, and names them', async () => {
    expect(await place.run('serve --port no'))
      .to.include({ code: 2, stdout: '' })
      .and.to.have.property('stderr')
      .that.contains('--port is "no"');
    const live = await place.run('serve --port 0', { env: { COUNTERFOIL_MODE: 'live' } });
    expect(live).to.include({ code: 2 }).and.to.have.property('stderr').that.contains('COUNTERFOIL_SECRET is not set');
    const host = await place.run('serve --port 0 --host 192.0.2.1');
    expect(host).to.include({ code: 2 }).and.to.have.property('stderr').that.contains('COUNTERFOIL_HOST is "192.0.2.1"');
  });

  it('does not open a store of the other mode, with another secret, or whose secret is lost', async () => {
    await (await place.serve()).end('SIGTERM');
    const secret = { COUNTERFOIL_SECRET: 'A'.repeat(43) };
    expect(await place.run('serve --port 0', { env: secret })).to.include({ code: 2 });
    writeFileSync(join(place.dir, 'data/secret.key'), 'not a secret');
    expect(await place.run('serve --port 0')).to.include({ code: 2 });
    rmSync(join(place.dir, 'data/secret.key'));
    const lost = await place.run('serve --port 0');
    expect(lost).to.include({ code: 2 }).and.to.have.property('stderr').that.contains('The secret of the store');
  });

  it('refuses in live mode a store that was made for tests', async () => {
    const secret = { COUNTERFOIL_SECRET: 'A'.repeat(43) };
    await (await place.serve('', secret)).end('SIGTERM');
    const live = await place.run('serve --port 0 --mode live', { env: secret });
    expect(live).to.include({ code: 2 }).and.to.have.property('stderr').that.contains('test mode');
  });

  it('finishes the request that runs when it is told to stop', async () => {
    const serving = await place.serve();
    const key = firstKeyIn(serving.stdout());
    const running = Array.from({ length: 20 }, () => createSession(serving.url, key));
    await running[0];
    const ended = serving.end('SIGTERM');
    const answers = await Promise.allSettled(running);
    // Connections that had been accepted are answered; none is cut off in the middle.
    expect(answers.filter((one) => one.status === 'fulfilled').map((one) => one.value)).to.satisfy((all: readonly number[]) =>
      all.every((status) => status === 200),
    );
    expect(await ended).to.include({ code: 0 });
  });
});

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
