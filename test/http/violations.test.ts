// The violations of a request: listed up to a hundred, counted beyond.
import { expect } from 'chai';
import { invalid } from '../../src/http/errors.ts';

describe('the violations of a request', () => {
  it('are built up to the hundredth alone, and counted all', () => {
    const keys = Array.from({ length: 32_000 }, (_, n) => `member${n}`);
    let built = 0;
    const watched = new Proxy(keys, {
      get(target, name, receiver) {
        if (typeof name === 'string' && /^\d+$/.test(name)) built += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    const issue = {
      code: 'unrecognized_keys' as const,
      keys: watched,
      path: ['body'],
      message: 'Unknown field.',
      input: {},
    };
    const { description, models = [] } = invalid([issue, issue], () => 'Body');
    expect(models.flatMap(({ errors }) => errors)).to.have.length(100);
    expect(description).to.include('The first 100 of 64000 violations are listed.');
    expect(built).to.equal(100);
  });
});
