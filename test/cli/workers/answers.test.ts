// counterfoil serve --workers: several processes on one port answer as one service.
import { get } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { loggedRequests } from '../../../src/projections/models/request-log.ts';
import { openSqliteReadModels } from '../../../src/stores/sqlite/read-models.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { until } from '../../support/until.ts';
import { parseExposition } from '../../telemetry/exposition.ts';
import { openReceiver } from '../../webhooks/receiver.ts';
import { firstKeyIn, Place, type Serving } from '../processes.ts';
import { answeredBy, ask, card, isReplaced, pidOf, session, started, times } from './workers.ts';

const Printed = z.strictObject({
  url: z.url(),
  accountId: z.string(),
  keyId: z.string(),
  key: z.string(),
  dashboardLink: z.url(),
});

describe('several workers', () => {
  const place = new Place();
  let serving: Serving;
  let first: z.infer<typeof Printed>;
  before(async () => {
    serving = await started(place, '--json --metrics-port 0 --rate-limit 0');
    first = Printed.parse(JSON.parse(serving.stdout())); // one line, of one first start
  });
  after(() => place.remove());

  const own = (): { readonly 'X-Api-Key': string } => ({ 'X-Api-Key': first.key });
  /** An authorized payment. Answers the ids of its three requests. */
  const pay = async (orderId: string): Promise<readonly unknown[]> => {
    const made = await session(serving.url, first.key, orderId);
    const { clientToken } = JSON.parse(made.text);
    const tokenized = await ask(
      serving.url,
      '/checkout/payment-instruments',
      { 'X-Client-Token': clientToken },
      { card },
    );
    const body = { clientToken, paymentMethodToken: JSON.parse(tokenized.text).token };
    const paid = await ask(serving.url, '/payments', own(), body);
    expect(paid.status, paid.text).to.equal(200);
    return [made, tokenized, paid].map(({ headers }) => headers['x-request-id']);
  };

  it('answer on one port, after one first start', async () => {
    const answers = await times(8, (index) => session(serving.url, first.key, `o-${index}`));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 8 }, () => 200));
    await until(() => answeredBy(serving).size === 2); // a line of the log may arrive after the answer
    expect([...answeredBy(serving)].sort()).to.deep.equal(['1', '2']);
    expect((await ask(serving.url, '/health/ready')).status).to.equal(200);
    expect(await place.json('accounts list'))
      .to.have.property('data')
      .with.length(1);
  });

  it('read what one of them wrote', async () => {
    for (let index = 0; index < 20; index += 1) {
      const { clientToken } = JSON.parse((await session(serving.url, first.key, `r-${index}`)).text);
      const read = await times(2, () => ask(serving.url, `/client-session?clientToken=${clientToken}`, own()));
      for (const { text } of read) expect(JSON.parse(text)).to.include({ orderId: `r-${index}` });
    }
  });

  it('tell their live streams what happens in the others', async () => {
    const welcomed = await ask(
      serving.url,
      '/dashboard/api/welcome',
      { 'X-Csrf': '1' },
      {
        welcomeToken: first.dashboardLink.split('/').at(-1),
        email: 'ada@example.org',
        password: 'a long enough passphrase',
      },
    );
    const [cookie = ''] = welcomed.headers['set-cookie']?.[0]?.split(';') ?? [];
    const streams = await times(4, () => liveStream(serving.url, cookie));
    // Of four connections that come one after the other each worker has some.
    for (const orderId of ['l-1', 'l-2']) await pay(orderId);
    await until(() => streams.every(({ text }) => text().split('"PaymentAuthorized"').length === 3));
    for (const { end } of streams) end();
  });

  it('let a listener hear of payments of all of them, each message at least once', async () => {
    const receiver = await openReceiver();
    const listening = await place.listen(`--forward-to ${receiver.url} --json`);
    await times(6, (index) => pay(`h-${index}`));
    const heard = () => new Set(receiver.received.map(({ body }) => body.eventId)).size;
    await until(() => heard() === 6);
    expect(await listening.end('SIGINT')).to.include({ code: 0 });
    expect(heard()).to.equal(6);
    await receiver.close();
  });

  it('sum their metrics, have samples of what all see, and forget no count of one that was killed', async () => {
    const [, metrics = ''] = /Metrics at (http:[^"\s]+)/.exec(serving.stderr()) ?? [];
    const scrape = async () => parseExposition(await (await fetch(metrics)).text());
    const written = { category: 'clientSession', result: 'written' };
    const start = await scrape();
    await times(10, (index) => session(serving.url, first.key, `m-${index}`));
    const before = await scrape();
    const more = (name: string, labels: { readonly [label: string]: string }): number =>
      before.sum(name, labels) - start.sum(name, labels);
    expect(more('counterfoil_appends_total', written)).to.equal(10);
    expect(more('counterfoil_http_request_duration_seconds_count', { route: '/client-session' })).to.equal(10);
    expect(before.value('counterfoil_workers')).to.equal(2);
    expect(before.value('counterfoil_ready')).to.equal(1);
    expect(before.value('counterfoil_worker_ends_total')).to.equal(0);
    expect(before.sum('counterfoil_build_info')).to.equal(1);
    // All look at the same payments: what they see is one figure, and no sum. It is there after the first look.
    await until(async () => (await scrape()).series('counterfoil_payments_unknown').length === 1);
    expect((await scrape()).value('counterfoil_payments_unknown')).to.equal(0);
    const pid = pidOf(serving, 1);
    process.kill(pid, 'SIGKILL');
    await isReplaced(serving, 1, pid);
    await times(4, (index) => session(serving.url, first.key, `n-${index}`));
    const after = await scrape();
    expect(after.sum('counterfoil_appends_total', written) - before.sum('counterfoil_appends_total', written)).to.equal(
      4,
    );
    expect(after.value('counterfoil_worker_ends_total')).to.equal(1);
    expect(after.value('counterfoil_workers')).to.equal(2);
  });

  it('deliver every message, and have all their requests in the log once they have ended', async () => {
    const receiver = await openReceiver();
    const { id } = z
      .looseObject({ id: z.string() })
      .parse(await place.json(`webhooks endpoints add --url ${receiver.url} --events PAYMENT.STATUS`));
    const PAYMENTS = 8;
    const asked = (await times(PAYMENTS, (index) => pay(`d-${index}`))).flat();
    const Listed = z.object({ data: z.array(z.looseObject({ status: z.string(), endpointId: z.string() })) });
    const deliveries = async () =>
      Listed.parse(await place.json('webhooks deliveries')).data.filter(({ endpointId }) => endpointId === id);
    await until(async () => {
      const all = await deliveries();
      return all.length === PAYMENTS && all.every(({ status }) => status === 'delivered');
    });
    // At least once (contract §8): a worker that has just started may deliver as well, until it has heard of the one
    // that does.
    const told = new Set(receiver.received.map(({ body }) => body.eventId));
    expect(told.size).to.equal(PAYMENTS);
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
    await receiver.close();
    const readModels = await openSqliteReadModels({
      file: join(place.dir, 'data/read-models.db'),
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
    });
    const logged = await loggedRequests(readModels, first.accountId);
    await readModels.close();
    expect(logged.map(({ requestId }) => requestId)).to.include.members(asked);
  });
});

describe('the limits of several workers', () => {
  const place = new Place();
  after(() => place.remove());

  it('count requests a second, tokenizations and sign-ins over all of them', async () => {
    const serving = await started(place, '--rate-limit 10');
    expect(serving.stdout().match(/^Listening on /gm)).to.have.length(1);
    const key = firstKeyIn(serving.stdout());
    const admitted = await inOneSecond(() =>
      times(40, () => ask(serving.url, '/client-session?clientToken=none', { 'X-Api-Key': key })),
    );
    expect(admitted.filter(({ status }) => status !== 429)).to.have.length(10);
    await until(() => answeredBy(serving).size === 2);
    await inOneSecond(async () => []);
    const { clientToken } = JSON.parse((await session(serving.url, key, 'o')).text);
    const made: number[] = [];
    // Nine at a time: the session's own requests a second are limited too. All of them count, also those of a second
    // that was too short.
    while (made.length < 40)
      await inOneSecond(async () => {
        const some = await times(9, () =>
          ask(serving.url, '/checkout/payment-instruments', { 'X-Client-Token': clientToken }, { card }),
        );
        made.push(...some.map(({ status }) => status));
      });
    expect(made.filter((status) => status === 200)).to.have.length(30);
    const signIns = await times(14, () =>
      ask(
        serving.url,
        '/dashboard/api/sign-in',
        { 'X-Csrf': '1' },
        { email: 'a@example.org', password: 'wrong wrong' },
      ),
    );
    expect(
      signIns.filter(({ status }) => status !== 429),
      signIns[0]?.text,
    ).to.have.length(10);
  });
});

interface LiveStream {
  readonly text: () => string;
  readonly end: () => void;
}

/** A live stream of the dashboard that has caught up, on a connection of its own. */
async function liveStream(url: string, cookie: string): Promise<LiveStream> {
  const parts: string[] = [];
  const asked = get(`${url}/dashboard/api/live`, { headers: { cookie }, agent: false }, (response) => {
    response.setEncoding('utf8').on('data', (part: string) => parts.push(part));
    response.on('error', () => undefined);
  });
  asked.on('error', () => undefined);
  const text = (): string => parts.join('');
  await until(() => text().includes('caught-up'));
  return { text, end: () => asked.destroy() };
}

/**
 * The result of work that began and ended in one second of the clock, by which requests a second are counted; tried
 * until it did.
 */
async function inOneSecond<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const second = Math.floor(Date.now() / 1_000);
    await until(() => Math.floor(Date.now() / 1_000) > second);
    const result = await work();
    if (Math.floor(Date.now() / 1_000) === second + 1) return result;
  }
}
