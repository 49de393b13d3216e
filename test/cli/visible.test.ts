// No character that plays tricks with a terminal leaves the process, by whichever way it goes.
import { expect } from 'chai';
import fc from 'fast-check';
import { oneLine, visible, visibleDeep, visibleJson } from '../../src/cli/output.ts';

/** C0, DEL, C1, directions, line and paragraph ends, zero width, tags, half a pair: and ordinary text between them. */
const TRICKS = [
  '\u0000',
  '\u0007',
  '\b',
  '\t',
  '\r',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u009b',
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
].concat(
  [
    '\u180e',
    '\u200b',
    '\u200d',
    '\u200e',
    '\u200f',
    '\u2028',
    '\u2029',
    '\u202a',
    '\u202e',
    '\u2060',
    '\u2066',
    '\u2069',
    '\u3164',
  ],
  ['\ufe0f', '\ufeff', '\uffa0', '\ufff9', '\ud800', '\u{e0041}'],
);
const UNSEEN = /[^\P{C}\n]|\u2028|\u2029|\u034f|\u115f|\u3164|\uffa0|\ufe0f/u;
const text = fc
  .array(fc.oneof(fc.constantFrom(...TRICKS, '\n', 'ü', '支', '💳', '\\'), fc.string()), { maxLength: 20 })
  .map((parts) => parts.join(''));

describe('text for a terminal', () => {
  it('has each of them as its escape, and no other change', () => {
    for (const trick of TRICKS) {
      const code = (trick.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
      const shown = code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
      expect(visible(`a${trick}b`)).to.equal(`a${shown}b`);
    }
    const ordinary = 'Zoë paid 54.90 € — “支払い” \\u001b 👍\nsecond line';
    expect(visible(ordinary)).to.equal(ordinary);
    expect(oneLine('a\r\nb')).to.equal('a\\r\\nb');
  });

  it('lets none through, whatever comes', () => {
    fc.assert(
      fc.property(text, fc.anything(), (one, any) => {
        expect(visible(one)).not.to.match(UNSEEN);
        expect(oneLine(one)).not.to.match(/\n/).and.not.to.match(UNSEEN);
        const deep = visibleDeep(JSON.parse(JSON.stringify({ [one]: one, any }) ?? 'null'));
        for (const part of textsIn(deep)) expect(part).not.to.match(UNSEEN);
      }),
    );
  });

  it('as JSON says the same as before, and shows none of them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), text, (value, one) => {
        const document = { value, [one]: one };
        const json = visibleJson(JSON.stringify(document, null, 2));
        expect(json).not.to.match(UNSEEN);
        expect(JSON.parse(json)).to.deep.equal(JSON.parse(JSON.stringify(document)));
      }),
    );
  });
});

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null
    ? [...Object.keys(value), ...Object.values(value).flatMap(textsIn)]
    : [];
}
