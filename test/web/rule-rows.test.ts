// Rules of routing as rows and as JSON: two views of one file, in which nothing is lost.
import { expect } from 'chai';
import {
  fileIn,
  freeName,
  moved,
  NotAFile,
  shownFile,
  textOfFile,
  withRules,
} from '../../web/dashboard/src/pages/developers/routing/rule-rows.ts';

const WHOLE = {
  rules: [
    {
      name: 'large in euro',
      when: {
        currencyCode: ['EUR'],
        amount: { gte: 100_000 },
        methodType: ['PAYMENT_CARD'],
        network: ['VISA'],
        initiator: ['customer'],
        metadata: { tier: ['gold'] },
      },
      use: [
        { connection: 'second', weight: 90 },
        { connection: 'sandbox', weight: 10 },
      ],
      then: ['sandbox'],
    },
  ],
  default: { use: [{ connection: 'sandbox', weight: 1 }], then: [] },
  fallbackOn: ['SOFT'],
  never: ['SUSPECTED_FRAUD'],
  mostAttempts: 2,
};
const target = { use: [{ connection: 'sandbox', weight: 1 }] };
const rowsOf = (file: object) => shownFile(fileIn(JSON.stringify(file)));

describe('the rules of routing as rows', () => {
  it('show every part of a file that the service accepts, and write it back unchanged', () => {
    const shown = rowsOf(WHOLE);
    expect(shown?.rules.map(({ row }) => row)).to.deep.equal(WHOLE.rules);
    expect(shown?.default).to.deep.equal(WHOLE.default);
    expect(shown?.fallback).to.deep.equal({ fallbackOn: ['SOFT'], never: ['SUSPECTED_FRAUD'], mostAttempts: 2 });
    const written = withRules(WHOLE, shown?.rules.map(({ row }) => row) ?? []);
    expect(fileIn(textOfFile(written))).to.deep.equal(WHOLE);
  });

  it('leave a rule that they cannot show as JSON, whatever is odd about it', () => {
    const rule = { name: 'odd', when: {}, ...target };
    for (const odd of [
      { ...rule, when: { metadata: { vip: [true] } } },
      { ...rule, when: { country: ['DE'] } },
      { ...rule, when: { amount: { gt: 5 } } },
      { ...rule, when: { amount: { gte: 0.5 } } },
      { ...rule, when: { currencyCode: 'EUR' } },
      { ...rule, use: [{ connection: 'sandbox', weight: '1' }] },
      { ...rule, use: [{ connection: 'sandbox', weight: 1, note: 'kept' }] },
      { ...rule, comment: 'kept' },
      { ...rule, name: 7 },
      'not a rule',
    ]) {
      const shown = rowsOf({ ...WHOLE, rules: [odd, ...WHOLE.rules] });
      expect(shown?.rules[0], JSON.stringify(odd)).to.deep.equal({ json: odd });
      expect(shown?.rules[1]?.row, 'its neighbour is a row').to.deep.equal(WHOLE.rules[0]);
    }
  });

  it('keep what they cannot show while another rule is changed, moved or removed', () => {
    const odd = { name: 'odd', when: { metadata: { vip: [true] } }, ...target };
    const file = { ...WHOLE, rules: [odd, ...WHOLE.rules], comment: 'kept' };
    const raw = rowsOf(file)?.rules.map(({ json }) => json) ?? [];
    expect(withRules(file, moved(raw, 0, 1))).to.deep.equal({ ...file, rules: [...WHOLE.rules, odd] });
    expect(moved(raw, 0, -1)).to.deep.equal(raw);
    expect(withRules(file, raw.slice(0, 1))).to.deep.equal({ ...file, rules: [odd] });
  });

  it('show members that a file leaves out by what they mean', () => {
    const shown = rowsOf({ rules: [{ name: 'all', when: {}, ...target }], default: target });
    expect(shown?.rules[0]?.row?.then).to.deep.equal([]);
    expect(shown?.fallback).to.deep.equal({ fallbackOn: [], never: [], mostAttempts: 2 });
    expect(rowsOf({ ...WHOLE, fallbackOn: ['HARD'] })?.fallback).to.equal(undefined);
    expect(rowsOf({ ...WHOLE, default: { ...WHOLE.default, note: '' } })?.default).to.equal(undefined);
  });

  it('say why a text is not a file of rules', () => {
    expect(() => fileIn('{"rules": [')).to.throw(NotAFile, 'This is not JSON');
    expect(() => fileIn('[]')).to.throw(NotAFile, 'a JSON object');
    expect(rowsOf({ default: target })).to.equal(undefined);
  });

  it('name a new rule like no other', () => {
    expect(freeName([])).to.equal('Rule 1');
    expect(freeName(['Rule 2'])).to.equal('Rule 3');
  });
});
