// Stripe in a whole service: payments from the card to the refund at the twin, answers that are lost, customers at the
// bank, and events over HTTP.
import { expect } from 'chai';
import { z } from 'zod';
import { cardDataOf } from '../../../src/processors/card-data.ts';
import type { Call, Connection, Processor } from '../../../src/processors/processor.ts';
import { bodyOf } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { until } from '../../support/until.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

const Money = z.looseObject({
  status: z.string(),
  processor: z.looseObject({ name: z.string(), amountCaptured: z.number(), amountRefunded: z.number() }),
});
type Money = z.infer<typeof Money>;
const LATER_THAN_THE_FIRST_LOOK_UP = 60_000;
const LATER_THAN_THE_SECOND = 600_000;

/**
 * By the connection to the twin, which no command can name yet; a card number is a token of the twin's by its name, as
 * the fields would have made one.
 */
function atTwin({ stripe, connection }: TwinShop): Processor {
  const by = (call: Call): Call => ({ ...call, connection });
  const { prepare, fence } = stripe;
  if (prepare === undefined || fence === undefined) throw new Error('the adapter has neither');
  return {
    ...stripe,
    capabilities: () => stripe.capabilities(connection),
    tokenize: async ({ from }) => {
      if ('fieldToken' in from) return { kind: 'refused', description: 'The test has no fields.' };
      const name = CARDS[from.card.number] ?? 'pm_card_visa';
      return { kind: 'token', processorToken: name, card: cardDataOf(from.card) };
    },
    prepare: (request, call) => prepare(request, by(call)),
    perform: (request, call) => stripe.perform(request, by(call)),
    lookUp: (request, call) => stripe.lookUp(request, by(call)),
    fence: (request, call) => fence(request, by(call)),
    notifications: (raw, headers, _connection: Connection, now) => stripe.notifications(raw, headers, connection, now),
  };
}
const DECLINED = '4000000000009995';
const CARDS: { readonly [number: string]: string } = { [DECLINED]: 'pm_card_chargeDeclinedInsufficientFunds' };

describe('a service with Stripe as its processor', () => {
  let shop: TwinShop;
  let http: HttpService;
  before(async () => {
    shop = await openTwinShop();
    http = await serveHttp({ processor: atTwin(shop) });
  });
  after(async () => {
    await http.stop();
    await shop.close();
  });

  const asked = async (method: string, path: string, body?: unknown): Promise<Money> =>
    bodyOf(await http.shop.ask(method, path, body), Money);
  const read = (id: string): Promise<Money> => asked('GET', `/payments/${id}`);
  const effects = (since: number): readonly string[] =>
    shop.twin
      .effects()
      .slice(since)
      .map(({ kind, amount }) => `${kind} ${amount}`);
  const lookLater = (ms: number): void => {
    http.world.advance(ms);
    http.service.lookAtOnce();
  };

  it('authorizes, captures and refunds, each by one effect over there', async () => {
    const before = shop.twin.effects().length;
    const { id, status } = await http.shop.paid();
    expect(status).to.equal('AUTHORIZED');
    expect(await asked('POST', `/payments/${id}/capture`, { amount: 700, final: true })).to.include({
      status: 'PARTIALLY_SETTLED',
    });
    const { processor } = await asked('POST', `/payments/${id}/refund`, { amount: 300 });
    expect(processor).to.include({ name: 'stripe', amountCaptured: 700, amountRefunded: 300 });
    expect(effects(before)).to.deep.equal(['hold 1000', 'capture 700', 'release 300', 'refund 300']);
  });

  it('declines, and cancels', async () => {
    const declined = await http.shop.paid({ card: DECLINED });
    expect(declined.status).to.equal('DECLINED');
    const before = shop.twin.effects().length;
    const { id } = await http.shop.paid();
    expect(await asked('POST', `/payments/${id}/cancel`)).to.include({ status: 'CANCELLED' });
    expect(effects(before)).to.deep.equal(['hold 1000', 'release 1000']);
  });

  it('settles a lost confirmation by a look-up, and never by asking again', async () => {
    const before = shop.twin.effects().length;
    shop.twin.fault({ path: /confirm$/ }, { kind: 'server_error', effect: 'done' });
    const { id, status } = await http.shop.paid();
    expect(status).to.equal('PENDING');
    lookLater(LATER_THAN_THE_FIRST_LOOK_UP);
    await until(async () => (await read(id)).status === 'AUTHORIZED');
    expect(effects(before)).to.deep.equal(['hold 1000']);
  });

  it('proves by a fence that a confirmation never came, and holds nothing when it comes', async () => {
    const before = shop.twin.effects().length;
    const confirmation = shop.twin.fault({ path: /confirm$/ }, { kind: 'hold', at: 'arrival' });
    shop.dropNext(/confirm$/);
    const { id, status } = await http.shop.paid();
    expect(status).to.equal('PENDING');
    lookLater(LATER_THAN_THE_FIRST_LOOK_UP);
    lookLater(LATER_THAN_THE_SECOND);
    await until(async () => {
      lookLater(LATER_THAN_THE_SECOND);
      return (await read(id)).status !== 'PENDING';
    });
    await confirmation.release();
    expect(effects(before)).to.deep.equal([]);
  });

  it('reports no fault', () => expect(http.faults).to.deep.equal([]));
});
