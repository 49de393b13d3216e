// A test that is left out, in whichever file of its process.
import { expect } from 'chai';
import type { Context } from 'mocha';
import { leaveOut } from './left-out.ts';

const WHY = 'this test is about being left out';

describe('a test that is left out', () => {
  it('ends as pending, even if another file of the process was the first to leave one out', function (this: Context) {
    const test = this.test;
    if (test === undefined) throw new Error('no test is running');
    const skip = test.skip;
    let skipped = 0;
    test.skip = () => {
      skipped += 1;
      throw new Error('pending');
    };
    try {
      expect(() => leaveOut(WHY)).to.throw('pending');
    } finally {
      test.skip = skip;
    }
    expect(skipped).to.equal(1);
  });
});
