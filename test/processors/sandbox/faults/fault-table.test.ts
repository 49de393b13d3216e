// The table of faults, row by row and phase by phase: the effect, and the caller's knowledge of it.
import { expect } from 'chai';
import type { LookUp, Outcome } from '../../../../src/domain/payment/outcome.ts';
import { FAULT_NAMES, FAULTS, type FaultName, PHASES, type Phase } from '../../../../src/processors/sandbox/faults.ts';
import type { Sandbox } from '../../../../src/processors/sandbox/sandbox-interface.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { about, callOf } from '../../../support/call-of.ts';
import { until } from '../../../support/until.ts';
import { wholeLedger } from '../../../support/whole-ledger.ts';
import { PLACES } from '../other-node.ts';
import {
  ACCOUNT,
  type AdvancingWorld,
  advancingWorld,
  card,
  never,
  soon,
  succeeded,
  TestPayment,
} from '../sandbox-setup.ts';

const APPROVED = '4242424242424242';

/** For a capture of 1000 EUR: the knowledge of its caller, and whether it has happened. */
type Expected = readonly [learns: string, happened: 'happened' | 'nothing'];

const lostEverywhere = (before: string): { readonly [P in Phase]?: Expected } => ({
  before_send: [before, 'nothing'],
  before_effect: ['unknown', 'nothing'],
  after_effect_before_reply: ['unknown', 'happened'],
  during_reply: ['unknown', 'happened'],
});
const unreadable: { readonly [P in Phase]?: Expected } = {
  before_effect: ['unknown', 'nothing'],
  after_effect_before_reply: ['unknown', 'happened'],
  during_reply: ['unknown', 'happened'],
};
const told = (words: string): { readonly [P in Phase]?: Expected } => ({
  after_effect_before_reply: [words, 'happened'],
  during_reply: [words, 'happened'],
});
const afterwards: { readonly [P in Phase]?: Expected } = { after_reply: ['succeeded 1000 EUR', 'happened'] };
const done: Expected = ['succeeded 1000 EUR', 'happened'];

/** Every row, written here a second time; a row that is missing here fails, and so does a phase. */
const EXPECTED: { readonly [F in FaultName]: { readonly [P in Phase]?: Expected } } = {
  reset: { ...lostEverywhere('not_sent'), ...afterwards },
  hang: lostEverywhere('not_sent'),
  slow: { before_send: done, before_effect: done, after_effect_before_reply: done, during_reply: done },
  '429': lostEverywhere('not_sent'),
  '500': lostEverywhere('not_sent'),
  '502': lostEverywhere('not_sent'),
  '503': lostEverywhere('not_sent'),
  invalid_json: unreadable,
  unknown_status: unreadable,
  wrong_id: unreadable,
  wrong_amount: told('succeeded 1001 EUR'),
  wrong_currency: told('succeeded 1000 USD'),
  duplicate: afterwards,
  delay: afterwards,
  reorder: afterwards,
  drop: afterwards,
  bad_signature: afterwards,
  unknown_payment: afterwards,
};

const inWords = (answer: Outcome | LookUp): string =>
  answer.kind === 'succeeded' ? `succeeded ${answer.amount} ${answer.currencyCode}` : answer.kind;
const cases = FAULT_NAMES.flatMap((fault) => FAULTS[fault].phases.map((phase) => ({ fault, phase })));
const ruleOf = (operation: string, fault: FaultName, phase: Phase): object => ({
  match: { operation },
  do: { phase, fault, ...(fault === 'slow' && { delayMs: 20 }) },
});

describe('the table of faults', () => {
  it('has the rows and phases that this test expects, and describes each', () => {
    const named = FAULT_NAMES.map((fault) => [fault, PHASES.filter((phase) => FAULTS[fault].phases.includes(phase))]);
    const expected = Object.entries(EXPECTED).map(([fault, phases]) => [
      fault,
      PHASES.filter((phase) => phase in phases),
    ]);
    expect(named).to.have.deep.members(expected);
    expect(Object.keys(FAULTS)).to.have.members([...FAULT_NAMES]);
    for (const fault of FAULT_NAMES) expect(FAULTS[fault].does).to.match(/^[A-Z].*\.$/);
  });
});

for (const { where, open } of PLACES)
  describe(`a fault by rule ${where}`, () => {
    let world: AdvancingWorld;
    let sandbox: Sandbox;
    beforeEach(async () => {
      world = advancingWorld();
      sandbox = await open('memory', world);
    });
    afterEach(() => sandbox.close());
    const goWrong = async (...rules: readonly object[]): Promise<void> => {
      expect(await sandbox.setFaults(ACCOUNT, { seed: 1, rules })).to.have.property('kind', 'set');
    };
    const authorized = async (paymentId = 'pay_1'): Promise<TestPayment> => {
      const payment = new TestPayment(sandbox, paymentId);
      succeeded(await payment.authorize(APPROVED));
      return payment;
    };
    /** A node that asks another one has sent it something. */
    const seen = (learns: string, fault: FaultName): string =>
      learns === 'not_sent' && fault === 'hang' && where !== 'in this process' ? 'unknown' : learns;

    for (const { fault, phase } of cases) {
      it(`${fault} in the phase ${phase} leaves the caller with what it may know, and the ledger with what happened`, async () => {
        const payment = await authorized();
        await goWrong(ruleOf('capture', fault, phase));
        const [learns, happened] = EXPECTED[fault][phase] ?? ['no such row', 'nothing'];
        const deadline = fault === 'hang' ? soon() : never();
        expect(inWords(await payment.ask('capture', 'c', 1_000, {}, deadline))).to.equal(seen(learns, fault));
        const line = (await wholeLedger(sandbox)).find(({ reference }) => reference === 'pay_1.c');
        expect(line?.outcome).to.equal(happened === 'happened' ? 'succeeded' : undefined);
        const found = inWords(await sandbox.lookUp(about('pay_1.c'), callOf(never())));
        expect(found).to.equal(happened === 'happened' ? 'succeeded 1000 EUR' : 'not_found');
        expect((await sandbox.faults(ACCOUNT)).counts).to.deep.equal([{ matched: 1, applied: 1 }]);
      });

      it(`${fault} in the phase ${phase} of a tokenization gives a token, or throws that the processor is unavailable`, async () => {
        await goWrong(ruleOf('tokenization', fault, phase));
        const [learns] = EXPECTED[fault][phase] ?? ['no such row'];
        const deadline = fault === 'hang' ? soon() : never();
        const asked = sandbox.tokenize(
          { reference: 'r', accountId: ACCOUNT, from: { card: card(APPROVED) } },
          callOf(deadline),
        );
        const answer = await asked.then(
          ({ kind }) => kind,
          (thrown: unknown) => thrown,
        );
        if (learns.startsWith('succeeded')) expect(answer).to.equal('token');
        else expect(answer).to.be.instanceOf(StoreUnavailable);
        await sandbox.setFaults(ACCOUNT, { rules: [] });
        succeeded(
          await authorized('pay_2').then(({ transactionId }) =>
            sandbox.perform({ ...CAPTURE, authorization: { processorTransactionId: transactionId } }, callOf(never())),
          ),
        );
      });

      it(`${fault} in the phase ${phase} of a look-up leaves it unanswered, or tells`, async () => {
        await authorized();
        await goWrong(ruleOf('look_up', fault, phase));
        const [learns] = EXPECTED[fault][phase] ?? ['no such row'];
        const found = inWords(await sandbox.lookUp(about('pay_1.a'), callOf(fault === 'hang' ? soon() : never())));
        expect(found).to.equal(learns === 'not_sent' || learns === 'unknown' ? 'unreachable' : learns);
        expect((await sandbox.faults(ACCOUNT)).counts).to.deep.equal([{ matched: 1, applied: 1 }]);
      });
    }
    const CAPTURE = {
      operation: 'capture',
      final: true,
      reference: 'pay_2.c',
      accountId: ACCOUNT,
      paymentId: 'pay_2',
      amount: 1_000,
      currencyCode: 'EUR',
      requestedAt: 0,
    } as const;

    it('lets the effect of a slow call come although its caller gave up, and only an unsent call stays unavailable', async () => {
      const payment = await authorized();
      const slow = (phase: Phase): object => ({
        match: { operation: 'capture' },
        do: { phase, fault: 'slow', delayMs: 1_500 },
      });
      const ask = async (suffix: string): Promise<string> =>
        inWords(await payment.ask('capture', suffix, 100, { final: false }, soon()));
      await goWrong(slow('before_send'));
      expect(await ask('c1')).to.equal(seen('not_sent', 'hang'));
      await goWrong(slow('before_effect'));
      expect(await ask('c2')).to.equal('unknown');
      expect(inWords(await sandbox.lookUp(about('pay_1.c2'), callOf(never())))).to.equal('not_found');
      await until(async () => (await sandbox.lookUp(about('pay_1.c2'), callOf(never()))).kind === 'succeeded');
      expect((await wholeLedger(sandbox)).map(({ reference }) => reference)).to.deep.equal(['pay_1.a', 'pay_1.c2']);
      await goWrong(slow('after_effect_before_reply'));
      expect(await ask('c3')).to.equal('unknown');
      expect(inWords(await sandbox.lookUp(about('pay_1.c3'), callOf(never())))).to.equal('succeeded 100 EUR');
    });

    it('drops a slow call that would take effect when "not found" may be evidence already', async () => {
      const payment = await authorized();
      const happened = async (suffix: string, passesMs: number): Promise<boolean> => {
        await goWrong({
          match: { operation: 'capture' },
          do: { phase: 'before_effect', fault: 'slow', delayMs: passesMs },
        });
        const asked = payment.ask('capture', suffix, 100, { final: false });
        await until(async () => (await sandbox.faults(ACCOUNT)).counts?.[0]?.applied === 1);
        let isOver = false;
        void asked.then(() => (isOver = true));
        // who sleeps already passes it once
        for (; !isOver; await new Promise((turn) => setTimeout(turn, 5))) world.advance(passesMs);
        expect((await asked).kind).to.equal(passesMs > 60_000 ? 'unknown' : 'succeeded');
        return (await wholeLedger(sandbox)).some(({ reference }) => reference === `pay_1.${suffix}`);
      };
      expect(await happened('c1', 50_000)).to.equal(true);
      expect(await happened('c2', 61_000)).to.equal(false);
      expect(await sandbox.lookUp(about('pay_1.c2'), callOf(never()))).to.deep.equal({ kind: 'not_found' });
    });

    it('keeps nothing of a call that takes a day when its caller has hung up', async () => {
      const payment = await authorized();
      for (const phase of ['before_send', 'before_effect', 'after_effect_before_reply', 'during_reply'] as const) {
        const day = { phase, fault: 'slow', delayMs: 86_400_000 };
        await goWrong(
          ...['capture', 'look_up', 'tokenization'].map((operation) => ({ match: { operation }, do: day })),
        );
        await payment.ask('capture', phase, 1, { final: false }, soon());
        await sandbox.lookUp(about('pay_1.a'), callOf(soon()));
        await sandbox
          .tokenize({ reference: phase, accountId: ACCOUNT, from: { card: card(APPROVED) } }, callOf(soon()))
          .catch(() => undefined);
      }
      await until(() => world.longSleepers === 0); // another node learns later that the answer is not awaited
    });

    it('strikes the operations of its own account, amount and card alone', async () => {
      const rule = {
        match: { operation: 'capture', amount: 400, card: '4242 4242 4242 4242' },
        do: { phase: 'before_send', fault: '503' },
      };
      await goWrong(rule);
      const [ours, theirs] = [await authorized(), new TestPayment(sandbox, 'pay_2', 'acc_2')];
      await theirs.authorize(APPROVED);
      const other = new TestPayment(sandbox, 'pay_3');
      await other.authorize('4000009900004055');
      const kinds = [];
      for (const [payment, amount] of [
        [ours, 401],
        [theirs, 400],
        [other, 400],
        [ours, 400],
      ] as const)
        kinds.push((await payment.ask('capture', `c${amount}`, amount, { final: false })).kind);
      expect(kinds).to.deep.equal(['succeeded', 'succeeded', 'succeeded', 'not_sent']);
    });

    it('strikes no call whose reference is known: asking again is how its caller finds out', async () => {
      const payment = await authorized();
      await goWrong({ match: { operation: 'capture' }, do: { phase: 'after_effect_before_reply', fault: 'reset' } });
      expect((await payment.ask('capture', 'c', 1_000)).kind).to.equal('unknown');
      expect((await payment.ask('capture', 'c', 1_000)).kind).to.equal('succeeded');
      expect((await sandbox.faults(ACCOUNT)).counts).to.deep.equal([{ matched: 1, applied: 1 }]);
    });

    it('replaces the fault that a card has on the way', async () => {
      await goWrong({ match: { operation: 'authorization', nth: 1 }, do: { phase: 'before_send', fault: 'reset' } });
      expect((await new TestPayment(sandbox).authorize('4000009900001077')).kind).to.equal('not_sent');
      expect((await new TestPayment(sandbox).authorize('4000009900001077')).kind).to.equal('unknown');
    });
  });
