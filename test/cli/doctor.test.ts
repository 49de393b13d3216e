// counterfoil doctor, its checks, and the lines that a start writes for what they find.
import { once } from 'node:events';
import { chown, mkdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  checkClock,
  checkConservation,
  checkDataDir,
  checkKeys,
  checkMemory,
  checkOpenFiles,
  checkPublicUrl,
  checkRetention,
  checkTls,
  checkTrustedProxies,
  staleRules,
} from '../../src/cli/doctor/checks.ts';
import { askPublicUrl } from '../../src/cli/doctor/examine.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { REVIEW_BY } from '../../src/domain/retry-ledger/network-rules.ts';
import { formatTime } from '../../src/world.ts';
import { calmWorld } from '../support/calm-world.ts';
import { freePort } from '../support/free-port.ts';
import { leaveOut } from '../support/left-out.ts';
import { until } from '../support/until.ts';
import { Place } from './processes.ts';

const SECRET = Buffer.alloc(32, 6).toString('base64url');
const configOf = (env: { readonly [variable: string]: string } = {}): Config => readConfig({}, env);
const live = { COUNTERFOIL_MODE: 'live', COUNTERFOIL_SECRET: SECRET, COUNTERFOIL_PUBLIC_URL: 'https://pay.example' };
const findings = ({
  isFine,
  sentences,
}: {
  readonly isFine: boolean;
  readonly sentences: readonly string[];
}): readonly string[] => (isFine ? [] : sentences);

describe('counterfoil doctor', () => {
  let place: Place;
  const servers: Server[] = [];
  beforeEach(() => {
    place = new Place();
  });
  afterEach(async () => {
    await place.remove();
    for (const server of servers.splice(0)) server.close();
  });
  const answering = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  };

  /** Without the warning that comes with a date, which is never a failing test. */
  const doctor = async (flags = '', options: Parameters<Place['run']>[1] = {}) => {
    const ran = await place.run(`doctor ${flags}`.trim(), options);
    return { ...ran, stderr: ran.stderr.replace(/^.*The card networks' rules .*\n/m, '') };
  };

  it('finds nothing wrong beside a service that was just started: 0, in 80 columns', async () => {
    await place.serve();
    const ran = await doctor('', { env: { COUNTERFOIL_URL: 'http://127.0.0.1:4000' } });
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout).to.match(/^CHECK +OK +FINDING\n/);
    expect(Math.max(...ran.stdout.split('\n').map((line) => line.length))).to.be.at.most(80);
    expect(await place.json('doctor'))
      .to.have.property('data')
      .that.satisfies((rows: readonly { readonly ok: boolean }[]) => rows.length === 12 && rows.every(({ ok }) => ok));
  });

  it('uses the stores as requests do: a read model that cannot be written is named', async () => {
    const serving = await place.serve();
    await serving.end('SIGTERM');
    const file = join(place.dir, 'data/read-models.payments.1.db');
    await rm(file);
    await mkdir(file);
    const { code, stdout } = await place.run('doctor --json');
    const {
      data,
    }: { readonly data: readonly { readonly check: string; readonly ok: boolean; readonly says: string }[] } =
      JSON.parse(stdout);
    expect([code, data.filter(({ ok }) => !ok).map(({ check }) => check)]).to.deep.equal([1, ['stores']]);
    expect(data.find(({ ok }) => !ok)?.says).to.match(/^payments can be neither read nor written: /);
  });

  it('names files that the owner of the directory cannot open', async () => {
    if (process.geteuid?.() !== 0) leaveOut('only root gives files to others');
    const serving = await place.serve();
    await serving.end('SIGTERM');
    await chown(join(place.dir, 'data'), 12_345, 12_345);
    const { code, stdout } = await place.run('doctor --json');
    expect(code).to.equal(1);
    expect(stdout).to.match(/and \d+ more in \S*data belong to another user than the directory/);
  });

  it('makes no store where no service was started, and says no more of the clock than it knows', async () => {
    expect(await doctor()).to.include({ code: 0, stderr: '' });
    expect(await place.run('audit streams')).to.include({ code: 2 });
  });

  it('exits 1 when a check found something, and says it in each form', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const ran = await doctor(`--public-url ${nobody} --trusted-proxies 0.0.0.0/0`);
    expect(ran).to.include({ code: 1, stderr: '' });
    const json = await doctor(`--public-url ${nobody} --json`);
    expect(json).to.include({ code: 1, stderr: '' });
    const {
      data,
    }: { readonly data: readonly { readonly check: string; readonly ok: boolean; readonly says: string }[] } =
      JSON.parse(json.stdout);
    expect(data.filter(({ ok }) => !ok).map(({ check }) => check)).to.deep.equal(['publicUrl']);
    expect(data[0]?.says).to.match(
      /^COUNTERFOIL_PUBLIC_URL is http:\/\/127\.0\.0\.1:\d+, which does not respond to this machine: .*ECONNREFUSED/,
    );
  });

  it('says that a log which cannot be read cannot be compared with the clock', async () => {
    const ran = await place.run('doctor --store-wait 0 --event-store esdb://127.0.0.1:1?tls=false');
    expect(ran).to.include({ code: 1 });
    expect(ran.stdout.replaceAll(/\s+/g, ' ')).to.contain(
      'The clock cannot be compared with the log: The event store esdb://127.0.0.1:1',
    );
  });

  it('is done at a start: one warning for each finding, after the address, and none for what is fine', async () => {
    const url = await answering(
      (_, response) => void response.writeHead(301, { Location: 'https://pay.example/health/live' }).end(),
    );
    const serving = await place.serve(`--public-url ${url} --trusted-proxies 0.0.0.0/0 --log-level warn`);
    const proxies = (): readonly string[] =>
      serving
        .stderr()
        .split('\n')
        .filter((line) => line.includes('COUNTERFOIL_TRUSTED_PROXIES has'));
    await until(() => proxies().length > 0);
    expect(proxies()).to.have.length(1);
    expect(await serving.end('SIGTERM')).to.include({ code: 0 }); // it does not wait for the public URL
  });

  describe('asks the public URL', () => {
    const { signal } = new AbortController();
    const ask = (url: string, patienceMs = 0) => askPublicUrl(calmWorld, url, patienceMs, signal);

    it('and knows a Counterfoil, with the time of its clock', async () => {
      const url = await answering(
        (_, response) => void response.setHeader('Date', 'Tue, 24 Nov 2026 06:45:45 GMT').end('{"status":"live"}'),
      );
      const answer = await ask(url);
      expect(answer.kind === 'counterfoil' ? formatTime(answer.date ?? 0) : answer).to.equal(
        '2026-11-24T06:45:45.000Z',
      );
    });

    it('and tells another program, a redirect and nobody from it', async () => {
      const other = await answering((_, response) => void response.end('<html>'));
      const moved = await answering(
        (_, response) => void response.writeHead(308, { Location: 'https://pay.example/health/live' }).end(),
      );
      expect(await ask(other)).to.deep.equal({ kind: 'other', what: 'GET /health/live is 200' });
      expect(await ask(moved)).to.deep.equal({ kind: 'moved', to: 'https://pay.example' });
      expect(await ask(`http://127.0.0.1:${await freePort()}`)).to.include({ kind: 'unreachable' });
      expect(await ask('http://nowhere.invalid')).to.include({ kind: 'unreachable' });
    });

    it('again while a proxy sends nothing to a node that has just started', async () => {
      let asked = 0;
      const url = await answering((_, response) => {
        asked += 1;
        response.statusCode = asked === 1 ? 503 : 200;
        response.end(asked === 1 ? 'no server' : '{"status":"live"}');
      });
      expect(await ask(url, 30_000)).to.include({ kind: 'counterfoil' });
    });
  });

  describe('finds', () => {
    const found = { kind: 'counterfoil', date: undefined } as const;

    it('a data directory on a network file system', () => {
      const [nfs, cifs, ext4] = [0x6969, 0xff534d42, 0xef53];
      expect(findings(checkDataDir(configOf({ COUNTERFOIL_DATA_DIR: '/srv/data' }), nfs)).join()).to.match(
        /^COUNTERFOIL_DATA_DIR is \/srv\/data, on NFS: /,
      );
      expect(findings(checkDataDir(configOf(), cifs))).to.have.length(1);
      for (const fine of [ext4, undefined]) expect(findings(checkDataDir(configOf(), fine))).to.deep.equal([]);
    });

    it('warns of rules of the card networks that are to be read again, and of nothing before', () => {
      const day = Date.parse(REVIEW_BY);
      expect(staleRules(day - 1)).to.deep.equal([]);
      expect(staleRules(day).join()).to.include('They stay in force');
    });

    it('retention: shows the four settings', () => {
      expect(checkRetention(configOf()).sentences).to.deep.equal([
        'Idempotency keys: 30 days, requests: 30 days, deliveries: 90 days, expired sign-ins: 30 days.',
      ]);
      const set = configOf({ COUNTERFOIL_IDEMPOTENCY_DAYS: '60', COUNTERFOIL_DELIVERY_DAYS: 'forever' });
      expect(checkRetention(set).sentences.join()).to.contain('keys: 60 days').and.contain('deliveries: kept for ever');
    });

    it('keys that are not those of the log, and money that is not conserved', () => {
      expect(findings(checkKeys({ fault: 'The key store is older.' }))).to.deep.equal(['The key store is older.']);
      for (const fine of ['none', 'closed', 'fits'] as const) expect(findings(checkKeys(fine))).to.deep.equal([]);
      expect(findings(checkConservation(2)).join()).to.contain('2 payments have more captured than authorized');
      for (const fine of [0, undefined]) expect(findings(checkConservation(fine))).to.deep.equal([]);
    });

    it('a public URL that only containers know, and none where others reach the service', () => {
      const containers = configOf({ COUNTERFOIL_PUBLIC_URL: 'http://balancer:4000' });
      expect(findings(checkPublicUrl(containers, found)).join()).to.contain(
        'a name without a dot works only on its own network',
      );
      expect(findings(checkPublicUrl(configOf({ COUNTERFOIL_HOST: '0.0.0.0' }), undefined)).join()).to.contain(
        'is not set',
      );
      for (const url of ['http://localhost:4000', 'https://pay.example', 'http://[::1]:4000'])
        expect(findings(checkPublicUrl(configOf({ COUNTERFOIL_PUBLIC_URL: url }), found)), url).to.deep.equal([]);
      expect(findings(checkPublicUrl(configOf(), undefined))).to.deep.equal([]);
    });

    it('trusted networks that hold more than proxies: the own network, or tens of thousands of addresses', () => {
      const networks = ['172.18.0.3/16', '10.0.0.9/32', 'fd00::5/64'];
      const of = (proxies: string): readonly string[] =>
        findings(checkTrustedProxies(configOf({ COUNTERFOIL_TRUSTED_PROXIES: proxies }), networks));
      expect(of('172.16.0.0/12,192.168.0.0/15')).to.have.length(2);
      expect(of('172.16.0.0/12').join()).to.contain('the whole network of this machine (172.18.0.3/16)');
      expect(of('192.168.0.0/15').join()).to.contain('131,072 addresses');
      expect(of('fd00::/48').join()).to.contain('fd00::5/64');
      expect(of('172.18.0.2,10.0.0.0/24,fd00::1')).to.deep.equal([]);
    });

    it('a proxy in front that is not trusted', () => {
      expect(findings(checkTrustedProxies(configOf(live), [])).join()).to.contain('there is a proxy in front');
    });

    it('too little memory for all workers, and too few files', () => {
      const two = configOf({ COUNTERFOIL_WORKERS: '2' });
      expect(findings(checkMemory(two, 1_024 * 1_048_576))).to.deep.equal([
        'This machine or container has 1024 MiB of memory: 2 workers may need 1536 MiB.',
      ]);
      expect(findings(checkMemory(configOf(), 1_024 * 1_048_576))).to.deep.equal([]);
      expect(findings(checkOpenFiles(configOf(live), 4_096))).to.have.length(1);
      expect(findings(checkOpenFiles(configOf(), 4_096))).to.deep.equal([]); // a trial on one machine
      expect(findings(checkOpenFiles(configOf(), 256))).to.have.length(1);
      expect(findings(checkOpenFiles(configOf(live), undefined))).to.deep.equal([]);
    });

    it('what is not encrypted in live mode, and a certificate that is not accepted', () => {
      expect(
        findings(checkTls(configOf({ ...live, COUNTERFOIL_PUBLIC_URL: 'http://pay.example' }), found)),
      ).to.have.length(1);
      expect(
        findings(checkTls(configOf(live), { kind: 'untrusted', why: 'certificate has expired' })).join(),
      ).to.contain('has expired');
      const stores = (events: string, models: string): readonly string[] =>
        findings(
          checkTls(configOf({ ...live, COUNTERFOIL_EVENT_STORE: events, COUNTERFOIL_READ_MODELS: models }), found),
        );
      expect(stores('esdb://a:1,b:2?tls=false', 'mongodb://c:3/db?replicaSet=r')).to.have.length(2);
      expect(stores('esdb://user:pw@a:1', 'mongodb://c:3/db?replicaSet=r&tls=true')).to.deep.equal([]);
      expect(stores('esdb://127.0.0.1:1?tls=false', 'mongodb+srv://c.example/db')).to.deep.equal([]);
    });

    it('a clock that is a minute apart from the log or from the public URL', () => {
      const clocks = { now: 1_000_000, newest: 1_000_000, machineNow: 5_000_000 };
      expect(findings(checkClock(clocks, { kind: 'counterfoil', date: 5_030_000 }))).to.deep.equal([]);
      expect(findings(checkClock({ ...clocks, newest: 1_090_000 }, undefined)).join()).to.contain('90 s');
      expect(findings(checkClock(clocks, { kind: 'counterfoil', date: 4_900_000 })).join()).to.contain('100 s faster');
    });
  });
});
