// Text that JSON can say and nothing should have to carry: found anywhere, and nothing else is (contract §1).
import { expect } from 'chai';
import fc from 'fast-check';
import { textFaults, unsafeTextCheck } from '../../src/domain/json-strings.ts';

function faultsIn(raw: string): readonly string[] {
  const check = unsafeTextCheck(raw);
  const [found = []] = check === undefined ? [] : textFaults(JSON.parse(raw), [check]).faults;
  return found.map(({ path }) => path.join('.'));
}

const FOUND: readonly (readonly [string, string, readonly string[]])[] = [
  ['half of a surrogate pair', '{"a": "x\\ud800y"}', ['a']],
  ['the other half', '{"a": "\\udfff"}', ['a']],
  ['halves in the wrong order', '{"a": "\\ude00\\ud83d"}', ['a']],
  ['half of a pair in a key', '{"\\ud800": 1}', ['\ud800']],
  ['U+0000', '{"a": ["b", "\\u0000"]}', ['a.1']],
  ['U+0000 in a key', '{"metadata": {"a\\u0000": 1}}', ['metadata.a\u0000']],
  ['a __proto__ member', '{"metadata": {"__proto__": {"admin": true}}}', ['metadata.__proto__']],
  ['a __proto__ member that is spelled with escapes', '{"__pro\\u0074o__": 1}', ['__proto__']],
  ['a body that is nothing else', '"\\u0000"', ['']],
  ['every one of them', '{"a": "\\u0000", "b": {"c": "\\ud800"}}', ['a', 'b.c']],
];

const SAFE: readonly (readonly [string, string])[] = [
  ['a pair of surrogates', '{"a": "\\ud83d\\ude00"}'],
  ['a character outside the basic plane', '{"a": "😀"}'],
  ['an escaped letter', '{"a": "\\u0041"}'],
  ['an escaped backslash before a u', '{"a": "\\\\u0000"}'],
  ['__proto__ as a value', '{"a": "__proto__"}'],
  ['other members of Object.prototype', '{"constructor": {"prototype": {}}, "toString": 1}'],
];

const wellFormed = fc
  .jsonValue({ stringUnit: 'grapheme' })
  .filter((value) => !/__proto__|\\u0000/.test(JSON.stringify(value)));

describe('unsafe text', () => {
  for (const [name, raw, paths] of FOUND) it(`is ${name}`, () => expect(faultsIn(raw)).to.deep.equal(paths));
  for (const [name, raw] of SAFE) it(`is not ${name}`, () => expect(faultsIn(raw)).to.deep.equal([]));

  it('is in no text of well-formed strings', () =>
    fc.assert(fc.property(wellFormed, (value) => faultsIn(JSON.stringify(value)).length === 0)));

  it('is found wherever a string stands', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('\\ud800', '\\u0000'), (value, bad) =>
        faultsIn(`{"before": ${JSON.stringify(value)}, "bad": "${bad}"}`).includes('bad'),
      ),
    ));

  it('does not follow a body into depths where no schema goes', () => {
    const deep = 100_000;
    const raw = `${'['.repeat(deep)}"\\u0000"${']'.repeat(deep)}`;
    expect(faultsIn(raw)).to.deep.equal([]);
  });
});
