// The processor port over the sandbox on a real file, in this process and on another node: tokens, the acquirer's
// rules, repetition by reference, look-ups, the ledger.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { transactionIdOf } from '../../../src/processors/sandbox/names.ts';
import { openSandbox } from '../../../src/processors/sandbox/sandbox.ts';
import type { Sandbox } from '../../../src/processors/sandbox/sandbox-interface.ts';
import { openDatabase } from '../../../src/stores/sqlite/file/database.ts';
import { about, callOf } from '../../support/call-of.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { until } from '../../support/until.ts';
import { wholeLedger } from '../../support/whole-ledger.ts';
import { PLACES } from './other-node.ts';
import {
  ACCOUNT,
  type AdvancingWorld,
  advancingWorld,
  card,
  never,
  SECRET,
  soon,
  succeeded,
  TestPayment,
  temporaryDirectory,
  tokenFor,
} from './sandbox-setup.ts';

const APPROVED = '4242424242424242';

for (const { where, open } of PLACES)
  describe(`sandbox processor ${where}`, () => {
    let directory: ReturnType<typeof temporaryDirectory>;
    let world: AdvancingWorld;
    let sandbox: Sandbox;
    beforeEach(async () => {
      directory = temporaryDirectory();
      world = advancingWorld();
      sandbox = await open(`${directory.path}/sandbox.db`, world);
    });
    afterEach(async () => {
      await sandbox.close();
      directory.remove();
    });

    describe('tokenize', () => {
      const refusal = async (change: object): Promise<string> => {
        const answer = await sandbox.tokenize(
          { reference: 'r', accountId: ACCOUNT, from: { card: { ...card(APPROVED), ...change } } },
          callOf(never()),
        );
        return answer.kind === 'refused' ? answer.description : answer.kind;
      };

      it('takes only its own test cards', async () => {
        expect(await refusal({ number: '4111111111111111' })).to.equal(
          'The sandbox accepts only its test cards. GET /sandbox/scenarios lists them.',
        );
      });

      it('takes a card until the end of its month and any security code', async () => {
        const clock = { now: Date.UTC(2026, 1, 1) - 1 };
        await sandbox.close();
        sandbox = await open(`${directory.path}/months.db`, { ...calmWorld, now: () => clock.now });
        expect(await refusal({ expirationMonth: '1', expirationYear: '2026', cvc: '9' })).to.equal('token');
        expect(await refusal({ expirationMonth: '01', expirationYear: '26' })).to.equal('token');
        expect(await refusal({ expirationMonth: '1', expirationYear: '2025' })).to.equal('The card has expired.');
        expect(await refusal({ expirationMonth: '12', expirationYear: '2025' })).to.equal('The card has expired.');
        clock.now += 1;
        expect(await refusal({ expirationMonth: '01', expirationYear: '26' })).to.equal('The card has expired.');
        expect(await refusal({ expirationMonth: '13' })).to.equal('The expiry must be a month and a year.');
      });

      it('answers the same reference with the same token, and another account with another', async () => {
        const first = await tokenFor(sandbox, APPROVED, 'same');
        expect(await tokenFor(sandbox, APPROVED, 'same')).to.equal(first);
        expect(await tokenFor(sandbox, APPROVED, 'other')).not.to.equal(first);
        expect(await tokenFor(sandbox, APPROVED, 'same', 'acc_2')).not.to.equal(first);
      });

      it('keeps no card number and no security code, and its file is for its owner alone', async () => {
        const payment = new TestPayment(sandbox);
        await payment.authorize(APPROVED);
        const files = readdirSync(directory.path).map((name) => `${directory.path}/${name}`);
        expect(files).not.to.deep.equal([]);
        for (const file of files) {
          expect(readFileSync(file).includes(APPROVED), file).to.equal(false);
          expect(statSync(file).mode & 0o077, file).to.equal(0);
        }
      });
    });

    describe('rules', () => {
      // Rules know nothing of files: in memory, each test has a ledger of its own without a thread to start.
      let payment: TestPayment;
      let inMemory: Sandbox;
      afterEach(() => inMemory.close());
      beforeEach(async () => {
        inMemory = await open('memory', world);
        payment = new TestPayment(inMemory);
        succeeded(await payment.authorize(APPROVED, 1_000));
      });
      const refused = async (...asked: Parameters<TestPayment['ask']>): Promise<string | undefined> => {
        const outcome = await payment.ask(...asked);
        return outcome.kind === 'declined' ? `${outcome.declineType} ${outcome.code}` : outcome.kind;
      };

      it('captures up to the amount that is authorized and not captured yet', async () => {
        succeeded(await payment.ask('capture', 'c1', 600, { final: false }));
        expect(await refused('capture', 'c2', 401)).to.equal('HARD AMOUNT_ABOVE_CAPTURABLE');
        succeeded(await payment.ask('capture', 'c3', 400, { final: false }));
        expect(await refused('capture', 'c4', 1)).to.contain('AMOUNT_ABOVE_CAPTURABLE');
      });

      it('releases the rest with a final capture', async () => {
        succeeded(await payment.ask('capture', 'c1', 600));
        expect(await refused('capture', 'c2', 1)).to.contain('NOTHING_TO_CAPTURE');
        expect(await refused('cancellation', 'v', 0)).to.contain('NOTHING_TO_CANCEL');
      });

      it('voids an uncaptured authorization, once, and refuses one that was captured whole', async () => {
        succeeded(await payment.ask('cancellation', 'v1', 0));
        expect(await refused('cancellation', 'v2', 0)).to.contain('NOTHING_TO_CANCEL');
        expect(await refused('capture', 'c', 1)).to.contain('NOTHING_TO_CAPTURE');
        const other = new TestPayment(inMemory, 'pay_2');
        await other.authorize(APPROVED, 500);
        await other.ask('capture', 'c', 500, { final: false });
        expect((await other.ask('cancellation', 'v', 0)).kind).to.equal('declined');
      });

      it('releases the open rest of a partly captured authorization, and refunds the captured part', async () => {
        await payment.ask('capture', 'c', 400, { final: false });
        succeeded(await payment.ask('cancellation', 'v', 0));
        expect(await refused('capture', 'c2', 1)).to.contain('NOTHING_TO_CAPTURE');
        succeeded(await payment.ask('refund', 'r', 400));
      });

      it('refunds up to the captured amount', async () => {
        expect(await refused('refund', 'r1', 1)).to.contain('AMOUNT_ABOVE_REFUNDABLE');
        await payment.ask('capture', 'c', 700);
        succeeded(await payment.ask('refund', 'r2', 300));
        expect(await refused('refund', 'r3', 401)).to.contain('AMOUNT_ABOVE_REFUNDABLE');
        succeeded(await payment.ask('refund', 'r4', 400));
        expect(await refused('refund', 'r5', 1)).to.contain('AMOUNT_ABOVE_REFUNDABLE');
      });

      it('adjusts an open authorization, not below the captured amount', async () => {
        succeeded(await payment.ask('adjustment', 'j1', 1_500));
        succeeded(await payment.ask('capture', 'c1', 1_200, { final: false }));
        expect(await refused('adjustment', 'j2', 1_199)).to.contain('AMOUNT_BELOW_CAPTURED');
        succeeded(await payment.ask('adjustment', 'j3', 1_200));
        expect(await refused('capture', 'c2', 1)).to.contain('AMOUNT_ABOVE_CAPTURABLE');
        const closed = new TestPayment(inMemory, 'pay_2');
        await closed.authorize(APPROVED);
        await closed.ask('cancellation', 'v', 0);
        expect((await closed.ask('adjustment', 'j', 5)).kind).to.equal('declined');
      });

      it('reserves pending captures and refunds, and gives back those that fail', async () => {
        const pending = new TestPayment(inMemory, 'pay_2');
        await pending.authorize('4000009900003057', 1_000);
        expect((await pending.ask('capture', 'c1', 800, { final: false })).kind).to.equal('pending');
        expect((await pending.ask('capture', 'c2', 201, { final: false })).kind).to.equal('declined');
        expect((await pending.ask('refund', 'r', 1)).kind).to.equal('declined');
        world.advance(5_000);
        expect((await pending.ask('capture', 'c3', 1_000)).kind).to.equal('pending');

        const refunding = new TestPayment(inMemory, 'pay_3');
        await refunding.authorize('4000009900004022', 1_000);
        await refunding.ask('capture', 'c', 1_000);
        expect((await refunding.ask('refund', 'r1', 800)).kind).to.equal('pending');
        expect((await refunding.ask('refund', 'r2', 201)).kind).to.equal('declined');
        world.advance(3 * 86_400_000);
        expect((await refunding.ask('refund', 'r3', 1_000)).kind).to.equal('pending');
      });

      it('knows no transaction and no card of another account', async () => {
        expect(await refused('capture', 'c', 1, { accountId: 'acc_2' })).to.equal('HARD TRANSACTION_UNKNOWN');
        const byReference = { accountId: 'acc_2', authorization: { reference: 'pay_1.a' } };
        expect(await refused('capture', 'c3', 1, byReference)).to.equal('HARD TRANSACTION_UNKNOWN');
        const processorToken = await tokenFor(inMemory, APPROVED);
        expect(await refused('authorization', 'a2', 1, { accountId: 'acc_2', processorToken })).to.equal(
          'HARD CARD_UNKNOWN',
        );
      });

      it('declines an unknown transaction, another currency, no amount, and anything on a declined authorization', async () => {
        expect(
          await refused('capture', 'c1', 1, { authorization: { processorTransactionId: 'sbx_auth_none' } }),
        ).to.contain('TRANSACTION_UNKNOWN');
        expect(await refused('capture', 'c2', 1, { currencyCode: 'USD' })).to.contain('CURRENCY_MISMATCH');
        expect(await refused('refund', 'r', 0)).to.contain('AMOUNT_TOO_SMALL');
        const declined = new TestPayment(inMemory, 'pay_2');
        const outcome = await declined.authorize('4000000000000002');
        const processorTransactionId = outcome.kind === 'declined' ? (outcome.processorTransactionId ?? '') : '';
        expect((await declined.ask('capture', 'c', 1, { authorization: { processorTransactionId } })).kind).to.equal(
          'declined',
        );
      });

      it('takes a capture for the authorization of nothing: only an authorization can be captured', async () => {
        const capture = await payment.ask('capture', 'c1', 100, { final: false });
        succeeded(capture);
        expect(
          await refused('refund', 'r', 1, {
            authorization: { processorTransactionId: capture.processorTransactionId },
          }),
        ).to.contain('TRANSACTION_UNKNOWN');
      });
    });

    describe('repetition', () => {
      it('answers a known reference with its record, and does nothing a second time', async () => {
        const payment = new TestPayment(sandbox);
        const first = await payment.authorize(APPROVED);
        expect(await payment.authorize(APPROVED, 777)).to.deep.equal(first);
        const capture = await payment.ask('capture', 'c', 600, { final: false });
        expect(await payment.ask('capture', 'c', 600, { final: false })).to.deep.equal(capture);
        expect((await wholeLedger(sandbox)).map(({ amount }) => amount)).to.deep.equal([1_000, 600]);
      });

      it('does one thing for twenty equal requests at once', async () => {
        const payment = new TestPayment(sandbox);
        await payment.authorize(APPROVED);
        const answers = await Promise.all(Array.from({ length: 20 }, () => payment.ask('capture', 'c', 1_000)));
        expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
        expect(await wholeLedger(sandbox)).to.have.length(2);
      });

      it('answers the effect after a timeout, without moving the money again', async () => {
        const payment = new TestPayment(sandbox);
        expect((await payment.authorize('4000009900001044', 1_000, soon)).kind).to.equal('unknown');
        expect((await payment.authorize('4000009900001044', 1_000)).kind).to.equal('succeeded');
        expect(await wholeLedger(sandbox)).to.have.length(1);
      });

      it('gives the same bytes for the same requests', async () => {
        const world = { ...calmWorld, now: () => Date.UTC(2026, 0, 1) };
        const digests = [];
        for (const file of [`${directory.path}/one.db`, `${directory.path}/two.db`, 'memory']) {
          const other = await open(file, world);
          const payment = new TestPayment(other);
          const outcomes = [
            await payment.authorize('4000009900004055'),
            await payment.ask('capture', 'c', 1_000),
            await payment.ask('refund', 'r', 9),
          ];
          digests.push(
            createHash('sha256')
              .update(JSON.stringify([outcomes, await wholeLedger(other)]))
              .digest('hex'),
          );
          await other.close();
        }
        expect(new Set(digests).size).to.equal(1);
      });
    });

    it('does not send a call whose deadline is past already', async () => {
      const payment = new TestPayment(sandbox);
      expect((await payment.authorize(APPROVED, 1_000, () => AbortSignal.abort())).kind).to.equal('not_sent');
      expect(await sandbox.lookUp(about(payment.reference('a')), callOf(never()))).to.deep.equal({ kind: 'not_found' });
    });

    it('ends a look-up without an answer at its deadline, even if that passes at once', async () => {
      const payment = new TestPayment(sandbox);
      await payment.authorize(APPROVED);
      const rules = [{ match: { operation: 'look_up' }, do: { phase: 'after_effect_before_reply', fault: 'hang' } }];
      await sandbox.setFaults(ACCOUNT, { seed: 1, rules });
      const over = new AbortController();
      const found = sandbox.lookUp(about(payment.reference('a')), callOf(over.signal));
      over.abort();
      expect((await found).kind).to.equal('unreachable');
    });

    it('misses in time an effect that a locked file delays, and finds it afterwards', async () => {
      const payment = new TestPayment(sandbox);
      await payment.authorize(APPROVED);
      const locking = await openDatabase({
        file: `${directory.path}/sandbox.db`,
        synchronous: 'full',
        busyTimeoutMs: 1_000,
        cacheKiB: 64,
      });
      locking.exec('BEGIN IMMEDIATE');
      const request = {
        operation: 'capture',
        final: true,
        reference: 'pay_1.c',
        accountId: ACCOUNT,
        paymentId: 'pay_1',
        amount: 1,
        currencyCode: 'EUR',
        requestedAt: 0,
      } as const;
      const outcome = await sandbox.perform(
        { ...request, authorization: { processorTransactionId: payment.transactionId } },
        callOf(soon()),
      );
      expect(outcome.kind).to.equal('unknown');
      locking.exec('ROLLBACK');
      locking.close();
      await until(async () => (await sandbox.lookUp(about('pay_1.c'), callOf(never()))).kind === 'succeeded');
    });

    it('looks up every operation by its own reference', async () => {
      const payment = new TestPayment(sandbox);
      const answers = {
        a: await payment.authorize(APPROVED),
        j: await payment.ask('adjustment', 'j', 900),
        c: await payment.ask('capture', 'c', 500, { final: false }),
        v: await payment.ask('cancellation', 'v', 0),
        r: await payment.ask('refund', 'r', 200),
        x: await payment.ask('refund', 'x', 301),
      };
      for (const [suffix, answer] of Object.entries(answers)) {
        expect(await sandbox.lookUp(about(payment.reference(suffix)), callOf(never()))).to.deep.equal(answer);
      }
      expect(await sandbox.lookUp(about(payment.reference('none')), callOf(never()))).to.deep.equal({
        kind: 'not_found',
      });
    });

    it('lists in its ledger all that moved money or was refused, in order, even after it was opened again', async () => {
      const begun = calmWorld.now();
      const payment = new TestPayment(sandbox);
      const line = (suffix: string, operation: 'authorization' | 'capture', amount: number, outcome: string) => {
        const reference = payment.reference(suffix);
        return { reference, operation, amount, processorTransactionId: transactionIdOf(operation, reference), outcome };
      };
      await payment.authorize(APPROVED, 1_000);
      await payment.ask('capture', 'c', 1_001);
      await payment.ask('capture', 'c2', 1_000);
      await sandbox.close();
      sandbox = await open(`${directory.path}/sandbox.db`);
      const lines = await wholeLedger(sandbox);
      expect(lines.map(({ at, paymentId, currencyCode, ...line }) => line)).to.deep.equal([
        line('a', 'authorization', 1_000, 'succeeded'),
        line('c', 'capture', 1_001, 'declined'),
        line('c2', 'capture', 1_000, 'succeeded'),
      ]);
      for (const one of lines) expect(one).to.include({ paymentId: 'pay_1', currencyCode: 'EUR' });
      for (const { at } of lines) expect(at).to.be.within(begun, calmWorld.now());
    });

    it("tells an account's part of its ledger in pages", async () => {
      const [ours, theirs] = [new TestPayment(sandbox), new TestPayment(sandbox, 'pay_2', 'acc_2')];
      await ours.authorize(APPROVED, 1_000);
      await theirs.authorize(APPROVED, 700);
      await ours.ask('capture', 'c', 400);
      await ours.ask('refund', 'r', 300);
      const first = await sandbox.ledgerOf('acc_1', 2);
      expect(first.lines.map(({ reference }) => reference)).to.deep.equal(['pay_1.a', 'pay_1.c']);
      const { lines, next } = await sandbox.ledgerOf('acc_1', 2, first.next);
      expect(lines.map(({ reference }) => reference)).to.deep.equal(['pay_1.r']);
      expect(next).to.equal(undefined);
      const other = await sandbox.ledgerOf('acc_2', 1);
      expect([other.lines.length, other.next]).to.deep.equal([1, undefined]);
      expect((await sandbox.ledgerOf('acc_3', 1)).lines).to.deep.equal([]);
    });

    it('is also found by references', async () => {
      await new TestPayment(sandbox).authorize(APPROVED, 1_000);
      await new TestPayment(sandbox, 'pay_2').authorize(APPROVED, 700);
      expect(await sandbox.linesOf(['pay_2.a', 'pay_3.a'])).to.deep.equal((await wholeLedger(sandbox)).slice(1));
    });
  });

describe('sandbox processor without its file', () => {
  it('answers not_sent, unknown to a look-up, and throws nothing when its file is unavailable', async () => {
    const reported: unknown[] = [];
    const directory = temporaryDirectory();
    const closed = await openSandbox({
      file: `${directory.path}/closed.db`,
      world: calmWorld,
      secrets: [SECRET],
      report: (fault) => reported.push(fault),
    });
    await closed.close();
    const request = {
      operation: 'capture',
      final: true,
      authorization: { reference: 'pay_1.a' },
      reference: 'pay_1.c',
      accountId: ACCOUNT,
      paymentId: 'pay_1',
      amount: 1,
      currencyCode: 'EUR',
      requestedAt: 0,
    } as const;
    expect((await closed.perform(request, callOf(never()))).kind).to.equal('not_sent');
    expect((await closed.lookUp(about('pay_1.c'), callOf(never()))).kind).to.equal('unreachable');
    expect(reported).to.have.length(2);
    directory.remove();
  });
});
