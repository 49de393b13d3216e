// Messages about agreements: what they say, their order, and that they are listed and sent again (contract §14,
// "Webhooks").
import { expect } from 'chai';
import { z } from 'zod';
import type { Post } from '../../src/commands/webhooks/post.ts';
import { formatTime } from '../../src/world.ts';
import { agreementOf, firstPayment } from '../support/agreement-made.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const NO_FUNDS = '4000009900005045';
const EXPIRED = '4000009900005052';

const Message = z.looseObject({
  eventId: z.string(),
  eventType: z.string(),
  sequence: z.number(),
  previousSequence: z.number().optional(),
  payment: z.unknown().optional(),
  agreement: z.looseObject({ id: z.string(), status: z.string(), version: z.number() }).optional(),
  charge: z.looseObject({ periodKey: z.string(), outcome: z.string() }).optional(),
});
type Message = z.infer<typeof Message>;

describe('messages about agreements', () => {
  let http: HttpService;
  let endpointId: string;
  const told: Message[] = [];
  before(async () => {
    const post: Post = async ({ body }) => {
      told.push(Message.parse(JSON.parse(body)));
      return { status: 204, body: '' };
    };
    http = await serveHttp({ sandboxInMemory: true, post });
    const { accountId } = http.shop;
    const added = await http.service.webhooks.addWebhookEndpoint({ accountId, url: 'https://shop.example/' });
    if (added.kind === 'rejected') expect.fail(added.description);
    endpointId = added.id;
  });
  after(() => http.stop());

  const made = async (card: string, fields: object = {}): Promise<string> =>
    agreementOf(http, await firstPayment(http, undefined, { card }), fields);
  const ask = (id: string, what: string, body: object = {}) => http.shop.ask('POST', `/agreements/${id}/${what}`, body);
  const charge = (id: string, periodKey: string) => ask(id, 'charges', { periodKey, orderId: `order-${periodKey}` });
  const about = (id: string): readonly Message[] => told.filter(({ agreement }) => agreement?.id === id);
  const shown = ({ eventType, agreement }: Message): string => `${eventType} ${agreement?.status}`;
  const untilTold = async (id: string, types: readonly string[]): Promise<readonly Message[]> => {
    await until(() => about(id).length >= types.length);
    expect(about(id).map(shown)).to.deep.equal(types);
    return about(id);
  };

  it('tell each change of the status in order, each with the agreement as it was then', async () => {
    const id = await made('4242424242424242');
    await ask(id, 'pause');
    await ask(id, 'pause');
    await ask(id, 'resume');
    await charge(id, 'p');
    await ask(id, 'cancel');
    const messages = await untilTold(id, [
      'AGREEMENT.STATUS ACTIVE',
      'AGREEMENT.STATUS PAUSED',
      'AGREEMENT.STATUS ACTIVE',
      'AGREEMENT.CHARGE ACTIVE',
      'AGREEMENT.STATUS CANCELLED',
    ]);
    for (const [place, { sequence, previousSequence, agreement, payment }] of messages.entries()) {
      expect(previousSequence).to.equal(messages[place - 1]?.sequence);
      expect(agreement?.version).to.equal(sequence);
      expect(payment).to.equal(undefined);
    }
    const { body } = await http.shop.ask('GET', `/agreements/${id}`);
    expect(messages.at(-1)?.agreement).to.deep.equal(body);
  });

  it('tell each try of a period with its outcome, and when the next one is', async () => {
    const id = await made(NO_FUNDS, { retry: { policy: 'DAYS', days: [2] } });
    const first = bodyOf(await charge(id, 'p'), z.looseObject({ id: z.string() }));
    const [, message] = await untilTold(id, ['AGREEMENT.STATUS ACTIVE', 'AGREEMENT.CHARGE ACTIVE']);
    expect(message?.charge).to.include({
      periodKey: 'p',
      paymentId: first.id,
      tries: 1,
      outcome: 'DECLINED',
      code: 'INSUFFICIENT_FUNDS',
      because: 'DECLINED',
    });
    const at = Date.parse(String(message?.charge?.['claimedAt']));
    expect(message?.charge).to.include({
      notBefore: formatTime(at + DAY_MS),
      retryAt: formatTime(at + 2 * DAY_MS),
    });
  });

  it('say what the customer has to do', async () => {
    const id = await made(EXPIRED);
    await charge(id, 'p');
    const messages = await untilTold(id, [
      'AGREEMENT.STATUS ACTIVE',
      'AGREEMENT.CHARGE ACTIVE',
      'AGREEMENT.ACTION_REQUIRED SUSPENDED',
    ]);
    expect(messages.at(-1)?.agreement).to.include({ action: 'NEW_INSTRUMENT' });
    expect(messages.at(-1)).to.not.have.any.keys('charge');
  });

  it('are listed among those of payments, for their own account alone', async () => {
    const payment = await firstPayment(http);
    const id = await agreementOf(http, payment);
    await charge(id, 'p');
    await untilTold(id, ['AGREEMENT.STATUS ACTIVE', 'AGREEMENT.CHARGE ACTIVE']);
    const listed: Message[] = [];
    let query = '';
    do {
      const page = bodyOf(
        await http.shop.ask('GET', `/events?limit=100${query}`),
        z.object({ data: z.array(Message), nextCursor: z.string().optional() }),
      );
      listed.push(...page.data);
      query = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
    } while (query !== '');
    const [made0, charged] = about(id);
    const { previousSequence: _none, ...first } = made0 ?? expect.fail('it is told');
    const { previousSequence: _first, ...second } = charged ?? expect.fail('it is told');
    expect(listed.filter(({ agreement }) => agreement?.id === id)).to.deep.equal([first, second]);
    expect(listed.some((one) => one.payment !== undefined)).to.equal(true);
    const others = await http.other.ask('GET', `/events?after=${first.eventId}`);
    expect(others.error?.errorId).to.equal('InvalidCursor');
  });

  it('are sent again at the request of a person, with the same body', async () => {
    const id = await made('4242424242424242');
    const [first] = await untilTold(id, ['AGREEMENT.STATUS ACTIVE']);
    await until(async () => {
      const { state } = await http.service.streams.webhookQueues.current(`${endpointId}.${id}`);
      return state.status !== 'absent' && state.messages[0]?.status === 'delivered';
    });
    const resent = await http.service.webhooks.resendWebhook(`${endpointId}.${id}.${first?.sequence}`);
    expect(resent.kind).to.equal('completed');
    http.service.lookAtOnce();
    await until(() => about(id).length === 2);
    expect(about(id)[1]).to.deep.equal(first);
    const log = await http.service.webhooks.readDelivery(`${endpointId}.${id}.${first?.sequence}`, http.shop.accountId);
    if ('kind' in log) expect.fail(log.description);
    expect(JSON.parse(log.body)).to.deep.equal(first);
    expect(log.entries.map((entry) => entry.kind === 'resend' || entry.isAsSent))
      .to.include(true)
      .and.not.include(false);
  });

  it('go to no endpoint that names other types', async () => {
    const { accountId } = http.shop;
    const url = 'https://payments.example/';
    const added = await http.service.webhooks.addWebhookEndpoint({ accountId, url, events: ['PAYMENT.STATUS'] });
    if (added.kind === 'rejected') expect.fail(added.description);
    const id = await made('4242424242424242');
    await untilTold(id, ['AGREEMENT.STATUS ACTIVE']);
    const queue = await http.service.streams.webhookQueues.current(`${added.id}.${id}`);
    expect(queue.state.status).to.equal('absent');
    await http.service.webhooks.disableWebhookEndpoint(added.id);
  });
});
