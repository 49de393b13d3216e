// Members that are repeated within one object are found wherever they are, and no others (contract §1).
import { expect } from 'chai';
import fc from 'fast-check';
import { repeatedMembers } from '../../src/domain/json-text.ts';

const found = (json: string): readonly string[] =>
  repeatedMembers(json, JSON.parse(json)).map(({ path }) => path.join('.'));

describe('a member that is repeated within one object', () => {
  for (const [json, paths] of [
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1, "a" : 1,"a":3}', ['a', 'a']],
    ['{"a":{"b":1,"c":[{"d":1},{"d":1,"d":2}]}}', ['a.c.1.d']],
    ['{"a":{"b":1},"a":{"b":1}}', ['a']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"url":"a\\":b","url":1}', ['url']],
  ] as const) {
    it(`is found in ${json}`, () => {
      expect(found(json)).to.deep.equal(paths);
    });
  }

  it('is not one in another object, nor a text that looks like one', () => {
    for (const json of ['{"a":{"a":1},"b":[{"a":1},{"a":1}]}', '{"a":"\\"a\\":1","b":"\\"a\\":1"}', '[]', '"a"', '1'])
      expect(found(json), json).to.deep.equal([]);
  });

  it('is found in no JSON that JSON.stringify writes, and in every one whose member is written twice', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }), (object) => {
        const json = JSON.stringify(object);
        expect(found(json)).to.deep.equal([]);
        const [name = ''] = Object.keys(object);
        expect(found(`{${JSON.stringify(name)}:0,${json.slice(1)}`)).to.deep.equal([name]);
      }),
    );
  });

  it('is found below any depth, without an end of the stack', () => {
    const json = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(found(json)).to.deep.equal([]);
  });
});
