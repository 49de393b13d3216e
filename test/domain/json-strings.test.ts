// The walk over a body: in order, with paths, and with an end whatever the body is.
import { expect } from 'chai';
import { MAX_FAULTS, MAX_TEXTS, type TextCheck, textFaults } from '../../src/domain/json-strings.ts';

const nothing: TextCheck = () => undefined;
const everything: TextCheck = () => 'no';

describe('the walk over the texts of a body', () => {
  it('meets every key, string and number once, in order, with its path', () => {
    const met: unknown[] = [];
    const body = { a: 'x', b: [1, { c: 'y' }, null, true], d: {} };
    textFaults(body, [
      (text, path, isKey) => {
        met.push([text, path.join('.'), isKey]);
        return undefined;
      },
    ]);
    expect(met).to.deep.equal([
      ['a', 'a', true],
      ['x', 'a', false],
      ['b', 'b', true],
      [1, 'b.0', false],
      ['c', 'b.1.c', true],
      ['y', 'b.1.c', false],
      ['d', 'd', true],
    ]);
  });

  it('is one for all checks, and keeps what each found apart', () => {
    const body = { a: ['x', { b: 'y' }] };
    const strings: TextCheck = (_text, _path, isKey) => (isKey ? undefined : 'string');
    const keys: TextCheck = (_text, _path, isKey) => (isKey ? 'key' : undefined);
    expect(textFaults(body, [strings, nothing, keys])).to.deep.equal({
      faults: [
        [
          { path: ['a', 0], description: 'string' },
          { path: ['a', 1, 'b'], description: 'string' },
        ],
        [],
        [
          { path: ['a'], description: 'key' },
          { path: ['a', 1, 'b'], description: 'key' },
        ],
      ],
      isTooLarge: false,
    });
  });

  for (const [name, body] of Object.entries({
    'an array': { card: {}, a: Array.from({ length: 200_000 }, () => 1) },
    'an array of arrays': { a: Array.from({ length: 200_000 }, () => []) },
    'an object': Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1])),
  })) {
    it(`ends before the end of ${name} that no schema lets through, and says so`, () => {
      let asked = 0;
      const { isTooLarge } = textFaults(body, [
        () => {
          asked += 1;
          return undefined;
        },
      ]);
      expect(isTooLarge).to.equal(true);
      expect(asked).to.be.at.most(MAX_TEXTS + 1);
    });
  }

  it('looks at each item of a long array once at most', () => {
    let read = 0;
    const items = new Proxy(
      Array.from({ length: 200_000 }, () => 1),
      {
        get(target, name, receiver): unknown {
          if (name !== 'length') read += 1;
          return Reflect.get(target, name, receiver);
        },
      },
    );
    textFaults({ items }, [nothing, nothing]);
    expect(read).to.be.within(1, MAX_TEXTS + 10);
  });

  it('goes through the largest body that a schema lets through', () => {
    const members = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`m${index}`, 1]));
    const body = {
      lineItems: Array.from({ length: 500 }, () => members),
      metadata: Array.from({ length: 16_384 }, () => 0),
    };
    expect(textFaults(body, [nothing]).isTooLarge).to.equal(false);
  });

  it('collects a limited number of faults, and asks a check no more that has found them', () => {
    let asked = 0;
    const counted: TextCheck = () => {
      asked += 1;
      return 'no';
    };
    const { faults } = textFaults(
      Array.from({ length: 5_000 }, () => 'x'),
      [counted, nothing, everything],
    );
    expect(faults.map(({ length }) => length)).to.deep.equal([MAX_FAULTS, 0, MAX_FAULTS]);
    expect(asked).to.equal(MAX_FAULTS);
  });
});
