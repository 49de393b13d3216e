// A developer's controls of the sandbox besides the port: faults kept for an account, reset, waiting notifications.
import { expect } from 'chai';
import type { Sandbox } from '../../../src/processors/sandbox/sandbox-interface.ts';
import { about, callOf } from '../../support/call-of.ts';
import { wholeLedger } from '../../support/whole-ledger.ts';
import { PLACES } from './other-node.ts';
import {
  ACCOUNT,
  type AdvancingWorld,
  advancingWorld,
  never,
  TestPayment,
  temporaryDirectory,
} from './sandbox-setup.ts';

const APPROVED = '4242424242424242';
const LATER_AUTHORIZED = '4000009900001010';
const FAILS_AFTER_DAYS = '4000009900004022';
const PLAN = {
  seed: 7,
  rules: [
    { match: { operation: 'capture', amount: 1, nth: 2 }, do: { phase: 'before_send', fault: 503 } },
    { match: { operation: 'refund' }, do: { drop: true } },
  ],
};

for (const { where, open } of PLACES)
  describe(`controls of the sandbox ${where}`, () => {
    let directory: ReturnType<typeof temporaryDirectory>;
    let world: AdvancingWorld;
    let sandbox: Sandbox;
    const file = (): string => `${directory.path}/sandbox.db`;
    beforeEach(async () => {
      directory = temporaryDirectory();
      world = advancingWorld();
      sandbox = await open(file(), world);
    });
    afterEach(async () => {
      await sandbox.close();
      directory.remove();
    });

    it('keep the faults of an account, even after it is opened again, and of no other account', async () => {
      const set = await sandbox.setFaults(ACCOUNT, PLAN);
      const [first, second] = PLAN.rules;
      const nothing = { matched: 0, applied: 0 };
      const kept = {
        seed: 7,
        rules: [{ ...first, do: { ...first?.do, fault: '503' } }, second],
        counts: [nothing, nothing],
      };
      expect(set).to.deep.equal({ kind: 'set', report: kept });
      await sandbox.close();
      sandbox = await open(file(), world);
      expect(await sandbox.faults(ACCOUNT)).to.deep.equal(kept);
      expect(await sandbox.faults('acc_2')).to.deep.equal({ seed: 0 });
      await sandbox.setFaults(ACCOUNT, { seed: 0, rules: [] });
      expect(await sandbox.faults(ACCOUNT)).to.deep.equal({ seed: 0 });
    });

    it('name the mistake in a plan, and keep the plan that was there', async () => {
      await sandbox.setFaults(ACCOUNT, PLAN);
      const refused = async (plan: unknown): Promise<readonly string[]> => {
        const set = await sandbox.setFaults(ACCOUNT, plan);
        return set.kind === 'invalid' ? set.problems : [];
      };
      const rule = (change: object): object => ({ seed: 0, rules: [{ match: { operation: 'capture' }, do: change }] });
      expect(await refused(rule({ phase: 'after_reply' }))).to.deep.equal(['rules.0.do.fault: Required with a phase.']);
      expect(await refused(rule({ fault: 'reset' }))).to.deep.equal(['rules.0.do.phase: Required with a fault.']);
      expect(await refused(rule({ phase: 'before_send', fault: 'drop' }))).to.deep.equal([
        'rules.0.do.phase: Must be one of after_reply for drop.',
      ]);
      for (const nonsense of [
        undefined,
        7,
        {},
        rule({ phase: 'reset', fault: 'reset' }),
        { rules: Array(51).fill(PLAN.rules[0]) },
      ])
        expect(await refused(nonsense)).to.have.length.greaterThan(0);
      expect((await sandbox.faults(ACCOUNT)).rules).to.have.length(2);
    });

    it('take as many rules as a plan may have, however long each is', async () => {
      const match = {
        operation: 'authorization',
        amount: 2 ** 53 - 1,
        nth: 1_000_000,
        card: '4000 0099 0000 2075',
        chance: 0.12345678901234,
      };
      const notification = {
        times: 1_000_000,
        delayMs: 86_400_000,
        duplicate: false,
        drop: 0.12345678901234,
        reorder: false,
      };
      const longest = { match, do: { phase: 'after_effect_before_reply', fault: 'wrong_currency', ...notification } };
      const { kind } = await sandbox.setFaults(ACCOUNT, { seed: 2 ** 53 - 1, rules: Array(50).fill(longest) });
      expect([kind, (await sandbox.faults(ACCOUNT)).rules?.length]).to.deep.equal(['set', 50]);
    });

    it('empty one account’s operations, notifications and faults, and leave its tokens and other accounts alone', async () => {
      const [ours, theirs] = [new TestPayment(sandbox), new TestPayment(sandbox, 'pay_2', 'acc_2')];
      for (const payment of [ours, theirs]) await payment.authorize(LATER_AUTHORIZED);
      await sandbox.setFaults(ACCOUNT, PLAN);
      await sandbox.setFaults('acc_2', PLAN);
      await sandbox.reset(ACCOUNT);
      expect((await wholeLedger(sandbox)).map(({ reference }) => reference)).to.deep.equal(['pay_2.a']);
      expect(await sandbox.lookUp(about('pay_1.a'), callOf(never()))).to.deep.equal({ kind: 'not_found' });
      expect((await sandbox.undelivered(ACCOUNT)).count).to.equal(0);
      expect((await sandbox.undelivered('acc_2')).count).to.equal(1);
      expect(await sandbox.faults(ACCOUNT)).to.deep.equal({ seed: 0 });
      expect((await sandbox.faults('acc_2')).rules).to.have.length(2);
      await sandbox.reset();
      expect(await wholeLedger(sandbox)).to.deep.equal([]);
      expect([await sandbox.undelivered(), await sandbox.faults('acc_2')]).to.deep.equal([{ count: 0 }, { seed: 0 }]);
      // The token is the one from before: the same reference answers it, and it still means the same card.
      expect((await new TestPayment(sandbox, 'pay_1').authorize(APPROVED)).kind).to.equal('pending');
    });

    it('say how many notifications wait and when the first is due, of an account or of all', async () => {
      expect(await sandbox.undelivered()).to.deep.equal({ count: 0 });
      const refunded = new TestPayment(sandbox, 'pay_1');
      await refunded.authorize(FAILS_AFTER_DAYS);
      await refunded.ask('capture', 'c', 1_000);
      await refunded.ask('refund', 'r', 1_000);
      await new TestPayment(sandbox, 'pay_2', 'acc_2').authorize(LATER_AUTHORIZED);
      const { lines } = await sandbox.ledgerOf(undefined, 10);
      const [refund, authorization] = ['pay_1.r', 'pay_2.a'].map(
        (wanted) => lines.find(({ reference }) => reference === wanted)?.at ?? 0,
      );
      expect(await sandbox.undelivered(ACCOUNT)).to.deep.equal({ count: 1, nextAt: (refund ?? 0) + 3 * 86_400_000 });
      expect(await sandbox.undelivered()).to.deep.equal({ count: 2, nextAt: (authorization ?? 0) + 5_000 });
      expect(await sandbox.undelivered('acc_3')).to.deep.equal({ count: 0 });
    });

    it('tell which payment a line of the ledger belongs to', async () => {
      await new TestPayment(sandbox, 'pay_7').authorize(APPROVED);
      expect((await sandbox.ledgerOf(ACCOUNT, 1)).lines).to.have.nested.property('[0].paymentId', 'pay_7');
    });
  });
