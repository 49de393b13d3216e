// counterfoil serve --workers: several processes on one port, with one start, one set of limits and metrics, and one end.
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { loggedRequests } from '../../src/projections/models/request-log.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { calmWorld } from '../support/calm-world.ts';
import { until } from '../support/until.ts';
import { parseExposition } from '../telemetry/exposition.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { firstKeyIn, Place, type Serving } from './processes.ts';

/** Much longer than an answer takes, and shorter than the time that a worker gives to requests which run (10 s). */
const ANSWERED_WITHIN_MS = 3_000;

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A request on a connection of its own, which a worker gets in its turn; rejects when the connection ends without an answer. */
function ask(url: string, path: string, headers: { readonly [name: string]: string } = {}, body?: object): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const text = body === undefined ? '' : JSON.stringify(body);
    const asked = request(
      {
        hostname,
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        headers: { 'Content-Type': 'application/json', ...headers },
      },
      (answer) => {
        let got = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          got += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: got }));
        answer.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(text);
  });
}

const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));

/** The workers' processes as the supervisor has told them last, by their numbers. */
function workersOf(serving: Serving): ReadonlyMap<number, number> {
  const [, first = ''] = /workers answer: processes ([\d, ]+)\./.exec(serving.stderr()) ?? [];
  const pids = new Map(first.split(', ').map((pid, place) => [place + 1, Number(pid)]));
  for (const [, number, pid] of serving.stderr().matchAll(/Worker (\d+) answers again: process (\d+)/g))
    pids.set(Number(number), Number(pid));
  return pids;
}

const started = async (place: Place, flags = '', env: { readonly [variable: string]: string } = {}): Promise<Serving> => {
  const serving = await place.serve(`--workers 2 ${flags}`, env);
  await until(() => serving.stderr().includes('workers answer'));
  return serving;
};
const pidOf = (serving: Serving, number: number): number => {
  const pid = workersOf(serving).get(number);
  if (pid === undefined) throw new Error(`no worker ${number}: ${serving.stderr()}`);
  return pid;
};
const isReplaced = (serving: Serving, number: number, pid: number): Promise<void> =>
  until(() => serving.stderr().includes(`Worker ${number} answers again`) && pidOf(serving, number) !== pid);
const session = (url: string, key: string, orderId: string, more: { readonly [name: string]: string } = {}): Promise<Answered> =>
  ask(url, '/client-session', { 'X-Api-Key': key, ...more }, { orderId, currencyCode: 'EUR', amount: 100 });
/** The workers that answered requests, by the log. */
const answeredBy = (serving: Serving): ReadonlySet<string> =>
  new Set([...serving.stderr().matchAll(/"worker":(\d+),"requestId".*"msg":"request"/g)].map(([, worker = '']) => worker));

describe('counterfoil serve --workers', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.remove());

  it('answers with each of its processes on one port, after one first start', async () => {
    const serving = await started(place);
    const printed = serving.stdout();
    expect(printed.match(/^Listening on /gm)).to.have.length(1);
    expect(printed.match(/^API key: /gm)).to.have.length(1);
    const answers = await times(8, (index) => session(serving.url, firstKeyIn(printed), `o-${index}`));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 8 }, () => 200));
    expect([...answeredBy(serving)].sort()).to.deep.equal(['1', '2']);
    expect((await ask(serving.url, '/health/ready')).status).to.equal(200);
    expect(await place.json('accounts list'))
      .to.have.property('data')
      .with.length(1);
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
  });

  it('prints one line with --json', async () => {
    const serving = await started(place, '--json');
    expect(JSON.parse(serving.stdout())).to.have.all.keys('url', 'accountId', 'keyId', 'key', 'dashboardLink');
    expect((await ask(serving.url, '/health/ready')).status).to.equal(200);
  });

  it('reads in every process what one of them wrote', async () => {
    const serving = await started(place);
    const key = firstKeyIn(serving.stdout());
    for (let index = 0; index < 20; index += 1) {
      const { clientToken } = JSON.parse((await session(serving.url, key, `o-${index}`)).text);
      const read = await times(2, () => ask(serving.url, `/client-session?clientToken=${clientToken}`, { 'X-Api-Key': key }));
      for (const { text } of read) expect(JSON.parse(text)).to.include({ orderId: `o-${index}` });
    }
  });

  it('loses and doubles nothing when a worker is killed under load, and replaces it', async () => {
    const serving = await started(place, '--rate-limit 0');
    const key = firstKeyIn(serving.stdout());
    const pid = pidOf(serving, 1);
    let isOver = false;
    let made = 0;
    let broken = 0;
    const pay = async (client: number): Promise<void> => {
      for (let index = 0; !isOver; index += 1) {
        const name = `${client}-${index}`;
        const repeated = async (
          path: string,
          headers: { readonly [name: string]: string },
          body: object,
        ): Promise<{ readonly [name: string]: string }> => {
          for (;;) {
            const answer = await ask(serving.url, path, { 'X-Idempotency-Key': `${path}-${name}`, ...headers }, body).catch(
              () => undefined,
            );
            if (answer === undefined) broken += 1;
            else if (answer.status < 300) return JSON.parse(answer.text);
            else if (answer.status !== 409) throw new Error(`${path}: ${answer.status} ${answer.text}`);
            else if (isOver) return {}; // its outcome is looked up below
          }
        };
        const { clientToken = '' } = await repeated(
          '/client-session',
          { 'X-Api-Key': key },
          { orderId: name, currencyCode: 'EUR', amount: 100 },
        );
        const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
        const { token = '' } = await repeated('/checkout/payment-instruments', { 'X-Client-Token': clientToken }, { card });
        await repeated('/payments', { 'X-Api-Key': key }, { clientToken, paymentMethodToken: token });
        made += 1;
      }
    };
    const load = times(8, pay);
    await until(() => made > 20);
    process.kill(pid, 'SIGKILL');
    await isReplaced(serving, 1, pid);
    const before = made;
    await until(() => made > before + 20);
    isOver = true;
    await load;
    expect(broken).to.be.above(0);
    expect(broken).to.be.below(60);
    await settled(place);
    const diff = await place.run('sandbox diff');
    expect(diff, diff.stdout).to.include({ code: 0 });
    const listed = (await place.run('audit streams --prefix payment- --json')).stdout;
    const streams: { readonly data: readonly unknown[] } = JSON.parse(listed);
    expect(streams.data.length).to.be.within(made - 8, made);
    expect(serving.stderr()).to.contain('Worker 1 ended by SIGKILL; another takes its place');
  });

  it('passes a connection on that a killed worker was handed and never took', async () => {
    const serving = await started(place);
    const pid = pidOf(serving, 2);
    process.kill(pid, 'SIGSTOP');
    const answers = times(4, () => ask(serving.url, '/health/live'));
    await until(() => (serving.stderr().match(/"msg":"request"/g) ?? []).length >= 3); // the fourth is the paused worker's
    process.kill(pid, 'SIGKILL');
    expect((await answers).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
  });

  it('replaces a worker that is told to stop, which finishes its requests', async () => {
    const serving = await started(place);
    const [first, second] = [pidOf(serving, 1), pidOf(serving, 2)];
    const running = await begun(serving);
    for (const pid of [first, second]) process.kill(pid, 'SIGTERM');
    await until(() => (serving.stderr().match(/"worker":\d,"msg":"stopping"/g) ?? []).length === 2);
    expect(await running.finish()).to.equal(200);
    await Promise.all([isReplaced(serving, 1, first), isReplaced(serving, 2, second)]);
    expect(serving.stderr()).to.contain('ended with exit code 0; another takes its place');
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
  });

  it('keeps its port when all workers die at once', async () => {
    const serving = await started(place);
    const pids = [1, 2].map((number) => pidOf(serving, number));
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await Promise.all(pids.map((pid, place) => isReplaced(serving, place + 1, pid)));
    expect((await ask(serving.url, '/health/ready')).status).to.equal(200);
  });

  it('goes on with the others while a worker cannot start, and tries it again after growing pauses', async () => {
    const serving = await started(place);
    const pid = pidOf(serving, 2);
    const secret = join(place.dir, 'data/secret.key');
    renameSync(secret, `${secret}.away`);
    process.kill(pid, 'SIGKILL');
    const pauses = (): readonly number[] =>
      [...serving.stderr().matchAll(/takes its place in ([\d.]+) s/g)].map(([, pause]) => Number(pause));
    await until(() => pauses().length >= 3);
    expect(pauses().slice(0, 3)).to.deep.equal([0.25, 0.5, 1]);
    expect((await ask(serving.url, '/health/ready')).status).to.equal(200);
    renameSync(`${secret}.away`, secret);
    await isReplaced(serving, 2, pid);
    expect((await ask(serving.url, '/health/ready')).status).to.equal(200);
  });

  it('ends as one process does on a port that is taken or wrong, and on a store that it cannot open: one message, and no other try', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    writeFileSync(
      join(place.dir, 'none.db'),
      'this is no store, but a text that is long enough for the head of a file of a database'.repeat(20),
    );
    const env = { COUNTERFOIL_SECRET: 'A'.repeat(43) };
    const [taken, wrong, metrics, store] = await Promise.all([
      place.run(`serve --workers 2 --port ${port}`),
      place.run('serve --workers none'),
      place.run(`serve --workers 2 --port 0 --metrics-port ${port}`),
      place.run('serve --workers 2 --port 0 --event-store sqlite:none.db', { env }),
    ]);
    other.close();
    expect(taken).to.include({ code: 1, stdout: '' });
    expect(taken.stderr).to.equal(
      `Another program listens on 127.0.0.1:${port} already. Stop it, or take another port: --port or COUNTERFOIL_PORT (0: a free one).\n`,
    );
    expect(wrong).to.include({ code: 2, stderr: '--workers is "none": allowed is a whole number from 1 to 64, or max.\n' });
    expect(metrics).to.include({ code: 1, stdout: '' });
    expect(metrics.stderr).to.match(/^Another program listens on /);
    const alone = await place.run('serve --port 0 --event-store sqlite:none.db', { env });
    expect(store).to.deep.equal(alone);
    expect(store.code).to.equal(3);
  });

  it('finishes the requests that run when it is told to stop, and takes no other', async () => {
    const serving = await started(place);
    const running = [await begun(serving), await begun(serving)];
    const ended = serving.end('SIGTERM');
    await untilRefused(serving.url);
    expect(await Promise.all(running.map(({ finish }) => finish()))).to.deep.equal([200, 200]);
    expect(await ended).to.include({ code: 0 });
  });

  it('leaves no worker running when it is killed, and its workers finish their requests', async () => {
    const serving = await started(place);
    const running = [await begun(serving), await begun(serving)];
    const ended = serving.end('SIGKILL'); // resolves when no process holds its output any more
    await untilRefused(serving.url);
    expect(await Promise.all(running.map(({ finish }) => finish()))).to.deep.equal([200, 200]);
    expect(await ended).to.include({ code: null });
  });

  it('counts requests a second, tokenizations and sign-ins over all workers', async () => {
    const serving = await started(place, '--rate-limit 10');
    const key = firstKeyIn(serving.stdout());
    const admitted = await inOneSecond(() => times(40, () => ask(serving.url, '/client-session?clientToken=none', { 'X-Api-Key': key })));
    expect(admitted.filter(({ status }) => status !== 429)).to.have.length(10);
    expect(answeredBy(serving).size).to.equal(2);
    await inOneSecond(async () => []);
    const { clientToken } = JSON.parse((await session(serving.url, key, 'o')).text);
    const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
    const made: number[] = [];
    // Nine at a time: the session's own requests a second are limited too. All of them count, also those of a second that was too short.
    while (made.length < 40)
      await inOneSecond(async () => {
        const some = await times(9, () => ask(serving.url, '/checkout/payment-instruments', { 'X-Client-Token': clientToken }, { card }));
        made.push(...some.map(({ status }) => status));
      });
    expect(made.filter((status) => status === 200)).to.have.length(30);
    const signIns = await times(14, () =>
      ask(serving.url, '/dashboard/api/sign-in', { 'X-Csrf': '1' }, { email: 'a@example.org', password: 'wrong wrong' }),
    );
    expect(
      signIns.filter(({ status }) => status !== 429),
      signIns[0]?.text,
    ).to.have.length(10);
  });

  it('delivers every message, and logs the requests of all workers', async () => {
    const receiver = await openReceiver();
    const serving = await started(place, '--json');
    const { key, accountId } = z.object({ key: z.string(), accountId: z.string() }).parse(JSON.parse(serving.stdout()));
    await place.json(`webhooks endpoints add --url ${receiver.url} --events PAYMENT.STATUS`);
    const { clientToken } = JSON.parse((await session(serving.url, key, 'first')).text);
    const PAYMENTS = 8;
    const statuses = await times(PAYMENTS, async (index) => {
      const made = JSON.parse((await session(serving.url, key, `o-${index}`)).text);
      const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
      const token = JSON.parse(
        (await ask(serving.url, '/checkout/payment-instruments', { 'X-Client-Token': made.clientToken }, { card })).text,
      );
      const body = { clientToken: made.clientToken, paymentMethodToken: token.token };
      return (await ask(serving.url, '/payments', { 'X-Api-Key': key }, body)).status;
    });
    expect(statuses).to.deep.equal(Array.from({ length: PAYMENTS }, () => 200));
    const listed = z.object({ data: z.array(z.object({ status: z.string(), attempts: z.array(z.unknown()) })) });
    const deliveries = async () => listed.parse(await place.json('webhooks deliveries')).data;
    await until(async () => {
      const all = await deliveries();
      return all.length >= PAYMENTS && all.every(({ status }) => status === 'delivered');
    });
    // At least once (contract §8): a worker that has just started may deliver as well, until it has heard of the one that does.
    const told = new Set(receiver.received.map(({ body }) => body.eventId));
    expect(told.size).to.equal((await deliveries()).length);
    await ask(serving.url, `/client-session?clientToken=${clientToken}`, { 'X-Api-Key': key });
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
    await receiver.close();
    const readModels = await openSqliteReadModels({
      file: join(place.dir, 'data/read-models.db'),
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
    });
    const logged = await loggedRequests(readModels, accountId);
    await readModels.close();
    expect(logged.length).to.equal(2 + 3 * PAYMENTS);
  });

  it('sums its metrics, and forgets no count of a worker that was killed', async () => {
    const serving = await started(place, '--metrics-port 0');
    const key = firstKeyIn(serving.stdout());
    const [, metrics = ''] = /Metrics at (http:[^"\s]+)/.exec(serving.stderr()) ?? [];
    const scrape = async () => parseExposition(await (await fetch(metrics)).text());
    await times(10, (index) => session(serving.url, key, `o-${index}`));
    const before = await scrape();
    expect(before.sum('counterfoil_appends_total', { category: 'clientSession', result: 'written' })).to.equal(10);
    expect(before.sum('counterfoil_http_request_duration_seconds_count', { route: '/client-session' })).to.equal(10);
    expect(before.value('counterfoil_workers')).to.equal(2);
    expect(before.value('counterfoil_ready')).to.equal(1);
    expect(before.value('counterfoil_worker_ends_total')).to.equal(0);
    expect(before.sum('counterfoil_build_info')).to.equal(1);
    const pid = pidOf(serving, 1);
    process.kill(pid, 'SIGKILL');
    await isReplaced(serving, 1, pid);
    await times(4, (index) => session(serving.url, key, `p-${index}`));
    const after = await scrape();
    expect(after.sum('counterfoil_appends_total', { category: 'clientSession', result: 'written' })).to.equal(14);
    expect(after.value('counterfoil_worker_ends_total')).to.equal(1);
    expect(after.value('counterfoil_workers')).to.equal(2);
  });
});

/** A request whose body has not come yet: a worker has it. */
async function begun(serving: Serving): Promise<{ finish(): Promise<number> }> {
  const key = firstKeyIn(serving.stdout());
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json', Expect: '100-continue' };
  const running = request(`${serving.url}/client-session`, { method: 'POST', headers, agent: new Agent() });
  const broken = new Promise<never>((_, reject) => running.once('error', reject));
  broken.catch(() => undefined); // told by `finish`
  running.flushHeaders();
  await once(running, 'continue');
  return {
    async finish() {
      running.end('{"orderId":"late","currencyCode":"EUR","amount":100}');
      const [answer]: IncomingMessage[] = await Promise.race([once(running, 'response'), broken]);
      answer?.resume();
      return answer?.statusCode ?? 0;
    },
  };
}

/** An attempt that the kill left without an answer is looked up again and again: what the processor has not seen counts after a while only. */
async function settled(place: Place): Promise<void> {
  const words: string[] = [];
  for (let look = 0; look < 6; look += 1) {
    expect(await place.run('sandbox clock advance 30m')).to.include({ code: 0 });
    const { code, stdout } = await place.run('sandbox wait --until-settled --timeout 10s');
    if (code === 0) return;
    words.push(stdout);
  }
  expect.fail(words.join('\n'));
}

const untilRefused = (url: string): Promise<void> => until(async () => !(await isAnswered(url)));

/** A connection that arrives at the moment of the stop may be kept, without an answer, until the last worker has ended. */
async function isAnswered(url: string): Promise<boolean> {
  const answered = ask(url, '/health/live').then(
    () => true,
    () => false,
  );
  const late = new AbortController();
  const isLate = calmWorld.sleep(ANSWERED_WITHIN_MS, late.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([answered, isLate]);
  } finally {
    late.abort();
  }
}

/** The result of work that began and ended in one second of the clock, by which requests a second are counted; tried until it did. */
async function inOneSecond<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const second = Math.floor(Date.now() / 1_000);
    await until(() => Math.floor(Date.now() / 1_000) > second);
    const result = await work();
    if (Math.floor(Date.now() / 1_000) === second + 1) return result;
  }
}
