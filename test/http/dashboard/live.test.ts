// The dashboard's live stream: the account's own events and nothing personal, no hole after a lost connection, and its
// ends.
import http, { type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { calmWorld } from '../../support/calm-world.ts';
import { type Dashboard, openDashboard, PASSWORD } from '../../support/dashboard.ts';
import { until } from '../../support/until.ts';

const Answer = z.looseObject({
  clientToken: z.string().optional(),
  token: z.string().optional(),
  id: z.string().default(''),
});

interface Told {
  readonly id: string;
  readonly data: { readonly topic: string; readonly type?: string; readonly id?: string };
}

/** The behaviour of a browser's EventSource within one connection. */
class Listener {
  text = '';
  isEnded = false;
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      this.text += part;
    });
    response.on('close', () => {
      this.isEnded = true;
    });
    response.on('error', () => undefined);
  }

  get told(): readonly Told[] {
    return this.text.split('\n\n').flatMap((block) => {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      return data === undefined ? [] : [{ id: /^id: (.*)$/m.exec(block)?.[1] ?? '', data: JSON.parse(data) }];
    });
  }

  /** The facts of payments. */
  get types(): readonly string[] {
    return this.told.flatMap(({ data: { topic, type } }) => (topic === 'payment' && type !== undefined ? [type] : []));
  }

  get lastId(): string {
    return this.told.findLast(({ id }) => id !== '')?.id ?? '';
  }

  hangUp(): void {
    this.#response.destroy();
  }
}

describe('the live stream of the dashboard', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const listen = (headers: Readonly<Record<string, string>> = {}, query = ''): Promise<Listener> =>
    new Promise((opened, failed) => {
      const cookie = headers['cookie'] ?? dashboard.cookieOf('auditor');
      const asked = http.get(
        `${dashboard.url}/dashboard/api/live${query}`,
        { headers: { ...headers, cookie }, agent: false },
        (response) => {
          expect(response.statusCode).to.equal(200);
          expect(response.headers['content-type']).to.equal('text/event-stream; charset=utf-8');
          const listener = new Listener(response);
          void until(() => listener.told.some(({ data }) => data.topic === 'caught-up')).then(
            () => opened(listener),
            failed,
          );
        },
      );
      asked.on('error', failed);
    });
  const ask = async (path: string, body: object, headers: object = { 'X-Api-Key': dashboard.key }) => {
    const answer = await fetch(`${dashboard.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return Answer.parse(await answer.json());
  };
  const pay = async (): Promise<string> => {
    const { clientToken } = await ask('/client-session', {
      orderId: 'o-1',
      currencyCode: 'EUR',
      amount: 1_000,
      customer: { emailAddress: 'a@example.org' },
    });
    const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
    const { token } = await ask('/checkout/payment-instruments', { card }, { 'X-Client-Token': clientToken ?? '' });
    const { id } = await ask('/payments', { clientToken, paymentMethodToken: token });
    return id;
  };
  const PAID = ['PaymentCreated', 'AuthorizationRequested', 'PaymentAuthorized'];

  it("tells subject, type and id of the account's events, and nothing else", async () => {
    const listener = await listen();
    const paymentId = await pay();
    await until(() => listener.types.includes('PaymentAuthorized'));
    expect(listener.types).to.deep.equal(PAID);
    expect(new Set(listener.told.map(({ data: { topic } }) => topic))).to.include.members([
      'clientSession',
      'paymentInstrument',
      'payment',
    ]);
    for (const { data } of listener.told) expect(Object.keys(data)).to.have.length.within(1, 3);
    expect(listener.told.filter(({ data }) => data.topic === 'payment').map(({ data }) => data.id)).to.deep.equal(
      PAID.map(() => paymentId),
    );
    // ids are hex, which may contain four digits by chance
    expect(listener.text.replaceAll(/_[0-9a-f]{32}/g, '')).to.not.match(/example\.org|pm_|4242|eyJ/);
    listener.hangUp();
  });

  it('tells nothing of another account', async () => {
    const listener = await listen();
    const other = await dashboard.service.access.createAccount('Other');
    if (other.kind === 'rejected') expect.fail(other.description);
    const key = await dashboard.service.access.createApiKey({
      accountId: other.id,
      name: 'other',
      scopes: ['client_tokens:write'],
    });
    if (key.kind === 'rejected') expect.fail(key.description);
    const own = await dashboard.service.access.createApiKey({
      accountId: dashboard.accountId,
      name: 'own',
      scopes: ['client_tokens:write'],
    });
    if (own.kind === 'rejected') expect.fail(own.description);
    await until(() => listener.told.some(({ data }) => data.id === own.id));
    expect(listener.text).to.not.include(key.id);
    expect(listener.text).to.not.include(other.id);
    listener.hangUp();
  });

  it('resumes without a hole, wherever the connection was lost, also at another follower', async () => {
    const whole = await listen();
    const first = await listen();
    await pay();
    await until(() => first.types.length === 3 && whole.types.length === 3);
    first.hangUp();
    await until(() => first.isEnded);
    await pay(); // while nobody listens
    const second = await listen({ 'last-event-id': first.lastId });
    await pay();
    await until(() => second.types.length === 6 && whole.types.length === 9);
    const middle = whole.told.filter(({ data }) => data.topic === 'payment')[4];
    for (const listener of [whole, second]) listener.hangUp();
    // the last stream is closed: the next one begins to follow again
    await until(() => whole.isEnded && second.isEnded);
    const third = await listen({}, `?after=${middle?.id}`);
    expect([first.types, second.types, third.types]).to.deep.equal([
      PAID,
      [...PAID, ...PAID],
      ['PaymentAuthorized', ...PAID],
    ]);
    third.hangUp();
  });

  it('ends at once when its user signs out, and the others stay', async () => {
    const email = dashboard.emailOf('support');
    const signedIn = await dashboard.ask('anybody', 'POST', '/dashboard/api/sign-in', { email, password: PASSWORD });
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const [leaving, staying] = [await listen({ cookie }), await listen()];
    await fetch(`${dashboard.url}/dashboard/api/sign-out`, { method: 'POST', headers: { cookie, 'x-csrf': '1' } });
    await until(() => leaving.isEnded);
    // for the page, which asks for the sign-in
    expect(leaving.told.at(-1)?.data).to.deep.equal({ topic: 'signed-out' });
    expect(staying.isEnded).to.equal(false);
    staying.hangUp();
  });

  it('is for users who are signed in', async () => {
    expect((await dashboard.ask('anybody', 'GET', '/dashboard/api/live')).status).to.equal(401);
    expect((await dashboard.ask('owner', 'GET', '/dashboard/api/live?after=x')).status).to.equal(422);
  });

  it('ends at once when the process is told to stop', async () => {
    const other = await openDashboard();
    const listener = await new Promise<Listener>((opened) => {
      http.get(
        `${other.url}/dashboard/api/live`,
        { headers: { cookie: other.cookieOf('owner') }, agent: false },
        (response) => opened(new Listener(response)),
      );
    });
    await until(() => listener.told.length > 0);
    const start = calmWorld.monotonic();
    const closing = other.close();
    await until(() => listener.isEnded);
    expect(calmWorld.monotonic() - start).to.be.below(5_000); // what still runs is cut off after 10 s
    await closing;
  });
});
