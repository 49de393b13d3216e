// Nodes that share no data directory: the sandbox of one of them, used by the others.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { paymentIdOfReference } from '../../src/domain/payment/reference.ts';
import { openRemoteSandbox } from '../../src/processors/sandbox/remote/remote-sandbox.ts';
import { Secrets } from '../../src/secrets.ts';
import { besideOthers } from '../support/calm-world.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { firstKeyIn, Place, type Serving } from './processes.ts';

const SECRET = Buffer.alloc(32, 5);
const SHARED = { COUNTERFOIL_SECRET: SECRET.toString('base64url'), COUNTERFOIL_LOG_LEVEL: 'warn' };

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function ask(url: string, headers: { readonly [name: string]: string }, body?: object): Promise<Answered> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, { ...sent, headers: { 'Content-Type': 'application/json', ...headers } });
  return { status: response.status, text: await response.text() };
}

const CARD = { card: { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' } };

const CHALLENGED = { card: { ...CARD.card, number: '4000000000003220' } };

describe('COUNTERFOIL_SANDBOX_URL', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.remove());

  /** The node that has the sandbox, in `here`. */
  const host = (port: number): Promise<Serving> => place.serve(`--data-dir here --port ${port}`, SHARED);
  /** A node without it, in `there`. */
  const guestOf = (port: number): { readonly [variable: string]: string } => ({
    ...SHARED,
    COUNTERFOIL_SANDBOX_URL: `http://127.0.0.1:${port}`,
    COUNTERFOIL_DATA_DIR: 'there',
  });
  /** A token for a card; the session is created first. */
  const tokenize = async (url: string, key: string): Promise<Answered> => {
    const session = await ask(
      `${url}/client-session`,
      { 'X-Api-Key': key },
      { orderId: 'o', currencyCode: 'EUR', amount: 1_000 },
    );
    expect(session.status).to.equal(200);
    return ask(`${url}/checkout/payment-instruments`, { 'X-Client-Token': JSON.parse(session.text).clientToken }, CARD);
  };

  it('lets a node start before the other one is there, which it says, and works as soon as it is', async () => {
    const port = await freePort();
    const guest = await place.serve('', guestOf(port));
    const key = firstKeyIn(guest.stdout());
    const refused = await tokenize(guest.url, key);
    expect(refused.status).to.equal(503);
    expect(JSON.parse(refused.text).error).to.include({
      errorId: 'ServiceUnavailable',
      description: 'The processor of the card is unavailable. Nothing was changed.',
    });
    const why = `The sandbox at http://127.0.0.1:${port} cannot be used: connect ECONNREFUSED`;
    await until(() => guest.stderr().includes(why));

    const owner = await host(port);
    expect(await tokenize(guest.url, key)).to.include({ status: 200 });
    // The guest's account reaches the sandbox automatically: without its key nothing could be notified.
    const secrets = new Secrets([SECRET]);
    const sandbox = openRemoteSandbox({
      url: owner.url,
      world: besideOthers,
      secrets: secrets.keys('sandbox-signature'),
      callKeys: secrets.keys('sandbox-call'),
      report: () => undefined,
    });
    await until(async () => (await sandbox.connected()).length >= 2);
    await sandbox.close();

    const paid = await place.run(`demo --json --url ${guest.url}`, { env: guestOf(port) });
    expect(paid.code, paid.stderr).to.equal(0);
    const { paymentId, status } = JSON.parse(paid.stdout);
    expect(status).to.equal('SETTLED');
    const ledger = JSON.parse((await ask(`${guest.url}/sandbox/ledger`, { 'X-Api-Key': key })).text);
    const lines = ledger.data.map(({ operation, outcome }: Record<string, unknown>) => `${operation} ${outcome}`);
    expect(lines).to.deep.equal(['authorization succeeded', 'capture succeeded', 'refund succeeded']);
    expect(paymentIdOfReference(ledger.data[0].reference)).to.equal(paymentId);
    expect((await ask(`${guest.url}/sandbox/scenarios`, { 'X-Api-Key': key })).status).to.equal(200);

    await until(() => guest.stderr().includes('responds again'));
    expect(guest.stderr()).not.to.contain(CARD.card.number);
    expect(existsSync(join(place.dir, 'there/sandbox.db'))).to.equal(false);
    expect(await guest.end('SIGTERM')).to.include({ code: 0 });
    expect((await owner.end('SIGTERM')).stderr).not.to.contain('"level"');
  });

  it('challenges a customer whose payment one node began and another one goes on with, after the first was killed', async () => {
    const owner = await host(0);
    const env = guestOf(Number(new URL(owner.url).port));
    const one = await place.serve('', env);
    const key = firstKeyIn(one.stdout());
    const two = await place.serve('', env);
    const begun = async () => {
      const session = await ask(
        `${one.url}/client-session`,
        { 'X-Api-Key': key },
        { orderId: 'o', currencyCode: 'EUR', amount: 1_000 },
      );
      const { clientToken } = JSON.parse(session.text);
      const token = await ask(`${one.url}/checkout/payment-instruments`, { 'X-Client-Token': clientToken }, CHALLENGED);
      const paid = await ask(
        `${one.url}/checkout/payments`,
        { 'X-Client-Token': clientToken },
        { paymentMethodToken: JSON.parse(token.text).token },
      );
      const { id, requiredAction } = JSON.parse(paid.text);
      return { id, clientToken, page: new URL(requiredAction.url) };
    };
    const approve = async (page: string): Promise<string> => {
      const answer = await fetch(page, {
        method: 'POST',
        body: new URLSearchParams({ outcome: 'approve' }),
        redirect: 'manual',
      });
      return new URL(answer.headers.get('Location') ?? '').searchParams.get('resumeToken') ?? '';
    };
    const atTwo = async (
      { id, clientToken }: { readonly id: string; readonly clientToken: string },
      resumeToken: string,
    ) =>
      JSON.parse(
        (await ask(`${two.url}/checkout/payments/${id}/resume`, { 'X-Client-Token': clientToken }, { resumeToken }))
          .text,
      ).status;

    const [answeredBefore, answeredAfter, givenUp] = [await begun(), await begun(), await begun()];
    expect(answeredBefore.page.origin).to.equal(new URL(one.url).origin);
    expect((await ask(answeredBefore.page.href, {})).text).to.match(/10\.00 EUR.*••••.*3220/s);
    const resumeToken = await approve(answeredBefore.page.href);
    await one.end('SIGKILL');
    expect(await atTwo(answeredBefore, resumeToken)).to.equal('AUTHORIZED');
    expect(await atTwo(answeredAfter, await approve(`${two.url}${answeredAfter.page.pathname}`))).to.equal(
      'AUTHORIZED',
    );
    const cancelled = await ask(
      `${two.url}/checkout/payments/${givenUp.id}/cancel`,
      { 'X-Client-Token': givenUp.clientToken },
      {},
    );
    expect(JSON.parse(cancelled.text).status).to.equal('CANCELLED');
    expect((await ask(`${two.url}${givenUp.page.pathname}`, {})).status).to.equal(410);
    const ledger = JSON.parse((await ask(`${two.url}/sandbox/ledger`, { 'X-Api-Key': key })).text);
    const lines = ledger.data.map(({ operation, outcome }: Record<string, unknown>) => `${operation} ${outcome}`);
    expect(lines).to.deep.equal(['authorization succeeded', 'authorization succeeded', 'authorization declined']);
    await two.end('SIGTERM');
    await owner.end('SIGTERM');
  });

  it('answers the calls of other nodes only where the sandbox is, and hides them from the public', async () => {
    const owner = await host(0);
    const guest = await place.serve('', guestOf(Number(new URL(owner.url).port)));
    const call = (url: string): Promise<Answered> => ask(`${url}/internal/sandbox/connected`, {}, {});
    expect(await call(owner.url)).to.include({ status: 401 });
    expect(await call(guest.url)).to.include({ status: 404 });
    for (const { url } of [owner, guest])
      expect((await ask(`${url}/openapi.json`, {})).text).not.to.contain('internal');
  });

  it('makes an account although the other node does not answer, and says so', async () => {
    const port = await freePort();
    const owner = await host(port);
    await (await place.serve('', guestOf(port))).end('SIGTERM');
    await owner.end('SIGKILL');
    const { code, stdout, stderr } = await place.run('accounts create --name Shop --json', { env: guestOf(port) });
    expect({ code, name: JSON.parse(stdout).name }).to.deep.equal({ code: 0, name: 'Shop' });
    expect(stderr).to.contain('has been restarted').and.to.contain('ECONNREFUSED');
  });

  it('is refused in live mode, without a secret, and when it is no URL: 2', async () => {
    const env = guestOf(1);
    const [live, secretless, wrong] = await Promise.all([
      place.run('serve', { env: { ...env, COUNTERFOIL_MODE: 'live' } }),
      place.run('serve', { env: { ...env, COUNTERFOIL_SECRET: '' } }),
      place.run('serve', { env: { ...env, COUNTERFOIL_SANDBOX_URL: 'node-1' } }),
    ]);
    expect(live)
      .to.include({ code: 2, stdout: '' })
      .and.to.have.property('stderr')
      .that.contains('the sandbox exists in test mode only');
    expect(secretless)
      .to.include({ code: 2, stdout: '' })
      .and.to.have.property('stderr')
      .that.contains('need the same secret');
    expect(wrong)
      .to.include({ code: 2, stdout: '' })
      .and.to.have.property('stderr')
      .that.contains('COUNTERFOIL_SANDBOX_URL is "node-1"');
    expect(existsSync(join(place.dir, 'there'))).to.equal(false);
  });
});
