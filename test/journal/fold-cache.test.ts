// The cache of folds: one bound for all categories.
import { expect } from 'chai';
import { FoldBudget } from '../../src/journal/fold-cache.ts';

const BESIDES = 2_048;

describe('the cache of folds', () => {
  const roomForTwo = new FoldBudget(2 * (BESIDES + 100));
  const sessions = roomForTwo.ofCategory<{ readonly of: string }>();
  const payments = roomForTwo.ofCategory<{ readonly of: string }>();

  it('drops the fold that was not asked for the longest, of whichever category', () => {
    sessions.set('session-a', { of: 'session a' }, 100);
    payments.set('payment-a', { of: 'payment a' }, 100);
    sessions.get('session-a');
    payments.set('payment-b', { of: 'payment b' }, 100);
    expect([sessions.get('session-a')?.of, payments.get('payment-a'), payments.get('payment-b')?.of]).to.deep.equal([
      'session a',
      undefined,
      'payment b',
    ]);
    expect(payments.peek('payment-a')).to.equal(undefined);
  });

  it('has the newest fold under the name of its stream, and none that was deleted', () => {
    sessions.set('session-a', { of: 'newer' }, 100);
    expect([sessions.get('session-a')?.of, sessions.peek('session-a')?.of]).to.deep.equal(['newer', 'newer']);
    sessions.delete('session-a');
    expect([sessions.get('session-a'), sessions.peek('session-a')]).to.deep.equal([undefined, undefined]);
  });

  it('keeps no fold that is larger than all of it', () => {
    sessions.set('session-c', { of: 'small' }, 100);
    sessions.set('session-c', { of: 'large' }, 10_000);
    expect([sessions.get('session-c'), sessions.peek('session-c')]).to.deep.equal([undefined, undefined]);
  });
});
