// Concurrent calls for the same money: a token pays once, a session pays once, and captures and refunds stay within
// their totals.
import { expect } from 'chai';
import { paymentIdOfReference } from '../../src/domain/payment/reference.ts';
import {
  authorized,
  createSession,
  failureIn,
  ledgerOf,
  linesOf,
  ok,
  paymentIn,
  sumOf,
  tally,
  tokenize,
} from '../support/load-calls.ts';
import { type Arena, appendedSince, arenas, atOnce, streamOf, typesOf } from './arena.ts';

/** Correct refusals of requests that lost the race. */
const LATE = [
  '409 PaymentOperationInProgress',
  '400 InvalidPaymentStatus',
  '409 Conflict',
  '422 UnprocessableCaptureAmount',
];
const LATE_REFUND = ['409 PaymentAlreadyRefunded', '409 Conflict', '422 UnprocessableRefundAmount'];

for (const [name, open] of arenas) {
  describe(`payments that race, on ${name}`, () => {
    let arena: Arena;
    before(async () => {
      arena = await open();
    });
    after(() => arena.close());
    afterEach(() => expect(arena.faults()).to.deep.equal([]));

    const payment = async (id: string) => paymentIn(ok(await arena.nodes[1].call('GET', `/payments/${id}`)));
    const linesNow = async (id: string) => linesOf(await ledgerOf(arena.nodes[0]), id);

    it('pay once with one token', async () => {
      const [node] = arena.nodes;
      const paymentMethodToken = await tokenize(node, await createSession(node));
      const before = (await ledgerOf(node)).length;
      const answers = await atOnce(20, arena, (at, index) =>
        at.call('POST', '/payments', { paymentMethodToken, orderId: `o-${index}`, currencyCode: 'EUR', amount: 5 }),
      );
      expect(tally(answers)).to.deep.equal({ '200': 1, '400 InvalidPaymentInstrumentToken': 19 });
      expect((await ledgerOf(node)).slice(before)).to.have.length(1);
      expect(typesOf(await streamOf(arena.events, `paymentInstrument-${paymentMethodToken}`))).to.deep.equal({
        InstrumentTokenized: 1,
        InstrumentClaimed: 1,
      });
    });

    it('pay a session from one of eight tabs, and leave the other tabs’ tokens usable', async () => {
      const [node] = arena.nodes;
      const clientToken = await createSession(node);
      const tokens = await Promise.all(Array.from({ length: 8 }, () => tokenize(node, clientToken)));
      const before = (await ledgerOf(node)).length;
      const answers = await atOnce(8, arena, (at, index) => {
        const paymentMethodToken = tokens[index] ?? '';
        return index < 4
          ? at.inCheckout(clientToken, 'POST', '/checkout/payments', { paymentMethodToken })
          : at.call('POST', '/payments', { clientToken, paymentMethodToken });
      });
      expect(tally(answers)).to.deep.equal({ '200': 1, '409 ClientSessionCompleted': 7 });
      const [line, ...others] = (await ledgerOf(node)).slice(before);
      expect(others).to.deep.equal([]);
      for (const [index, answer] of answers.entries()) {
        const stream = await streamOf(arena.events, `paymentInstrument-${tokens[index]}`);
        expect(typesOf(stream)['InstrumentClaimed']).to.equal(answer.status === 200 ? 1 : undefined);
        if (answer.status !== 200)
          expect(paymentIdOfReference(line?.reference ?? '')).to.equal(failureIn(answer).paymentId);
      }
    });

    it('leave a session open after declined cards in eight tabs', async () => {
      const [node] = arena.nodes;
      const clientToken = await createSession(node);
      const tokens = await Promise.all(
        Array.from({ length: 8 }, () => tokenize(node, clientToken, '4000000000000002')),
      );
      const answers = await atOnce(8, arena, (at, index) =>
        at.call('POST', '/payments', { clientToken, paymentMethodToken: tokens[index] }),
      );
      expect(Object.keys(tally(answers))).to.have.members([
        '200',
        ...(tally(answers)['200'] === 8 ? [] : ['409 ClientSessionCompleted']),
      ]);
      for (const answer of answers) if (answer.status === 200) expect(paymentIn(answer).status).to.equal('DECLINED');
      ok(await arena.nodes[1].call('PATCH', '/client-session', { clientToken, amount: 5 }));
      const paid = await arena.nodes[0].call('POST', '/payments', {
        clientToken,
        paymentMethodToken: await tokenize(node, clientToken),
      });
      expect(paymentIn(ok(paid))).to.include({ status: 'AUTHORIZED', amount: 5 });
    });

    it('capture no more than was authorized, and nothing after a cancellation', async () => {
      for (let round = 0; round < 3; round += 1) {
        const { id } = await authorized(arena.nodes[0]);
        const answers = await atOnce(40, arena, (at, index) =>
          Math.floor(index / 2) % 2 === 0
            ? at.call('POST', `/payments/${id}/capture`, { amount: 60, final: false })
            : at.call('POST', `/payments/${id}/cancel`, { reason: `tab ${index}` }),
        );
        expect(
          Object.keys(tally(answers)).filter((verdict) => verdict !== '200' && !LATE.includes(verdict)),
        ).to.deep.equal([]);
        const { status, processor } = await payment(id);
        const lines = await linesNow(id);
        expect(processor.amountCaptured).to.equal(sumOf(lines, 'capture')).and.to.be.at.most(1_000);
        expect(lines.filter(({ operation }) => operation === 'cancellation')).to.have.length.at.most(1);
        // the service never asks for an impossible operation
        expect(lines.every(({ outcome }) => outcome === 'succeeded')).to.equal(true);
        const isCancelled = lines.some(({ operation }) => operation === 'cancellation');
        expect(status).to.equal(
          isCancelled ? (processor.amountCaptured === 0 ? 'CANCELLED' : 'PARTIALLY_SETTLED') : 'PARTIALLY_SETTLED',
        );
        expect(answers.filter((answer) => answer.status === 200)).to.have.length(lines.length - 1);
      }
    });

    it('capture the whole once', async () => {
      const { id } = await authorized(arena.nodes[0]);
      const answers = await atOnce(20, arena, (at) => at.call('POST', `/payments/${id}/capture`));
      expect(tally(answers)['200']).to.equal(1);
      expect(sumOf(await linesNow(id), 'capture')).to.equal(1_000);
      expect(await payment(id)).to.include({ status: 'SETTLED' });
    });

    it('refund no more than was captured, and exactly the accepted refunds', async () => {
      const { id } = await authorized(arena.nodes[0]);
      ok(await arena.nodes[1].call('POST', `/payments/${id}/capture`));
      const answers = await atOnce(40, arena, (at) => at.call('POST', `/payments/${id}/refund`, { amount: 40 }));
      expect(
        Object.keys(tally(answers)).filter((verdict) => verdict !== '200' && !LATE_REFUND.includes(verdict)),
      ).to.deep.equal([]);
      const said = answers.filter(({ status }) => status === 200).length;
      const { processor } = await payment(id);
      expect(processor.amountRefunded)
        .to.equal(said * 40)
        .and.to.be.at.most(1_000);
      expect(processor.amountRefundable).to.equal(1_000 - said * 40);
      expect(sumOf(await linesNow(id), 'refund')).to.equal(said * 40);
      // A few calls may have lost five races in a row. No other was refused while an amount was left.
      if (said < 25) expect(tally(answers)['409 Conflict']).to.be.greaterThan(0);
    });

    it('adjust an authorization to the total of the last call', async () => {
      const { id } = await authorized(arena.nodes[0], { paymentMethod: { authorizationType: 'ESTIMATED' } });
      const answers = await atOnce(20, arena, (at, index) =>
        at.call('POST', `/payments/${id}/adjust-authorization`, { amount: 1_001 + index }),
      );
      const lines = (await linesNow(id)).filter(({ operation }) => operation === 'adjustment');
      expect(answers.filter(({ status }) => status === 200)).to.have.length(lines.length);
      expect((await payment(id)).processor.amountAuthorized).to.equal(lines.at(-1)?.amount);
    });

    it('append no event for the losers of a race', async () => {
      const { id } = await authorized(arena.nodes[0]);
      const head = await arena.events.head();
      const answers = await atOnce(10, arena, (at) => at.call('POST', `/payments/${id}/cancel`));
      expect(tally(answers)['200']).to.equal(1);
      const types = typesOf(
        (await appendedSince(arena.events, head)).filter(({ stream }) => stream === `payment-${id}`),
      );
      expect(types).to.deep.equal({ CancellationRequested: 1, AuthorizationVoided: 1 });
    });
  });
}
