// Durations as people read them.
import { expect } from 'chai';
import { roughly } from '../../src/cli/values.ts';

describe('durations', () => {
  it('are told in the largest unit that they fill', () => {
    const DAY = 86_400_000;
    expect([-5, 0, 999, 1_000, 59_999, 60_000, DAY - 1, DAY, 400 * DAY].map(roughly)).to.deep.equal([
      '0 s',
      '0 s',
      '0 s',
      '1 s',
      '59 s',
      '1 min',
      '23 h',
      '1 d',
      '400 d',
    ]);
  });
});
