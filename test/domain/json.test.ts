// Equality of JSON values, and the form without what answers leave out.
import { expect } from 'chai';
import fc from 'fast-check';
import { sameJson, withoutEmpty } from '../../src/domain/json.ts';

/** The value with the keys of every object in reverse. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
};

/** Members called __proto__ are refused before anything else sees them. */
const anyJson = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__'));

describe('sameJson', () => {
  it('does not care for the order of keys', () =>
    fc.assert(fc.property(anyJson, (value) => sameJson(value, reversed(structuredClone(value))))));

  it('says what the texts say', () => {
    const sorted = (value: unknown): string =>
      JSON.stringify(value, (_, member) =>
        typeof member === 'object' && member !== null && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
          : member,
      );
    const small = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(0, 1, '', null, false),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(small, small, (one, other) => sameJson(one, other) === (sorted(one) === sorted(other))),
      { numRuns: 1_000 },
    );
  });

  const DIFFERENT: readonly (readonly [unknown, unknown])[] = [
    [{}, []],
    [{}, null],
    [null, undefined],
    [0, false],
    ['1', 1],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ toString: 1 }, {}],
    [{}, { a: null }],
  ];
  for (const [one, other] of DIFFERENT) {
    it(`tells ${JSON.stringify(one)} from ${JSON.stringify(other)}`, () => {
      expect(sameJson(one, other)).to.equal(false);
      expect(sameJson(other, one)).to.equal(false);
    });
  }

  it('takes undefined for absent', () => expect(sameJson({ a: 1, b: undefined }, { a: 1 })).to.equal(true));
});

describe('withoutEmpty', () => {
  const ROWS: readonly (readonly [unknown, unknown])[] = [
    [null, undefined],
    [{}, undefined],
    [[], undefined],
    [{ a: null, b: {}, c: [] }, undefined],
    [{ a: { b: { c: null } } }, undefined],
    [
      { a: 0, b: false, c: '' },
      { a: 0, b: false, c: '' },
    ],
    [{ a: [{ b: null, c: 1 }, null, []] }, { a: [{ c: 1 }, null, []] }],
    [{ a: [{ b: null }] }, { a: [{}] }],
  ];
  for (const [value, rest] of ROWS)
    it(`makes ${JSON.stringify(rest)} of ${JSON.stringify(value)}`, () =>
      expect(withoutEmpty(value)).to.deep.equal(rest));

  it('answers the very same value when there is nothing to leave out', () => {
    const full = { a: [{ b: 1 }], c: { d: '' } };
    expect(withoutEmpty(full)).to.equal(full);
  });

  it('has nothing left to do the second time', () =>
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(withoutEmpty(withoutEmpty(value) ?? null)).to.deep.equal(withoutEmpty(value));
      }),
    ));
});
