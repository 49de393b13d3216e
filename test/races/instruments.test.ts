// Concurrent vaultings, defaults and deletions of instruments: one customer each, one instrument a card, one default
// (contract §5).
import { expect } from 'chai';
import { z } from 'zod';
import { createSession, type Instrument, instrumentIn, ok, tally, tokenize } from '../support/load-calls.ts';
import { type Arena, arenas, atOnce } from './arena.ts';

const Listed = z.object({ data: z.array(z.looseObject({ token: z.string(), default: z.boolean() })) });
const NUMBERS = ['4242424242424242', '5555555555554444', '378282246310005', '6011111111111117'];

for (const [name, open] of arenas) {
  describe(`instruments that race, on ${name}`, () => {
    let arena: Arena;
    let customers = 0;
    before(async () => {
      arena = await open();
    });
    after(() => arena.close());
    afterEach(() => expect(arena.faults()).to.deep.equal([]));

    const customer = (): string => `customer-${customers++}-${name}`;
    const token = async (number?: string) => tokenize(arena.nodes[0], await createSession(arena.nodes[0]), number);
    const vault = (node: Arena['nodes'][0], one: string | undefined, customerId: string) =>
      node.call('POST', `/payment-instruments/${one}/vault`, { customerId });
    const listed = async (customerId: string) => {
      const path = `/payment-instruments?customer_id=${encodeURIComponent(customerId)}`;
      const [one, two] = await Promise.all(arena.nodes.map((node) => node.call('GET', path)));
      if (one === undefined || two === undefined) throw new Error('both answer');
      expect(ok(two).text).to.equal(ok(one).text);
      return Listed.parse(one.body).data;
    };
    const read = async (one: string): Promise<Instrument> =>
      instrumentIn(ok(await arena.nodes[1].call('GET', `/payment-instruments/${one}`)));

    it('become one instrument when one customer vaults ten tokens of one card', async () => {
      for (let round = 0; round < 3; round += 1) {
        const customerId = customer();
        const tokens = await Promise.all(Array.from({ length: 10 }, () => token()));
        const answers = await atOnce(10, arena, (node, index) => vault(node, tokens[index], customerId));
        expect(tally(answers)).to.deep.equal({ '200': 10 });
        const kept = new Set(answers.map((answer) => instrumentIn(answer).token));
        expect(kept).to.have.property('size', 1);
        for (const answer of answers)
          expect(instrumentIn(answer)).to.include({ tokenType: 'MULTI_USE', customerId, default: true });
        expect((await listed(customerId)).map((one) => one.token)).to.deep.equal([...kept]);
      }
    });

    it('belong to one customer when two vault the same token', async () => {
      for (let round = 0; round < 5; round += 1) {
        const one = await token();
        const both = [customer(), customer()];
        const answers = await atOnce(10, arena, (node, index) => vault(node, one, both[index < 5 ? 0 : 1] ?? ''));
        expect(tally(answers)).to.deep.equal({ '200': 5, '409 PaymentInstrumentVaultedElsewhere': 5 });
        const lists = await Promise.all(both.map(listed));
        expect(lists.map(({ length }) => length).sort()).to.deep.equal([0, 1]);
      }
    });

    it('have one default after concurrent defaults, vaultings and deletions', async () => {
      for (let round = 0; round < 3; round += 1) {
        const customerId = customer();
        const tokens = await Promise.all(NUMBERS.map(token));
        for (const one of tokens) ok(await vault(arena.nodes[0], one, customerId));
        const again = await token(NUMBERS[0]);
        const answers = await atOnce(24, arena, (node, index) => {
          const one = tokens[Math.floor(index / 2) % 4];
          if (index >= 20) return node.call('DELETE', `/payment-instruments/${tokens[index % 2]}`);
          return index === 19
            ? vault(node, again, customerId)
            : node.call('POST', `/payment-instruments/${one}/default`);
        });
        const allowed = ['200', '400 InvalidPaymentInstrumentToken', '409 Conflict'];
        expect(Object.keys(tally(answers)).filter((verdict) => !allowed.includes(verdict))).to.deep.equal([]);
        const left = await listed(customerId);
        expect(left.filter((one) => one.default)).to.have.length(1);
        for (const one of [...tokens, again]) {
          const { deleted, tokenType } = await read(one);
          const isListed = left.some((entry) => entry.token === one);
          expect(isListed, `${one} is listed when it is vaulted and not deleted`).to.equal(
            !deleted && tokenType === 'MULTI_USE',
          );
        }
      }
    });

    it('are deleted once, and can then pay on neither node', async () => {
      const customerId = customer();
      const one = await token();
      ok(await vault(arena.nodes[0], one, customerId));
      const answers = await atOnce(12, arena, (node, index) =>
        index < 4
          ? node.call('DELETE', `/payment-instruments/${one}`)
          : node.call('POST', '/payments', {
              paymentMethodToken: one,
              orderId: 'o',
              currencyCode: 'EUR',
              amount: 5,
              customerId,
            }),
      );
      expect(
        Object.keys(tally(answers)).filter(
          (verdict) => verdict !== '200' && verdict !== '400 InvalidPaymentInstrumentToken',
        ),
      ).to.deep.equal([]);
      const late = await atOnce(4, arena, (node) =>
        node.call('POST', '/payments', {
          paymentMethodToken: one,
          orderId: 'o',
          currencyCode: 'EUR',
          amount: 5,
          customerId,
        }),
      );
      expect(tally(late)).to.deep.equal({ '400 InvalidPaymentInstrumentToken': 4 });
      expect(await listed(customerId)).to.deep.equal([]);
    });

    it('are either vaulted or deleted when both are requested at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const customerId = customer();
        const one = await token();
        await atOnce(4, arena, (node, index) =>
          index < 2 ? vault(node, one, customerId) : node.call('DELETE', `/payment-instruments/${one}`),
        );
        expect((await listed(customerId)).map((entry) => entry.token)).to.deep.equal(
          (await read(one)).deleted ? [] : [one],
        );
      }
    });
  });
}
