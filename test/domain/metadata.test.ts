// The limits of metadata: keys, depth, size, and that a value far beyond them costs no more than one at them
// (contract §1).
import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { FreeJson, Metadata } from '../../src/domain/metadata.ts';

const LIMIT = 16_384;
const messages = (value: unknown): readonly string[] =>
  Metadata.safeParse(value).error?.issues.map(({ message }) => message) ?? [];
/** Metadata whose JSON has so many bytes. */
const ofBytes = (bytes: number, character = 'x') => {
  const room = bytes - JSON.stringify({ a: '' }).length;
  const width = Buffer.byteLength(JSON.stringify(character)) - 2;
  return { a: character.repeat(Math.floor(room / width)) + 'x'.repeat(room % width) };
};
const deep = (levels: number): unknown => (levels === 1 ? {} : { a: deep(levels - 1) });

describe('metadata', () => {
  it('keeps any JSON word for word', () => {
    const value = { a: null, b: [1.5, { c: {} }, []], d: '', e: false };
    expect(Metadata.parse(value)).to.deep.equal(value);
  });

  it('is an object', () => {
    for (const value of [null, [], 'a', 1, undefined]) expect(Metadata.safeParse(value).success).to.equal(false);
    expect(z.strictObject({ metadata: Metadata }).partial().parse({})).to.deep.equal({});
    expect(z.strictObject({ metadata: Metadata.nullable() }).partial().parse({ metadata: null })).to.deep.equal({
      metadata: null,
    });
  });

  it('has keys of 1 to 64 characters; an empty one is an error of its own', () => {
    expect(messages({ ['😀'.repeat(64)]: 1 })).to.deep.equal([]);
    const { error } = Metadata.safeParse({ a: [{ ['k'.repeat(65)]: 1 }], '': 1 });
    expect(error?.issues.map(({ path }) => path)).to.deep.equal([['a', 0, 'k'.repeat(65)], ['']]);
    expect(error?.issues[1]).to.have.nested.property('params.errorId', 'MetadataContainsEmptyKey');
    expect(FreeJson.safeParse({ '': 1 }).error?.issues[0]).not.to.have.property('params');
  });

  it('has eight levels at most', () => {
    expect(messages(deep(8))).to.deep.equal([]);
    expect(messages(deep(9))).to.deep.equal(['Must not be nested deeper than 8 levels.']);
  });

  for (const character of ['x', 'é', '漢', '😀', '\n', '"', '\u0001']) {
    it(`has ${LIMIT} bytes of JSON at most, in ${JSON.stringify(character)}`, () => {
      expect(messages(ofBytes(LIMIT, character))).to.deep.equal([]);
      expect(messages(ofBytes(LIMIT + 1, character))).to.deep.equal([
        `Must not be larger than ${LIMIT} bytes of JSON.`,
      ]);
    });
  }

  it('is too large by the digits of its numbers, too', () => {
    const longest = -1.2345678901234568e-300;
    const numbers = (count: number) => ({ a: Array.from({ length: count }, () => longest) });
    expect([655, 656].map((count) => JSON.stringify(numbers(count)).length)).to.deep.equal([LIMIT - 2, LIMIT + 23]);
    expect(messages(numbers(655))).to.deep.equal([]);
    expect(messages(numbers(656))).to.deep.equal([`Must not be larger than ${LIMIT} bytes of JSON.`]);
  });

  it('is too large exactly when its JSON is', () => {
    const many = fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 20, maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(many, fc.nat(3_000), (values, padding) => {
        const value = {
          pad: 'x'.repeat(14_000 + padding),
          values: JSON.parse(JSON.stringify(values).replaceAll('"":', '"k":')),
        };
        expect(messages(value).some((message) => message.startsWith('Must not be larger'))).to.equal(
          Buffer.byteLength(JSON.stringify(value)) > LIMIT,
        );
      }),
      { numRuns: 50 },
    );
  });

  it('says at once what is wrong with its keys and that it is too large', () => {
    expect(messages({ '': 1, a: 'x'.repeat(LIMIT) })).to.deep.equal([
      'Must not have an empty key.',
      `Must not be larger than ${LIMIT} bytes of JSON.`,
    ]);
  });

  it('is looked at no further when it must be too large by then', () => {
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
    expect(messages({ items })).to.deep.equal([`Must not be larger than ${LIMIT} bytes of JSON.`]);
    expect(read).to.be.within(1, LIMIT / 2 + 10);
  });
});
