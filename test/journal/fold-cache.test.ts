// The cache of folds: one bound for all categories.
import { expect } from 'chai';
import { FoldBudget } from '../../src/journal/fold-cache.ts';

const BESIDES = 2_048;

describe('the cache of folds', () => {
  const roomForTwo = new FoldBudget(2 * (BESIDES + 100));
  const sessions = roomForTwo.cacheOf<{ readonly of: string }>('session');
  const payments = roomForTwo.cacheOf<{ readonly of: string }>('payment');

  it('drops the fold that was not asked for the longest, of whichever category', () => {
    sessions.set('a', { of: 'session a' }, 100);
    payments.set('a', { of: 'payment a' }, 100);
    sessions.get('a');
    payments.set('b', { of: 'payment b' }, 100);
    expect([sessions.get('a')?.of, payments.get('a'), payments.get('b')?.of]).to.deep.equal([
      'session a',
      undefined,
      'payment b',
    ]);
    expect(payments.peek('a')).to.equal(undefined);
  });

  it('has the newest fold under an id, and none that was deleted', () => {
    sessions.set('a', { of: 'newer' }, 100);
    expect([sessions.get('a')?.of, sessions.peek('a')?.of]).to.deep.equal(['newer', 'newer']);
    sessions.delete('a');
    expect([sessions.get('a'), sessions.peek('a')]).to.deep.equal([undefined, undefined]);
  });

  it('keeps no fold that is larger than all of it', () => {
    sessions.set('c', { of: 'small' }, 100);
    sessions.set('c', { of: 'large' }, 10_000);
    expect([sessions.get('c'), sessions.peek('c')]).to.deep.equal([undefined, undefined]);
  });
});
