// One period that is charged at once from two nodes, under many keys, beside pauses and cancellations.
import { expect } from 'chai';
import { z } from 'zod';
import { CONSENT, TERMS } from '../support/agreement-made.ts';
import { createSession, ok, paymentIn, tokenize, verdictOf } from '../support/load-calls.ts';
import { type Arena, appendedSince, arenas, atOnce } from './arena.ts';

const Made = z.looseObject({ id: z.string() });

for (const [name, open] of arenas) {
  describe(`charges of one period that race, on ${name}`, () => {
    let arena: Arena;
    before(async () => {
      arena = await open();
    });
    after(() => arena.close());
    afterEach(async () => {
      expect(arena.faults()).to.deep.equal([]);
      expect(await arena.differences()).to.deep.equal([]);
    });

    const agreed = async (): Promise<string> => {
      const [node] = arena.nodes;
      const kept = { customerId: 'customer-1', paymentMethod: { vaultOnSuccess: true } };
      const clientToken = await createSession(node, kept);
      const paymentMethodToken = await tokenize(node, clientToken);
      const { id } = paymentIn(ok(await node.call('POST', '/payments', { clientToken, paymentMethodToken })));
      const terms = { ...TERMS, amountRule: 'MAXIMUM', frequency: undefined };
      const asked = { paymentId: id, kind: 'UNSCHEDULED', terms, consent: CONSENT };
      return Made.parse(ok(await node.call('POST', '/agreements', asked)).body).id;
    };
    const requests = async (head: bigint): Promise<number> =>
      (await appendedSince(arena.events, head)).filter(({ type }) => type === 'AuthorizationRequested').length;

    it('make one payment for sixty calls, each under a key of its own or none', async () => {
      const id = await agreed();
      const head = await arena.events.head();
      const answers = await atOnce(60, arena, (node, n) =>
        node.call(
          'POST',
          `/agreements/${id}/charges`,
          { periodKey: 'p', orderId: 'o' },
          n % 3 === 0 ? {} : { 'X-Idempotency-Key': `${id}-${n}` },
        ),
      );
      const paid = answers.filter(({ status }) => status < 300);
      expect(new Set(paid.map((answer) => Made.parse(answer.body).id)).size).to.equal(1);
      expect(paid.length).to.be.greaterThan(40);
      for (const answer of answers) expect(verdictOf(answer)).to.be.oneOf(['200', '202', '409 Conflict']);
      expect(await requests(head)).to.equal(1);
    });

    it('make one payment for each of twenty periods that two jobs run at once', async () => {
      const id = await agreed();
      const head = await arena.events.head();
      const answers = await atOnce(40, arena, (node, n) =>
        node.call('POST', `/agreements/${id}/charges`, { periodKey: `p-${n >> 1}`, orderId: `o-${n >> 1}` }),
      );
      for (const answer of answers) expect(verdictOf(answer)).to.be.oneOf(['200', '202', '409 Conflict']);
      expect(await requests(head)).to.be.at.most(20);
      for (let period = 0; period < 20; period += 1) {
        const asked = { periodKey: `p-${period}`, orderId: `o-${period}` };
        ok(await arena.nodes[period % 2 === 0 ? 0 : 1].call('POST', `/agreements/${id}/charges`, asked));
      }
      expect(await requests(head)).to.equal(20);
    });

    it('are begun before a cancellation, or refused', async () => {
      for (let round = 0; round < 10; round += 1) {
        const id = await agreed();
        const head = await arena.events.head();
        const [one, two] = round % 2 === 0 ? arena.nodes : [arena.nodes[1], arena.nodes[0]];
        const [charged, cancelled] = await Promise.all([
          one.call('POST', `/agreements/${id}/charges`, { periodKey: 'p', orderId: 'o' }),
          two.call('POST', `/agreements/${id}/cancel`, {}),
        ]);
        ok(cancelled);
        const order = (await appendedSince(arena.events, head)).map(({ type }) => type);
        const [claimed, ended] = [order.indexOf('ChargeClaimed'), order.indexOf('AgreementCancelled')];
        if (charged.status < 300) expect(claimed).to.be.within(0, ended);
        else expect([verdictOf(charged), claimed]).to.deep.equal(['400 InvalidAgreementStatus', -1]);
      }
    });
  });
}
