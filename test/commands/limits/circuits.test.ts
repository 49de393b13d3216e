// The circuits of a node: each processor has its own, a refusal names its length, and operators are notified.
import { expect } from 'chai';
import { Notice } from '../../../src/app-error.ts';
import { defaultCircuit } from '../../../src/commands/limits/circuit.ts';
import { Circuits } from '../../../src/commands/limits/circuits.ts';
import { endedCall } from '../../../src/commands/limits/ended-call.ts';

describe('the circuits of a node', () => {
  let now: number;
  let told: string[];
  let circuits: Circuits;
  beforeEach(() => {
    now = 1_000_000;
    told = [];
    circuits = new Circuits({
      connections: ['first', 'second'],
      limits: defaultCircuit,
      world: { monotonic: () => now },
      report: (notice) => void told.push(notice instanceof Notice ? notice.message : String(notice)),
    });
  });
  const breakDown = (processor: string): void => {
    for (let call = 0; call < defaultCircuit.minCalls; call += 1) circuits.ended(processor, 'operation', 'unknown');
  };

  it('refuse operations at a processor that does not answer, until one may try it, and no others', () => {
    breakDown('first');
    now += 3_001;
    expect(circuits.admit('first')).to.deep.equal({
      kind: 'rejected',
      errorId: 'ServiceUnavailable',
      description: 'The processor first is not responding at the moment. Nothing was changed.',
      retryAfterSeconds: 7,
    });
    expect([circuits.admit('second'), circuits.admit('third')]).to.deep.equal([undefined, undefined]);
  });

  it('let one operation through when the time has come: it has the try, until it says that it made no call', () => {
    breakDown('first');
    now += defaultCircuit.openMs;
    expect(circuits.admit('first')).to.equal(undefined);
    expect(circuits.admit('first')).to.include({ errorId: 'ServiceUnavailable', retryAfterSeconds: 10 });
    circuits.untried('second');
    expect(circuits.admit('first')).to.include({ retryAfterSeconds: 10 });
    circuits.untried('first');
    expect(circuits.admit('first')).to.equal(undefined);
  });

  it('tell operators when one opens and when it closes, and take a decline for an answer', () => {
    breakDown('first');
    circuits.ended('first', 'look_up', 'not_sent');
    circuits.ended('first', 'look_up', 'declined');
    expect(told).to.have.length(2);
    expect(told[0]).to.match(/^The circuit of the processor first is open: 20 of 20 calls in 30 s were not answered\./);
    expect(told[1]).to.equal('The processor first responds again; its circuit is closed.');
    expect(circuits.admit('first')).to.equal(undefined);
  });

  it('name a connection, or the processor whose only connection it is', () => {
    breakDown('con_1');
    circuits.ended('con_1', 'look_up', 'declined');
    expect(told.map((words) => words.split(/ is | responds /)[0])).to.deep.equal([
      'The circuit of the connection con_1',
      'The connection con_1',
    ]);
  });

  it('keep the newest 50 calls of each connection, without card numbers, and say when one opened', () => {
    const call = (at: number) =>
      endedCall({ what: 'capture', at, tookMs: 3 }, { kind: 'unknown', detail: 'no card 4242424242424242' });
    for (let at = 1; at <= 60; at += 1) circuits.ended('first', 'operation', 'unknown', call(at));
    const calls = circuits.lastCalls('first');
    expect(calls.map(({ at }) => at)).to.deep.equal(Array.from({ length: 50 }, (_, index) => 60 - index));
    expect(calls[0]).to.include({ what: 'capture', outcome: 'unknown', tookMs: 3 });
    expect(calls[0]?.detail)
      .to.match(/^no card /)
      .and.not.contain('4242424242424242');
    expect([circuits.lastCalls('second'), circuits.lastCalls('third')]).to.deep.equal([[], []]);
    now += 1_500;
    expect(circuits.statusOf('first')).to.include({ isOpen: true, changedMs: 1_500 });
    expect(circuits.statusOf('second')).to.include({ isOpen: false, changedMs: undefined });
    circuits.ended('first', 'look_up', 'declined');
    now += 7;
    expect(circuits.statusOf('first')).to.include({ isOpen: false, changedMs: 7 });
  });

  it('name the closed circuits once, and wake the waiting caller', async () => {
    breakDown('first');
    breakDown('second');
    expect([circuits.isOpen('first'), circuits.isOpen('third'), circuits.takeClosed()]).to.deep.equal([
      true,
      false,
      [],
    ]);
    const { rung } = circuits.closing;
    circuits.ended('first', 'look_up', 'succeeded');
    circuits.ended('second', 'look_up', 'succeeded');
    breakDown('second');
    expect([circuits.isOpen('first'), circuits.isOpen('second'), circuits.closing.rung - rung]).to.deep.equal([
      false,
      true,
      2,
    ]);
    expect([circuits.takeClosed(), circuits.takeClosed()]).to.deep.equal([['first'], []]);
    circuits.putBackClosed(['first', 'second']);
    expect(circuits.takeClosed(), 'without the one that is open').to.deep.equal(['first']);
  });
});
