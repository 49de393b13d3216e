// The newest events since a time: a read of the log that ends where all is older, and no earlier.
import { expect } from 'chai';
import { newestEvents } from '../../src/queries/events.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { authorized } from '../domain/payment/story.ts';
import { DAY_MS, DAY_ONE, PaymentLog } from '../projections/models/payment-log.ts';

const LATER = DAY_ONE + DAY_MS;
const ASKED = {
  accountId: 'acc_1',
  category: undefined,
  type: 'PaymentCreated',
  withOwn: false,
  to: undefined,
  before: undefined,
  limit: 50,
};

describe('the newest events since a time', () => {
  const log = new PaymentLog();
  let looked: number;
  const found = async (from: number): Promise<readonly string[]> => {
    looked = 0;
    const newest = async (before: bigint | undefined, limit: number): Promise<readonly StoredEvent[]> => {
      const page = (await log.events.newest?.(before, limit)) ?? [];
      looked += page.length;
      return page;
    };
    return (await newestEvents({ newest }, { ...ASKED, from })).events.map(({ stream }) => stream);
  };
  before(async () => {
    for (let at = 0; at < 500; at += 1) await log.add(`pay_old${at}`, authorized);
    await log.add('pay_1', authorized, LATER);
    await log.add('pay_slow', authorized); // of a node whose clock is behind
    await log.add('pay_2', authorized, LATER);
  });

  it('are found beyond an older one among them, of a node whose clock is behind', async () => {
    expect(await found(LATER)).to.deep.equal(['payment-pay_2', 'payment-pay_1']);
  });

  it('take no reading of the log far before that time', async () => {
    await found(LATER);
    expect(looked).to.equal(1_000); // of 1,509
    await found(DAY_ONE);
    expect(looked).to.be.below(1_000); // fifty are found sooner
  });
});
