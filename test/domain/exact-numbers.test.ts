// Numbers that would not come back as they were sent are found wherever they stand, and no others (contract §1).
import { expect } from 'chai';
import fc from 'fast-check';
import { inexactNumbers } from '../../src/domain/json-text.ts';

const found = (json: string): readonly string[] => inexactNumbers(json).map(({ path }) => path.join('.'));

const INEXACT: readonly string[] = [
  '1e400',
  '-1E+400',
  '9'.repeat(400),
  `${'9'.repeat(301)}e8`,
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '10.00000000000000000001',
  '0.1000000000000000055511151231257827',
  '3.14159265358979323846',
  '1e-400',
  '123456789012345e-330',
];

const EXACT: readonly string[] = [
  '0',
  '-0',
  '0.0',
  '0e999',
  '0.000000000000000000000',
  '10.0',
  '1e3',
  '0.1',
  '-0.30000000000000004',
  '9007199254740991',
  '9007199254740992',
  '100000000000000000000000000',
  '1e22',
  '1.50000000000000000000',
  '1.7976931348623157e308',
  '5e-324',
];

describe('a number of a body', () => {
  for (const number of INEXACT) {
    it(`is refused as ${number.slice(0, 40)}, which a double cannot hold`, () =>
      expect(found(`{"a":${number}}`)).to.deep.equal(['a']));
  }
  for (const number of EXACT) it(`is taken as ${number}`, () => expect(found(`{"a":${number}}`)).to.deep.equal([]));

  it('is named by its place, whatever stands around it', () => {
    expect(found('{"a":[1,{"x":"1e400, 2","b\\"":[[],1e400]},"]"],"c":{"d":1e400},"e":1e400,"2":true}')).to.deep.equal([
      'a.1.b".1',
      'c.d',
      'e',
    ]);
    expect(found('1e400')).to.deep.equal(['']);
    expect(found(' [ {} , [ ] , 1e400 ] ')).to.deep.equal(['2']);
  });

  it('is not looked for in strings', () =>
    expect(found('{"12345678901234567890": "x, 12345678901234567890"}')).to.deep.equal([]));

  it('is taken in every form that JSON.stringify has', () =>
    fc.assert(fc.property(fc.jsonValue(), (value) => found(JSON.stringify(value)).length === 0)));

  it('is taken with fifteen digits and refused with one beyond 2^53 that is odd', () => {
    const fifteen = fc.tuple(
      fc.integer({ min: -999_999_999, max: 999_999_999 }),
      fc.integer({ min: 100_000, max: 999_999 }),
    );
    fc.assert(fc.property(fifteen, ([whole, fraction]) => found(`[${whole}.${fraction}]`).length === 0));
    const odd = fc.bigInt({ min: 2n ** 52n, max: 2n ** 62n }).map((half) => 2n * half + 1n);
    fc.assert(fc.property(odd, (number) => found(`[${number}]`).length === 1));
  });

  it('costs no more than its length, however it is written', () => {
    const before = process.cpuUsage();
    for (const json of [
      `[0.${'0'.repeat(250_000)}1]`,
      `[1e${'0'.repeat(250_000)}1]`,
      `[${'0.0e0,'.repeat(40_000)}1e400]`,
    ]) {
      found(json);
      found(`${'['.repeat(100_000)}1e400${']'.repeat(100_000)}`);
    }
    // ms of CPU; the square of such a length takes minutes
    expect(process.cpuUsage(before).user / 1_000).to.be.below(30_000);
  });
});
