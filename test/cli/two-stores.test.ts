// deploy/haproxy-stores.cfg: accounts of two stores pay through one address, each in the store that the table names.
// What crosses the stores is shown one by one (docs/scaling.md): API keys, client tokens, paths for processors, users.
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { z } from 'zod';
import { readSecretFile, secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { SIGNATURE_HEADER, signatureOf } from '../../src/processors/sandbox/notifications.ts';
import { Secrets } from '../../src/secrets.ts';
import { readPage } from '../docs/pages.ts';
import { calmWorld } from '../support/calm-world.ts';
import { freePort } from '../support/free-port.ts';
import { type Haproxy, startHaproxy, whyNoHaproxy } from '../support/haproxy.ts';
import { card } from '../support/node.ts';
import { until, untilDone } from '../support/until.ts';
import { Place } from './processes.ts';

const CONFIG = readPage('deploy/haproxy-stores.cfg').text;
const IN_IMAGE = { table: '/usr/local/etc/haproxy/stores.map', socket: '/var/run/haproxy.sock' };
/** A capture that stays pending until its notification. */
const CAPTURE_LATER = '4000009900003040';
const PASSWORDS = { one: 'a long enough passphrase', two: 'another long passphrase' };

const First = z.looseObject({ url: z.string(), accountId: z.string(), key: z.string(), dashboardLink: z.string() });
const Payment = z.looseObject({ id: z.string(), status: z.string() });
const List = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
const Evidence = z.looseObject({ notificationId: z.string().optional() });
const Events = z.looseObject({
  data: z.array(
    z.looseObject({
      type: z.string(),
      data: z.looseObject({ reference: z.string().optional(), evidence: Evidence.optional() }),
    }),
  ),
});

type Name = 'one' | 'two';
interface Store extends z.output<typeof First> {
  readonly name: Name;
  readonly place: Place;
  /** Under which browsers reach its dashboard. */
  readonly host: string;
}

/** The id of a key as its text, and the table, have it. */
const keyIdIn = (key: string): string => key.split('_')[2] ?? '';

describe('two stores at one address', () => {
  let port = 0;
  let stores: { readonly [N in Name]: Store };
  let haproxy: Haproxy | undefined;
  const places: Place[] = [];

  before(async function () {
    const why = whyNoHaproxy();
    if (why !== undefined && process.env['CI'] === 'true') throw new Error(why);
    if (why !== undefined) {
      process.stdout.write(`Two stores are not put at one address: ${why}.\n`);
      return this.skip();
    }
    port = await freePort();
    stores = { one: await started('one'), two: await started('two') };
    const { dir } = stores.one.place;
    const both = Object.values(stores);
    const lines = both.flatMap(({ name, host, accountId, key }) =>
      [host, accountId, keyIdIn(key)].map((by) => `${by} ${name}`),
    );
    writeFileSync(join(dir, 'stores.map'), `${lines.join('\n')}\n`);
    const settings = both
      .reduce((all, { name, url }) => all.replace(`${name}-1:4000`, new URL(url).host), CONFIG)
      .replaceAll(IN_IMAGE.table, join(dir, 'stores.map'))
      .replace(IN_IMAGE.socket, join(dir, 'haproxy.sock'))
      .replace('bind :4000', `bind 127.0.0.1:${port}\n  http-response set-header X-Store %[be_name]`);
    writeFileSync(join(dir, 'haproxy.cfg'), settings);
    haproxy = startHaproxy(join(dir, 'haproxy.cfg'));
    for (const { name, host } of both)
      await untilDone(async () =>
        expect(await ask('GET', '/health/ready', { headers: { Host: host } })).to.include({ status: 200, store: name }),
      );
  });
  after(async () => {
    await haproxy?.end();
    await Promise.all(places.map((place) => place.remove()));
  });

  async function started(name: Name): Promise<Store> {
    const place = new Place();
    places.push(place);
    const host = `${name}.pay.example.org`;
    const serving = await place.serve('--json --log-level warn', { COUNTERFOIL_PUBLIC_URL: `http://${host}:${port}` });
    return { ...First.parse(JSON.parse(serving.stdout())), url: serving.url, name, place, host };
  }

  interface Sent {
    readonly body?: object | string;
    readonly headers?: { readonly [name: string]: string };
    /** Past the balancer. */
    readonly at?: string;
  }
  /** Through the balancer; `store` is where it went. */
  async function ask(method: string, path: string, { body, headers = {}, at = `http://127.0.0.1:${port}` }: Sent = {}) {
    const sent = typeof body === 'object' ? JSON.stringify(body) : body;
    const json = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(sent ?? '')) };
    const asking = request(`${at}${path}`, {
      method,
      agent: false,
      headers: { ...(sent !== undefined && json), ...headers },
    });
    return new Promise<{ status: number; store: string; text: string; cookie: string }>((resolve, reject) => {
      asking.on('error', reject);
      asking.on('response', (answer) => {
        const cookie = String(answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
        const store = String(answer.headers['x-store'] ?? '');
        text(answer).then((all) => resolve({ status: answer.statusCode ?? 0, store, text: all, cookie }), reject);
      });
      asking.end(sent);
    });
  }
  const withKey = ({ key }: { readonly key: string }) => ({ 'X-Api-Key': key });
  const read = <T>(schema: z.ZodType<T>, answer: { readonly text: string }): T => schema.parse(JSON.parse(answer.text));

  async function session(store: Store): Promise<string> {
    const made = await ask('POST', '/client-session', {
      headers: withKey(store),
      body: { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, customerId: 'c-1' },
    });
    expect(made, made.text).to.include({ status: 200, store: store.name });
    return read(z.looseObject({ clientToken: z.string() }), made).clientToken;
  }

  /** A merchant's payment, with its browser's token, all through the balancer. */
  async function captured(store: Store, number?: string): Promise<string> {
    const clientToken = await session(store);
    const headers = { 'X-Client-Token': clientToken };
    const tokenized = await ask('POST', '/checkout/payment-instruments', { headers, body: card(number) });
    expect(tokenized, tokenized.text).to.include({ status: 200, store: store.name });
    const { token } = read(z.looseObject({ token: z.string() }), tokenized);
    const body = { clientToken, paymentMethodToken: token };
    const paid = await ask('POST', '/payments', { headers: withKey(store), body });
    expect(paid, paid.text).to.include({ status: 200, store: store.name });
    const { id } = read(Payment, paid);
    const done = await ask('POST', `/payments/${id}/capture`, { headers: withKey(store), body: {} });
    expect(done, done.text).to.include({ status: 200, store: store.name });
    return id;
  }

  it('takes the payments of accounts of both, each in its own', async () => {
    const { one, two } = stores;
    const ids = { one: await captured(one), two: await captured(two) };
    for (const store of [one, two]) {
      const list = await ask('GET', '/payments', { headers: withKey(store) });
      expect(read(List, list).data.map(({ id }) => id)).to.deep.equal([ids[store.name]]);
      const other = store === one ? two : one;
      expect(await ask('GET', `/payments/${ids[store.name]}`, { headers: withKey(other) })).to.include({
        status: 404,
        store: other.name,
      });
    }
  });

  it('refuses a key that the table does not have, until the table has it', async () => {
    const made = await stores.two.place.json('keys create --name new --scopes all');
    const { key } = z.looseObject({ key: z.string() }).parse(made);
    const list = () => ask('GET', '/payments', { headers: { 'X-Api-Key': key } });
    expect(await list()).to.include({ status: 401, store: 'one' });
    const { dir } = stores.one.place;
    const socket = connect(join(dir, 'haproxy.sock'));
    socket.end(`add map ${join(dir, 'stores.map')} ${keyIdIn(key)} two\n`);
    await text(socket);
    expect(await list()).to.include({ status: 200, store: 'two' });
  });

  it('sends browsers by the account in their token, and in the address of the card frame', async () => {
    for (const store of Object.values(stores)) {
      const headers = { 'X-Client-Token': await session(store) };
      expect(await ask('GET', '/checkout/session', { headers })).to.include({ status: 200, store: store.name });
      expect(await ask('GET', `/checkout/frame?account=${store.accountId}`)).to.include({
        status: 200,
        store: store.name,
      });
    }
    expect(await ask('GET', '/checkout/sdk/v1/counterfoil.mjs')).to.include({ status: 200 });
  });

  it('has no store that takes the client token of the other', async () => {
    const headers = { 'X-Client-Token': await session(stores.one) };
    expect(await ask('GET', '/checkout/session', { headers, at: stores.two.url })).to.include({ status: 401 });
  });

  describe('a notification of a processor', () => {
    /** The sandbox's own ones never come, so that each capture waits for ours. */
    before(async () => {
      const body = { rules: [{ match: { operation: 'capture' }, do: { phase: 'after_reply', fault: 'drop' } }] };
      for (const store of Object.values(stores))
        expect(await ask('PUT', '/sandbox/faults', { headers: withKey(store), body })).to.include({
          status: 200,
          store: store.name,
        });
    });

    /** The path of a processor that cannot send a header. */
    const pathOf = async ({ place, key }: Store): Promise<string> => {
      const added = await place.json(`webhooks incoming add --processor sandbox --key key_${keyIdIn(key)}`);
      return new URL(z.looseObject({ url: z.string() }).parse(added).url).pathname;
    };
    const notify = async (to: Store, notification: object) => {
      const stored = await readSecretFile(secretFileIn(join(to.place.dir, 'data')));
      if (stored === undefined) throw new Error('there is no secret');
      const [secret = Buffer.alloc(0)] = new Secrets([stored.secret]).keys('sandbox-signature');
      const body = JSON.stringify({
        amount: 1_000,
        currencyCode: 'EUR',
        processorTransactionId: 'sbx_1',
        ...notification,
      });
      return ask('POST', await pathOf(to), {
        body,
        headers: { [SIGNATURE_HEADER]: signatureOf(secret, body, calmWorld.now()) },
      });
    };
    const eventsOf = async (store: Store, id: string) =>
      read(Events, await ask('GET', `/payments/${id}/events`, { headers: withKey(store) })).data;
    const aboutCapture = async (store: Store, id: string, notificationId: string) => {
      const reference = (await eventsOf(store, id)).find(({ type }) => type === 'CaptureRequested')?.data.reference;
      return {
        notificationId,
        type: 'capture.succeeded',
        reference,
        occurredAt: new Date(calmWorld.now()).toISOString(),
      };
    };
    /** The notifications by which a payment was captured. */
    const settledBy = async (store: Store, id: string) =>
      (await eventsOf(store, id))
        .filter(({ type }) => type === 'PaymentCaptured')
        .map(({ data }) => data.evidence?.notificationId);

    it('settles the payment in the store of its path', async () => {
      for (const store of Object.values(stores)) {
        const id = await captured(store, CAPTURE_LATER);
        const told = await notify(store, await aboutCapture(store, id, 'n-ours'));
        expect(told, told.text).to.include({ status: 202, store: store.name });
        await until(async () => (await settledBy(store, id)).length > 0);
        expect(await settledBy(store, id)).to.deep.equal(['n-ours']);
      }
    });

    it('that takes the path of the other store is parked there, and the payment waits for its look-up', async () => {
      const { one, two } = stores;
      const id = await captured(one, CAPTURE_LATER);
      const told = await notify(two, await aboutCapture(one, id, 'n-astray'));
      expect(told, told.text).to.include({ status: 202, store: 'two' });
      const parkedIn = async ({ place }: Store): Promise<string> =>
        JSON.stringify(await place.json('notifications parked'));
      await until(async () => (await parkedIn(two)).includes('n-astray'));
      expect(await parkedIn(one)).not.to.include('n-astray');
      expect(await settledBy(one, id)).to.deep.equal([]);
    });
  });

  it('has a user for each store, who signs in at its host name alone', async () => {
    const email = 'ada@example.org';
    const cookies = { one: '', two: '' };
    const browserOf = ({ host }: Store, cookie = '') => ({
      Host: host,
      Origin: `http://${host}:${port}`,
      'X-Csrf': '1',
      cookie,
    });
    const signIn = (store: Store, password: string) =>
      ask('POST', '/dashboard/api/sign-in', { headers: browserOf(store), body: { email, password } });
    for (const store of Object.values(stores)) {
      const welcomeToken = /\/welcome\/(\S+)$/.exec(store.dashboardLink)?.[1];
      const body = { welcomeToken, email, password: PASSWORDS[store.name] };
      const welcomed = await ask('POST', '/dashboard/api/welcome', { headers: browserOf(store), body });
      expect(welcomed, welcomed.text).to.include({ status: 200, store: store.name });
      cookies[store.name] = welcomed.cookie;
    }
    const { one, two } = stores;
    expect(await signIn(two, PASSWORDS.two)).to.include({ status: 200, store: 'two' });
    expect(await signIn(two, PASSWORDS.one)).to.include({ status: 401, store: 'two' });
    expect(await ask('GET', '/dashboard/api/me', { headers: browserOf(one, cookies.one) })).to.include({ status: 200 });
    expect(await ask('GET', '/dashboard/api/me', { headers: browserOf(two, cookies.one) })).to.include({ status: 401 });
  });
});
