// A word about a saved method, over the streams that it changes: each step may be cut off by a crash, and is done by
// the next try, once (contract §5, contract §14).
import { expect } from 'chai';
import { handleNotifications } from '../../../src/policies/due-work.ts';
import { runDue } from '../../../src/policies/policy.ts';
import { signatureOf } from '../../../src/processors/sandbox/notifications.ts';
import { agreements } from '../../../src/projections/models/agreements.ts';
import { notifications } from '../../../src/projections/models/notifications.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { formatTime } from '../../../src/world.ts';
import { agreementOf, firstPayment } from '../../support/agreement-made.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import type { Stores } from '../../support/node.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;
const CLOSED = '4000009900006035';
const EXPIRED = '4000009900005052';

/** Notifications that are on record and not handled yet. */
const unhandledIn = async ({ service }: HttpService): Promise<number> =>
  (await service.readModels.find(notifications, { where: { receivedAt: { from: 0 } }, limit: 10 })).length;

describe('the word that a saved card is closed', () => {
  let http: HttpService;
  let delivering: Promise<void>;
  const ending = new AbortController();
  let isCut: 'agreements' | 'wallet' | undefined;
  /** What a step was cut off by, so often. */
  let cuts = 0;
  const cut = (at: typeof isCut): void => {
    if (isCut !== at) return;
    cuts += 1;
    throw new StoreUnavailable('cut off for the test');
  };
  const through = (stores: Stores): Stores => ({
    ...stores,
    events: new Proxy(stores.events, {
      get(events, member) {
        const value: unknown = Reflect.get(events, member, events);
        if (typeof value !== 'function') return value;
        if (member !== 'append') return value.bind(events);
        return (stream: string, ...rest: unknown[]) => {
          if (stream.startsWith('customerWallet-')) cut('wallet');
          return Reflect.apply(value, events, [stream, ...rest]);
        };
      },
    }),
    readModels: new Proxy(stores.readModels, {
      get(readModels, member) {
        const value: unknown = Reflect.get(readModels, member, readModels);
        if (typeof value !== 'function') return value;
        if (member !== 'find') return value.bind(readModels);
        return (of: { readonly name: string }, query: { readonly where: object }) => {
          if (of.name === agreements.name && 'paymentMethodToken' in query.where) cut('agreements');
          return Reflect.apply(value, readModels, [of, query]);
        };
      },
    }),
  });
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, through });
    const { sandbox } = http.stores;
    await sandbox.connect({ accountId: http.shop.accountId, apiKey: http.shop.key });
    delivering = sandbox.run(`http://127.0.0.1:${http.port}`, ending.signal);
  });
  after(async () => {
    ending.abort();
    await delivering;
    await http.stop();
  });

  const typesOf = async (
    streams: { history(id: string, after: number): AsyncIterable<{ event: { type: string } }> },
    id: string,
  ) => {
    const types: string[] = [];
    for await (const { event } of streams.history(id, -1)) types.push(event.type);
    return types;
  };

  for (const at of ['wallet', 'agreements'] as const)
    it(`does the rest once where the step of the ${at} was cut off`, async () => {
      const first = await firstPayment(http, `customer-${at}`, { card: CLOSED });
      const id = await agreementOf(http, first);
      const token = first.paymentMethodToken;
      isCut = at;
      cuts = 0;
      http.world.advance(10 * DAY_MS + 1_000);
      await until(() => cuts > 0);
      const { streams, readModels, work } = http.service;
      expect((await streams.agreements.current(id)).state.status).to.equal('ACTIVE');
      expect((await streams.instruments.current(token)).state).to.have.property('closedAt');
      isCut = undefined;
      http.world.advance(60_000);
      await until(async () => {
        await runDue(handleNotifications(work), readModels, work);
        return (await streams.agreements.current(id)).state.status === 'SUSPENDED';
      });
      expect((await typesOf(streams.agreements, id)).filter((type) => type === 'AgreementSuspended')).to.have.length(1);
      expect((await typesOf(streams.instruments, token)).filter((type) => type === 'InstrumentClosed')).to.have.length(
        1,
      );
      const { state } = await streams.instruments.current(token);
      const walletId = state.status === 'absent' ? '' : (state.vault?.walletId ?? '');
      expect((await typesOf(streams.wallets, walletId)).filter((type) => type === 'InstrumentClosed')).to.have.length(
        1,
      );
    });

  it('is another one than that of a reissued card, after which an agreement of an expired card is charged again', async () => {
    const first = await firstPayment(http, 'customer-expired', { card: EXPIRED });
    const id = await agreementOf(http, first);
    await http.shop.ask('POST', `/agreements/${id}/charges`, { periodKey: 'p', orderId: 'o' });
    const statusOf = async () => (await http.service.streams.agreements.current(id)).state.status;
    expect(await statusOf()).to.equal('SUSPENDED');
    const { state } = await http.service.streams.instruments.current(first.paymentMethodToken);
    const processorToken = state.status === 'absent' ? '' : state.processorToken;
    const tell = async (notificationId: string, occurredAt: number, expirationYear: string): Promise<void> => {
      const about = { notificationId, type: 'instrument.updated', occurredAt: formatTime(occurredAt), processorToken };
      const text = JSON.stringify({ ...about, card: { expirationYear } });
      const [secret = Buffer.alloc(0)] = http.stores.secrets.keys('sandbox-signature');
      const headers = {
        'content-type': 'application/json',
        'x-sandbox-signature': signatureOf(secret, text, http.world.now()),
      };
      const { status } = await http.request('POST', '/webhooks/sandbox', { key: http.shop.key, text, headers });
      expect(status).to.equal(202);
    };
    const now = http.world.now();
    await tell('n-renewed', now, '2049');
    await until(async () => (await statusOf()) === 'ACTIVE');
    await http.shop.ask('POST', `/agreements/${id}/charges`, { periodKey: 'q', orderId: 'o' });
    await http.shop.ask('POST', `/agreements/${id}/charges`, { periodKey: 'p', orderId: 'o' });
    expect(await statusOf(), 'refused again').to.equal('SUSPENDED');
    await tell('n-older', now - 1_000, '2041');
    await tell('n-again', now + 1_000, '2049');
    await until(async () => (await unhandledIn(http)) === 0);
    expect(await statusOf(), 'nothing is new').to.equal('SUSPENDED');
  });

  it('suspends an agreement at its next charge that was not known to charge the card, and asks nobody', async () => {
    const first = await firstPayment(http, 'customer-late', { card: CLOSED });
    const id = await agreementOf(http, first);
    isCut = 'agreements';
    cuts = 0;
    http.world.advance(10 * DAY_MS + 1_000);
    await until(() => cuts > 0);
    const before = (await http.stores.sandbox.ledgerOf(http.shop.accountId, 1_000)).lines.length;
    const body = { periodKey: 'p', orderId: 'o' };
    const refused = await http.shop.ask('POST', `/agreements/${id}/charges`, body);
    expect(refused.error).to.include({ errorId: 'InvalidAgreementStatus', action: 'NEW_INSTRUMENT' });
    const { state } = await http.service.streams.agreements.current(id);
    expect(state).to.include({ status: 'SUSPENDED', code: 'ACCOUNT_CLOSED', claimed: 0 });
    expect((await http.stores.sandbox.ledgerOf(http.shop.accountId, 1_000)).lines.length).to.equal(before);
    isCut = undefined;
  });
});
