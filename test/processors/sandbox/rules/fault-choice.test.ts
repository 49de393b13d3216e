// The choice of the rule that strikes a call: the first that fits, the nth, so many times, by chance with a seed;
// counted durably.
import { expect } from 'chai';
import { type Counts, choose, type PlannedCall } from '../../../../src/processors/sandbox/fault-choice.ts';
import { FaultPlan } from '../../../../src/processors/sandbox/fault-plan.ts';
import type { Sandbox } from '../../../../src/processors/sandbox/sandbox-interface.ts';
import { ACCOUNT, openOn, succeeded, TestPayment, temporaryDirectory } from '../sandbox-setup.ts';

const CAPTURE: PlannedCall = { kind: 'capture', amount: 1_000, card: 'approved' };
const reset = (match: object = {}, more: object = {}): object => ({
  match: { operation: 'capture', ...match },
  do: { phase: 'before_send', fault: 'reset', ...more },
});
const status = (fault: number, match: object = {}, more: object = {}): object => ({
  match: { operation: 'capture', ...match },
  do: { phase: 'before_effect', fault, ...more },
});

/** The faults that strike so many equal calls, one after the other; '-' for none. */
function struckBy(rules: readonly object[], calls: number, seed = 1): readonly string[] {
  const plan = FaultPlan.parse({ seed, rules });
  let counts: Counts[] = [];
  return Array.from({ length: calls }, () => {
    const chosen = choose({ ...plan, counts }, CAPTURE);
    counts = chosen.counts ?? counts;
    const { strike } = chosen;
    return strike?.fault?.fault ?? '-';
  });
}

describe('a plan of faults', () => {
  it('strikes every call that fits, with its first rule that does', () => {
    expect(struckBy([reset({ operation: 'refund' }), reset(), status(500)], 3)).to.deep.equal([
      'reset',
      'reset',
      'reset',
    ]);
    expect(struckBy([reset({ amount: 999 }), status(500, { amount: 1_000 })], 1)).to.deep.equal(['500']);
    expect(
      struckBy([reset({ card: '4000009900001077' }), status(500, { card: '5555 5555 5555 4444' })], 1),
    ).to.deep.equal(['500']);
    expect(struckBy([reset({ card: 'error-after-effect' }), status(500, { card: 'approved' })], 1)).to.deep.equal([
      '500',
    ]);
    expect(struckBy([], 1)).to.deep.equal(['-']);
  });

  it('strikes the nth call alone, the first so many, or so many from the nth on', () => {
    expect(struckBy([reset({ nth: 2 })], 4)).to.deep.equal(['-', 'reset', '-', '-']);
    expect(struckBy([reset({}, { times: 2 })], 4)).to.deep.equal(['reset', 'reset', '-', '-']);
    expect(struckBy([reset({ nth: 2 }, { times: 2 })], 5)).to.deep.equal(['-', 'reset', 'reset', '-', '-']);
  });

  it('counts for each rule every call that fits it, also those that an earlier rule struck', () => {
    expect(struckBy([reset({ nth: 1 }), status(500, { nth: 2 }), status(503, { nth: 4 })], 4)).to.deep.equal([
      'reset',
      '500',
      '-',
      '503',
    ]);
  });

  it('strikes as often as its chance says, the same calls for the same seed and others for another', () => {
    const struck = struckBy([reset({ chance: 0.25 })], 4_000);
    expect(struck.filter((fault) => fault === 'reset').length).to.be.within(900, 1_100);
    expect(struckBy([reset({ chance: 0.25 })], 4_000)).to.deep.equal(struck);
    expect(struckBy([reset({ chance: 0.25 })], 4_000, 2)).not.to.deep.equal(struck);
  });

  it('drops as many notifications as it says, and leaves the calls alone', () => {
    const plan = FaultPlan.parse({ seed: 1, rules: [{ match: { operation: 'capture' }, do: { drop: 0.1 } }] });
    const manners = Array.from(
      { length: 2_000 },
      (_, matched) => choose({ ...plan, counts: [{ matched, applied: matched }] }, CAPTURE).strike,
    );
    expect(manners.every((strike) => strike?.fault === undefined && strike?.manner.always === true)).to.equal(true);
    expect(manners.filter((strike) => strike?.manner.lost === true).length).to.be.within(150, 250);
  });

  it('says how the notification comes, beside a fault of the call or alone', () => {
    const mannerOf = (what: object): object | undefined => {
      const plan = FaultPlan.parse({ seed: 1, rules: [{ match: { operation: 'capture' }, do: what }] });
      return choose(plan, CAPTURE).strike?.manner;
    };
    expect(mannerOf({ phase: 'before_send', fault: 'reset', delayMs: 9 })).to.deep.equal({});
    expect(mannerOf({ phase: 'after_reply', fault: 'reset' })).to.deep.equal({});
    expect(mannerOf({ phase: 'after_effect_before_reply', fault: 'slow', duplicate: 3, reorder: true })).to.deep.equal({
      always: true,
      copies: 3,
      heldBack: true,
    });
    expect(mannerOf({ delayMs: 50 })).to.deep.equal({ always: true, delayMs: 50 });
    expect(mannerOf({ phase: 'after_reply', fault: 'delay' })).to.deep.equal({ always: true, delayMs: 3_000 });
    expect(mannerOf({ phase: 'after_reply', fault: 'duplicate' })).to.deep.equal({ always: true, copies: 1 });
    expect(mannerOf({ duplicate: true, drop: false })).to.deep.equal({ always: true, copies: 1 });
    expect(mannerOf({ phase: 'after_reply', fault: 'reorder' })).to.deep.equal({ always: true, heldBack: true });
    expect(mannerOf({ phase: 'after_reply', fault: 'drop' })).to.deep.equal({ always: true, lost: true });
    expect(mannerOf({ phase: 'after_reply', fault: 'bad_signature' })).to.deep.equal({
      always: true,
      badlySigned: true,
    });
    expect(mannerOf({ phase: 'after_reply', fault: 'unknown_payment' })).to.deep.equal({
      always: true,
      withStranger: true,
    });
  });
});

describe('the counts of a plan', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  const open: Sandbox[] = [];
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(async () => {
    for (const sandbox of open.splice(0)) await sandbox.close();
    directory.remove();
  });
  const opened = async (): Promise<Sandbox> => {
    const sandbox = await openOn(`${directory.path}/sandbox.db`);
    open.push(sandbox);
    return sandbox;
  };
  const capture = async (sandbox: Sandbox, place: number): Promise<string> => {
    const payment = new TestPayment(sandbox, `pay_${place}`);
    succeeded(await payment.authorize('4242424242424242'));
    return (await payment.ask('capture', 'c', 10)).kind;
  };

  it('go on where they were after the file was closed and opened again', async () => {
    const first = await opened();
    await first.setFaults(ACCOUNT, { seed: 1, rules: [reset({ nth: 3 }, { times: 2 })] });
    expect([await capture(first, 1), await capture(first, 2), await capture(first, 3)]).to.deep.equal([
      'succeeded',
      'succeeded',
      'not_sent',
    ]);
    await first.close();
    open.pop();
    const second = await opened();
    expect([await capture(second, 4), await capture(second, 5)]).to.deep.equal(['not_sent', 'succeeded']);
    expect((await second.faults(ACCOUNT)).counts).to.deep.equal([{ matched: 5, applied: 2 }]);
  });

  it('are the same for all processes on one file, which learn of a new plan with their next call', async () => {
    const sandboxes = [await opened(), await opened()];
    const [one, two] = sandboxes;
    if (one === undefined || two === undefined) throw new Error('no sandboxes');
    expect([await capture(one, 100), await capture(two, 101)]).to.deep.equal(['succeeded', 'succeeded']);
    await one.setFaults(ACCOUNT, { seed: 1, rules: [reset({}, { times: 5 })] });
    const kinds = await Promise.all(
      Array.from({ length: 20 }, (_, place) => capture(place % 2 === 0 ? one : two, place)),
    );
    expect(kinds.filter((kind) => kind === 'not_sent')).to.have.length(5);
    await two.setFaults(ACCOUNT, { seed: 1, rules: [reset()] });
    expect(await capture(one, 200)).to.equal('not_sent');
    await two.reset(ACCOUNT);
    expect(await capture(one, 201)).to.equal('succeeded');
  });
});
