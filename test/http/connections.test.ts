// GET /connections (contract §4): what each connection of the account can do and how it responds, and no secret.
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Listed = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  methods: z.array(z.looseObject({ type: z.string() })),
  circuit: z.looseObject({ state: z.string(), triesInMs: z.number().optional() }),
  lastAnswer: z.looseObject({ at: z.string() }).optional(),
});
const List = z.strictObject({ data: z.array(Listed) });

describe('GET /connections', () => {
  let http: HttpService;
  beforeEach(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  afterEach(() => http.stop());

  const listed = async () => bodyOf(await http.shop.ask('GET', '/connections'), List).data;
  const first = async () => {
    const [one] = await listed();
    return one ?? expect.fail('no connection is listed');
  };

  it('has the built-in sandbox with its methods, their limits, and what it can do later', async () => {
    const { methods, ...sandbox } = await first();
    expect(sandbox).to.deep.equal({
      id: 'sandbox',
      name: 'sandbox',
      processor: 'sandbox',
      status: 'ACTIVE',
      later: {
        separateCapture: true,
        partialCapture: true,
        multipleCaptures: true,
        adjustment: 'ANY',
        endAction: true,
        disputeResponse: true,
      },
      circuit: { state: 'CLOSED' },
    });
    expect(methods[0]).to.deep.equal({ type: 'PAYMENT_CARD' });
    expect(methods).to.deep.include({ type: 'IDEAL', currencies: ['EUR'], most: 5_000_000 });
    expect(methods.map(({ type }) => type)).to.include('APPLE_PAY');
  });

  it('has the connections of the account and of no other, with those that are disabled', async () => {
    const { connections } = http.service;
    const { accountId } = http.shop;
    const second = await connections.add({ accountId, processor: 'sandbox', name: 'second' });
    if (second.kind === 'rejected') throw new Error(second.description);
    await connections.disable(second.id);
    await connections.add({ accountId: http.other.accountId, processor: 'sandbox', name: 'foreign' });
    const shown = (await listed()).map(({ id, name, status }) => [id, name, status]);
    expect(shown).to.deep.equal([
      ['sandbox', 'sandbox', 'ACTIVE'],
      [second.id, 'second', 'DISABLED'],
    ]);
    const { text } = await http.shop.ask('GET', '/connections');
    expect(text).not.to.match(/secret|webhook|key/i);
  });

  it('has the last answer and the circuit of this node, and writes nothing', async () => {
    await http.shop.paid({ card: CARDS.declined });
    const { lastAnswer } = await first();
    expect(lastAnswer).to.include({ to: 'authorization', outcome: 'declined' });
    const of = { accountId: http.shop.accountId, connectionId: 'sandbox' };
    const { circuits } = http.service;
    for (let call = 0; call < circuits.limits.minCalls; call += 1) circuits.ended(of, 'operation', 'unknown');
    const open = await appendedBy(http.stores.events, listed);
    expect(open.types).to.deep.equal([]);
    expect(open.answer[0]?.circuit.state).to.equal('OPEN');
    expect(open.answer[0]?.circuit.triesInMs).to.be.within(1, circuits.limits.openMs);
    expect(open.answer[0]?.lastAnswer).to.deep.equal(lastAnswer);
    http.world.pass(circuits.limits.openMs);
    expect((await first()).circuit).to.deep.equal({ state: 'HALF_OPEN' });
    expect((await first()).circuit).to.deep.equal({ state: 'HALF_OPEN' });
    circuits.ended(of, 'operation', 'succeeded');
    expect((await first()).circuit).to.deep.equal({ state: 'CLOSED' });
  });
});
