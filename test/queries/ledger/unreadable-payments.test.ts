// The payments that nobody can read, for a comparison with the processor: a release makes none of them readable.
import { expect } from 'chai';
import type { ParkedStream } from '../../../src/projections/engine/parked/parked-records.ts';
import { unreadablePayments } from '../../../src/queries/ledger/compare-own.ts';

describe('the payments that cannot be read', () => {
  it('are the parked ones and the released ones', async () => {
    const one: Omit<ParkedStream, 'stream'> = {
      projection: 'log',
      generation: 0,
      revision: 2,
      position: '9',
      type: 'PaymentCreated',
      reason: 'broken',
      fault: 'BrokenStream: an event is missing',
      at: 1,
      isOpen: true,
    };
    const all: readonly ParkedStream[] = [
      { ...one, stream: 'payment-pay_1' },
      { ...one, stream: 'payment-pay_2', isReleased: true },
    ];
    const parked = async (_?: string, { withReleased = false } = {}): Promise<readonly ParkedStream[]> =>
      all.filter(({ isReleased }) => withReleased || isReleased !== true);
    expect([...(await unreadablePayments({ parked }))]).to.deep.equal([
      ['pay_1', 'an event is missing'],
      ['pay_2', 'an event is missing'],
    ]);
  });
});
