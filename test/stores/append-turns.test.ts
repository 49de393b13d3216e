import { expect } from 'chai';
import { type AppendTurn, AppendTurns } from '../../src/stores/eventstoredb/append-turns.ts';
import { faultOf } from '../contract/store-under-test.ts';

interface Taken {
  readonly turn: AppendTurn;
  readonly outcome: Promise<void>;
  readonly end: (fault?: Error) => void;
}

function take(turns: AppendTurns): Taken {
  let taken: Pick<Taken, 'turn' | 'end'> | undefined;
  const outcome = turns.take(
    (turn) =>
      new Promise<void>((resolve, reject) => {
        taken = { turn, end: (fault) => (fault === undefined ? resolve() : reject(fault)) };
      }),
  );
  outcome.catch(() => undefined);
  if (taken === undefined) throw new Error('it does not run at once');
  return { ...taken, outcome };
}

/** True if it resolves before everything else that is due in this turn of the event loop. */
async function hasCome({ turn }: Taken, mayBeWritten = false): Promise<boolean> {
  return Promise.race([
    turn.come(mayBeWritten).then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);
}

describe('turns of appends', () => {
  it('come when the append before was sent', async () => {
    const turns = new AppendTurns();
    const [first, second] = [take(turns), take(turns)];
    expect(await hasCome(first)).to.equal(true);
    expect(await hasCome(second)).to.equal(false);
    first.turn.sent();
    expect(await hasCome(second)).to.equal(true);
  });

  it('come one by one while a lost append is sent again, and together afterwards', async () => {
    const turns = new AppendTurns();
    const taken = [take(turns), take(turns)];
    for (const { turn } of taken) turn.sent();
    for (const { turn } of taken) turn.lost();
    const [first, second] = taken as [Taken, Taken];
    const [third, fourth] = [take(turns), take(turns)];
    expect(await hasCome(first, true)).to.equal(true);
    for (const later of [second, third, fourth]) expect(await hasCome(later, later === second)).to.equal(false);
    first.end();
    expect(await hasCome(second, true)).to.equal(true);
    expect(await hasCome(third)).to.equal(false);
    second.end();
    expect(await hasCome(third)).to.equal(true);
    expect(await hasCome(fourth)).to.equal(false);
    third.turn.sent();
    expect(await hasCome(fourth)).to.equal(true);
  });

  it('never come after an append that failed before it was sent, or was sent again', async () => {
    for (const sent of [false, true]) {
      const turns = new AppendTurns();
      const [first, second] = [take(turns), take(turns)];
      if (sent) {
        first.turn.sent();
        first.turn.lost();
      }
      first.end(new Error('the store is unavailable'));
      expect(await faultOf(second.turn.come(false).then(() => 'written'))).to.have.property(
        'message',
        'the store is unavailable',
      );
      second.end();
      await Promise.allSettled([first.outcome, second.outcome]);
      expect(await hasCome(take(turns))).to.equal(true);
    }
  });
});
