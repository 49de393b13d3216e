// The circuits of a node: each processor has its own, a refusal names its length, and operators are notified.
import { expect } from 'chai';
import { Notice } from '../../../src/app-error.ts';
import { defaultCircuit } from '../../../src/commands/limits/circuit.ts';
import { type CircuitOf, Circuits, endedCall } from '../../../src/commands/limits/circuits.ts';

const at = (connectionId: string, accountId = 'acc_1'): CircuitOf => ({ accountId, connectionId });

describe('the circuits of a node', () => {
  let now: number;
  let told: string[];
  let observed: (readonly [connectionId: string, isOpen: boolean])[];
  let circuits: Circuits;
  beforeEach(() => {
    now = 1_000_000;
    told = [];
    observed = [];
    circuits = new Circuits({
      implied: ['first', 'second'],
      limits: defaultCircuit,
      world: { monotonic: () => now },
      observer: { circuit: (connectionId, isOpen) => void observed.push([connectionId, isOpen]) },
      report: (notice) => void told.push(notice instanceof Notice ? notice.message : String(notice)),
    });
  });
  const breakDown = (processor: string, accountId?: string): void => {
    for (let call = 0; call < defaultCircuit.minCalls; call += 1)
      circuits.ended(at(processor, accountId), 'operation', 'unknown');
  };

  const closed = (): readonly string[] => circuits.takeClosed().map(({ connectionId }) => connectionId);

  it('are each account’s own: the faults of one at a shared sandbox refuse nothing to another', () => {
    breakDown('first', 'acc_2');
    expect([circuits.isOpen(at('first', 'acc_2')), circuits.isOpen(at('first'))]).to.deep.equal([true, false]);
    expect(circuits.admit(at('first', 'acc_2'))).to.include({ errorId: 'ServiceUnavailable' });
    expect(circuits.admit(at('first'))).to.equal(undefined);
    expect(told[0]).to.match(/^The circuit of the processor first for account acc_2 is open/);
    expect(circuits.statusesOf('acc_1').map(({ accountId, connectionId }) => [accountId, connectionId])).to.deep.equal([
      ['acc_1', 'first'],
      ['acc_1', 'second'],
    ]);
  });

  it('are open for operators while that of one account is', () => {
    breakDown('first');
    breakDown('first', 'acc_2');
    circuits.ended(at('first'), 'look_up', 'declined');
    circuits.admit(at('first', 'acc_3'));
    circuits.ended(at('first', 'acc_2'), 'look_up', 'declined');
    const ofFirst = observed.filter(([connectionId]) => connectionId === 'first').map(([, isOpen]) => isOpen);
    expect(ofFirst).to.deep.equal([false, false, true, true, false]);
  });

  it('refuse operations at a processor that does not answer, until one may try it, and no others', () => {
    breakDown('first');
    now += 3_001;
    expect(circuits.admit(at('first'))).to.deep.equal({
      kind: 'rejected',
      errorId: 'ServiceUnavailable',
      description: 'The processor first is not responding at the moment. Nothing was changed.',
      retryAfterSeconds: 7,
    });
    expect([circuits.admit(at('second')), circuits.admit(at('third'))]).to.deep.equal([undefined, undefined]);
  });

  it('let one operation through when the time has come: it has the try, until it says that it made no call', () => {
    breakDown('first');
    now += defaultCircuit.openMs;
    expect(circuits.admit(at('first'))).to.equal(undefined);
    expect(circuits.admit(at('first'))).to.include({ errorId: 'ServiceUnavailable', retryAfterSeconds: 10 });
    circuits.untried(at('second'));
    expect(circuits.admit(at('first'))).to.include({ retryAfterSeconds: 10 });
    circuits.untried(at('first'));
    expect(circuits.admit(at('first'))).to.equal(undefined);
  });

  it('tell operators when one opens and when it closes, and take a decline for an answer', () => {
    breakDown('first');
    circuits.ended(at('first'), 'look_up', 'not_sent');
    circuits.ended(at('first'), 'look_up', 'declined');
    expect(told).to.have.length(2);
    expect(told[0]).to.match(
      /^The circuit of the processor first for account acc_1 is open: 20 of 20 calls in 30 s were not answered\./,
    );
    expect(told[1]).to.equal('The processor first for account acc_1 responds again; its circuit is closed.');
    expect(circuits.admit(at('first'))).to.equal(undefined);
  });

  it('name a connection, or the processor whose only connection it is', () => {
    breakDown('con_1');
    circuits.ended(at('con_1'), 'look_up', 'declined');
    expect(told.map((words) => words.split(/ is | responds /)[0])).to.deep.equal([
      'The circuit of the connection con_1 for account acc_1',
      'The connection con_1 for account acc_1',
    ]);
  });

  it('keep the newest 50 calls of each connection, without card numbers, and say when one opened', () => {
    const call = (sentAt: number) =>
      endedCall({ what: 'capture', at: sentAt, tookMs: 3 }, { kind: 'unknown', detail: 'no card 4242424242424242' });
    for (let sentAt = 1; sentAt <= 60; sentAt += 1) circuits.ended(at('first'), 'operation', 'unknown', call(sentAt));
    const calls = circuits.lastCalls(at('first'));
    expect(calls.map((one) => one.at)).to.deep.equal(Array.from({ length: 50 }, (_, index) => 60 - index));
    expect(calls[0]).to.include({ what: 'capture', outcome: 'unknown', tookMs: 3 });
    expect(calls[0]?.detail)
      .to.match(/^no card /)
      .and.not.contain('4242424242424242');
    expect([circuits.lastCalls(at('second')), circuits.lastCalls(at('third'))]).to.deep.equal([[], []]);
    now += 1_500;
    expect(circuits.statusOf(at('first'))).to.include({ isOpen: true, changedMs: 1_500 });
    expect(circuits.statusOf(at('second'))).to.equal(undefined);
    circuits.ended(at('first'), 'look_up', 'declined');
    now += 7;
    expect(circuits.statusOf(at('first'))).to.include({ isOpen: false, changedMs: 7 });
  });

  it('name the closed circuits once, and wake the waiting caller', async () => {
    breakDown('first');
    breakDown('second');
    expect([circuits.isOpen(at('first')), circuits.isOpen(at('third')), circuits.takeClosed()]).to.deep.equal([
      true,
      false,
      [],
    ]);
    const { rung } = circuits.closing;
    circuits.ended(at('first'), 'look_up', 'succeeded');
    circuits.ended(at('second'), 'look_up', 'succeeded');
    breakDown('second');
    expect([circuits.isOpen(at('first')), circuits.isOpen(at('second')), circuits.closing.rung - rung]).to.deep.equal([
      false,
      true,
      2,
    ]);
    expect([closed(), closed()]).to.deep.equal([['first'], []]);
    circuits.putBackClosed([at('first'), at('second')]);
    expect(closed(), 'without the one that is open').to.deep.equal(['first']);
  });
});
