// Two hundred concurrent calls for one payment: effects stay within the limits, all other calls are refused, and no
// fault occurs.
import { expect } from 'chai';
import {
  authorized,
  type LedgerLine,
  ledgerOf,
  linesOf,
  ok,
  type Payment,
  paymentIn,
  sumOf,
  tally,
  verdictOf,
} from '../support/load-calls.ts';
import type { Answer, Client } from '../support/load-client.ts';
import { type Arena, arenas, atOnce } from './arena.ts';

const MANY = 200;

/** Correct refusals of requests that came too late, or asked for more than is left. */
const REFUSALS = [
  '400 InvalidPaymentStatus',
  '409 Conflict',
  '409 PaymentAlreadyRefunded',
  '409 PaymentOperationInProgress',
  '422 UnprocessableCaptureAmount',
  '422 UnprocessableRefundAmount',
];

type Ask = (node: Client, id: string, index: number) => Promise<Answer>;
const capture: Ask = (node, id) => node.call('POST', `/payments/${id}/capture`);
const refund: Ask = (node, id) => node.call('POST', `/payments/${id}/refund`);
const cancel: Ask = (node, id, index) => node.call('POST', `/payments/${id}/cancel`, { reason: `tab ${index}` });
const captureOf =
  (amount: number): Ask =>
  (node, id) =>
    node.call('POST', `/payments/${id}/capture`, { amount, final: false });
const refundOf =
  (amount: number): Ask =>
  (node, id) =>
    node.call('POST', `/payments/${id}/refund`, { amount });
const adjust: Ask = (node, id, index) =>
  node.call('POST', `/payments/${id}/adjust-authorization`, { amount: 1_000 + index });

/** A caller that repeats its call until it is done or nothing is left. */
const patiently =
  (ask: Ask): Ask =>
  async (node, id, index) => {
    for (;;) {
      const answer = await ask(node, id, index);
      if (!['409 PaymentOperationInProgress', '409 Conflict'].includes(verdictOf(answer))) return answer;
    }
  };

interface Outcome {
  readonly answers: readonly Answer[];
  readonly payment: Payment;
  /** The effects at the processor since the last look. */
  readonly lines: readonly LedgerLine[];
}

for (const [name, open] of arenas) {
  describe(`two hundred concurrent calls for one payment, on ${name},`, () => {
    let arena: Arena;
    before(async () => {
      arena = await open();
    });
    after(() => arena.close());
    afterEach(async () => {
      expect(arena.faults()).to.deep.equal([]);
      expect(await arena.differences()).to.deep.equal([]);
    });

    const captured = async (): Promise<Payment> => {
      const { id } = await authorized(arena.nodes[0]);
      return paymentIn(ok(await arena.nodes[1].call('POST', `/payments/${id}/capture`)));
    };

    /** Sends all calls at once, in turn to either node. Checks the rules for every crowd, and answers the verdicts. */
    async function crowd({ id }: Payment, asks: readonly Ask[]): Promise<Outcome> {
      const before = linesOf(await ledgerOf(arena.nodes[0]), id).length;
      // Each node gets each kind of call.
      const answers = await atOnce(MANY, arena, async (node, index) => {
        const ask = asks[Math.floor(index / 2) % asks.length];
        if (ask === undefined) throw new Error('there is no call to send');
        return ask(node, id, index);
      });
      expect(
        Object.keys(tally(answers)).filter((verdict) => verdict !== '200' && !REFUSALS.includes(verdict)),
      ).to.deep.equal([]);
      const payment = paymentIn(ok(await arena.nodes[1].call('GET', `/payments/${id}`)));
      const lines = linesOf(await ledgerOf(arena.nodes[0]), id).slice(before);
      expect(answers.filter(({ status }) => status === 200)).to.have.length(lines.length);
      // the service never asks for an impossible operation
      expect(lines.filter(({ outcome }) => outcome !== 'succeeded')).to.deep.equal([]);
      expect(lines).to.not.have.length(0);
      const { amountAuthorized, amountCaptured, amountRefunded } = payment.processor;
      expect([amountAuthorized >= amountCaptured, amountCaptured >= amountRefunded]).to.deep.equal([true, true]);
      return { answers, payment, lines };
    }
    const operationsIn = (lines: readonly LedgerLine[]): readonly string[] => lines.map(({ operation }) => operation);

    it('capture the whole once', async () => {
      const { lines, payment } = await crowd(await authorized(arena.nodes[0]), [capture]);
      expect([operationsIn(lines), payment.status, payment.processor.amountCaptured]).to.deep.equal([
        ['capture'],
        'SETTLED',
        1_000,
      ]);
    });

    it('refund the whole once', async () => {
      const { lines, payment } = await crowd(await captured(), [refund]);
      expect([operationsIn(lines), payment.processor.amountRefunded]).to.deep.equal([['refund'], 1_000]);
    });

    it('cancel once', async () => {
      const { lines, payment } = await crowd(await authorized(arena.nodes[0]), [cancel]);
      expect([operationsIn(lines), payment.status]).to.deep.equal([['cancellation'], 'CANCELLED']);
    });

    it('either capture or cancel, and refund the captured amount once', async () => {
      for (const asks of [
        [capture, refund, cancel],
        [cancel, capture, refund],
      ]) {
        const { lines, payment } = await crowd(await authorized(arena.nodes[0]), asks);
        const operations = operationsIn(lines).join();
        expect(operations).to.be.oneOf(['capture', 'capture,refund', 'cancellation']);
        const moved = { amountCaptured: sumOf(lines, 'capture'), amountRefunded: sumOf(lines, 'refund') };
        expect(payment.processor).to.include(moved);
        expect(payment.status).to.equal(operations === 'cancellation' ? 'CANCELLED' : 'SETTLED');
      }
    });

    const parts = [captureOf(120), refundOf(50), captureOf(90), captureOf(40), refundOf(80), cancel].map(patiently);
    it('capture and refund parts up to the whole amount, and cancel the rest once', async () => {
      const { lines, payment } = await crowd(await authorized(arena.nodes[0]), parts);
      const operations = operationsIn(lines);
      expect(operations.filter((operation) => operation === 'cancellation')).to.have.length.at.most(1);
      const end = operations.indexOf('cancellation');
      if (end >= 0) expect(operations.slice(end)).to.not.include('capture');
      expect(payment.processor).to.include({
        amountCaptured: sumOf(lines, 'capture'),
        amountRefunded: sumOf(lines, 'refund'),
      });
    });

    it('adjust while parts are captured and refunded, never below the captured amount', async () => {
      const { id, ...rest } = await authorized(arena.nodes[0], { paymentMethod: { authorizationType: 'ESTIMATED' } });
      const { lines, payment } = await crowd(
        { id, ...rest },
        [adjust, captureOf(120), refundOf(50), captureOf(90)].map(patiently),
      );
      const adjusted = lines.findLast(({ operation }) => operation === 'adjustment');
      expect(payment.processor).to.include({
        amountAuthorized: adjusted?.amount ?? 1_000,
        amountCaptured: sumOf(lines, 'capture'),
        amountRefunded: sumOf(lines, 'refund'),
      });
    });
  });
}
