// The stub in a whole service: a payment from its card to its refund, a lost answer, and notifications
// (contract §§4, 8).
import { expect } from 'chai';
import { z } from 'zod';
import { liveWorld } from '../../../src/world.ts';
import { type MisbehavingProxy, misbehavingProxy } from '../../contract/misbehaving-proxy.ts';
import { bodyOf, paymentOf } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { until } from '../../support/until.ts';
import { type Acquirer, announcementOf, LATER_CARD, openAcquirer, SECRETS } from './acquirer.ts';
import { openStub, type Stub } from './stub.ts';

const Money = z.looseObject({
  status: z.string(),
  processor: z.looseObject({ name: z.string(), amountCaptured: z.number(), amountRefunded: z.number() }),
});
type Money = z.infer<typeof Money>;
const LATER_THAN_THE_FIRST_LOOK_UP = 60_000;

describe('a service with the stub as its processor', () => {
  let acquirer: Acquirer;
  let proxy: MisbehavingProxy;
  let stub: Stub;
  let http: HttpService;
  before(async () => {
    acquirer = await openAcquirer();
    proxy = await misbehavingProxy(acquirer.url);
    stub = openStub({ url: proxy.url, world: liveWorld, secrets: SECRETS });
    http = await serveHttp({ processor: stub });
  });
  after(async () => {
    await http.stop();
    stub.close();
    await proxy.close();
    await acquirer.close();
  });

  const asked = async (method: string, path: string, body?: unknown): Promise<Money> =>
    bodyOf(await http.shop.ask(method, path, body), Money);
  const read = (id: string): Promise<Money> => asked('GET', `/payments/${id}`);
  /** Transactions over there, in their order: operation, state, amount. */
  const done = (since: number): readonly string[] =>
    acquirer.transactions.slice(since).map(({ operation, state, amount }) => `${operation} ${state} ${amount}`);
  const notified = async (
    events: readonly object[],
    headers: { readonly [name: string]: string } = {},
  ): Promise<number> => {
    const { raw, headers: signed } = announcementOf(events, http.world.now());
    const sent = {
      key: http.shop.key,
      text: raw,
      headers: { 'content-type': 'application/json', ...signed, ...headers },
    };
    return (await http.request('POST', '/webhooks/stub', sent)).status;
  };

  it('authorizes, captures and refunds, each by one transaction over there', async () => {
    const before = acquirer.transactions.length;
    const { id, status } = await http.shop.paid();
    expect(status).to.equal('AUTHORIZED');
    expect(await asked('POST', `/payments/${id}/capture`, { amount: 700, final: true })).to.include({
      status: 'PARTIALLY_SETTLED',
    });
    const { processor } = await asked('POST', `/payments/${id}/refund`, { amount: 300 });
    expect(processor).to.include({ name: 'stub', amountCaptured: 700, amountRefunded: 300 });
    expect(done(before)).to.deep.equal(['authorization done 1000', 'capture done 700', 'refund done 300']);
  });

  it('refuses what the stub cannot do before anything is written or sent', async () => {
    const { id, version } = await http.shop.paid({ fields: { paymentMethod: { authorizationType: 'ESTIMATED' } } });
    const before = acquirer.transactions.length;
    const refused = await http.shop.ask('POST', `/payments/${id}/adjust-authorization`, { amount: 1_200 });
    expect([refused.status, refused.error?.errorId]).to.deep.equal([422, 'OperationNotSupported']);
    expect(paymentOf(await http.shop.ask('GET', `/payments/${id}`)).version).to.equal(version);
    expect(done(before)).to.deep.equal([]);
  });

  it('settles a lost answer by a look-up, and never by asking again', async () => {
    const { id } = await http.shop.paid();
    const before = acquirer.transactions.length;
    await proxy.misbehave('reset_after');
    const capture = await http.shop.ask('POST', `/payments/${id}/capture`);
    expect(capture.status).to.equal(202);
    await proxy.misbehave(undefined);
    http.world.advance(LATER_THAN_THE_FIRST_LOOK_UP);
    http.service.lookAtOnce();
    await until(async () => (await read(id)).status === 'SETTLED');
    expect(done(before)).to.deep.equal(['capture done 1000']);
  });

  it('learns of a decision from a notification, even if it comes twice', async () => {
    const { id, status } = await http.shop.paid({ card: LATER_CARD });
    expect(status).to.equal('PENDING');
    const open = acquirer.transactions.at(-1)?.reference ?? '';
    const decided = { type: 'decided', id: 'n-1', at: http.world.now(), transaction: acquirer.decide(open) };
    expect(await notified([decided])).to.equal(202);
    await until(async () => (await read(id)).status === 'AUTHORIZED');
    const { version } = paymentOf(await http.shop.ask('GET', `/payments/${id}`));
    expect(await notified([decided])).to.equal(202);
    expect(paymentOf(await http.shop.ask('GET', `/payments/${id}`)).version).to.equal(version);
  });

  it('takes several notifications in one body, one of them that a refund came back', async () => {
    const pending = await http.shop.paid({ card: LATER_CARD });
    const open = acquirer.transactions.at(-1)?.reference ?? '';
    const { id } = await http.shop.captured();
    await http.shop.ask('POST', `/payments/${id}/refund`, { amount: 400 });
    const refund = acquirer.transactions.at(-1);
    const authorization = acquirer.transactions.findLast(({ operation }) => operation === 'authorization')?.id;
    const at = http.world.now();
    const returned = { type: 'returned', id: 'n-2', at, transaction: refund, authorization };
    const decided = { type: 'decided', id: 'n-3', at, transaction: acquirer.decide(open) };
    expect(await notified([returned, decided])).to.equal(202);
    await until(async () => (await read(id)).processor.amountRefunded === 0);
    await until(async () => (await read(pending.id)).status === 'AUTHORIZED');
  });

  it('refuses a notification with another signature, and one that it cannot read', async () => {
    expect(await notified([], { 'x-stub-signature': 't=1,v1=0' })).to.equal(401);
    expect(await notified([{ type: 'news', id: 'n-4' }])).to.equal(400);
    expect(http.faults).to.deep.equal([]);
  });
});
