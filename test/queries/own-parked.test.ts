// The parked streams of an account: those of other accounts are counted as far as was looked, and no further.
import { expect } from 'chai';
import type { ParkedStream } from '../../src/projections/engine/parked/parked-records.ts';
import { ownParked } from '../../src/queries/own-streams.ts';

const parked = (stream: string): ParkedStream => ({
  projection: 'payments',
  generation: 1,
  stream,
  revision: 0,
  position: '0',
  isOpen: true,
  type: 'PaymentCreated',
  reason: 'poison',
  fault: 'f',
  at: 0,
});
const isOwn = async ({ stream }: ParkedStream): Promise<boolean> => stream.startsWith('own');

describe('the parked streams of an account', () => {
  const all = ['own-1', 'other-1', 'own-2', 'own-3'].map(parked);

  it('are told apart from those of other accounts', async () => {
    const { own, others, isWhole } = await ownParked(all, isOwn, 4);
    expect([own.map(({ stream }) => stream), others, isWhole]).to.deep.equal([['own-1', 'own-2', 'own-3'], 1, true]);
  });

  it("do not count as another account's if they were not checked", async () => {
    const { own, others, isWhole } = await ownParked(all, isOwn, 3);
    expect([own.map(({ stream }) => stream), others, isWhole]).to.deep.equal([['own-1', 'own-2'], 1, false]);
  });
});
