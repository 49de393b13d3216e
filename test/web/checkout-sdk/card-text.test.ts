// The card frame's fields: what is typed, pasted or deleted, and what is wrong with it.
import { expect } from 'chai';
import { formatExpiry, grouped, retyped, type Typed } from '../../../web/checkout-sdk/src/frame/card/field-text.ts';
import { knownOf } from '../../../web/checkout-sdk/src/frame/card/networks.ts';
import { type CardText, cardOf, faultOf } from '../../../web/checkout-sdk/src/frame/card/validate-card.ts';

const format = (digits: string): string => {
  const { gaps, maxDigits } = knownOf(digits);
  return grouped(digits.slice(0, maxDigits), gaps);
};
/** `|` is the caret. */
const field = (text: string): Typed => ({ text: text.replace('|', ''), caret: text.indexOf('|') });
const shown = ({ text, caret }: Typed): string => `${text.slice(0, caret)}|${text.slice(caret)}`;
const digits = (text: string): string => text.replaceAll(/\D/g, '');
const typed = (before: string, after: string): string => shown(retyped(digits(before), field(after), format));
const deleted = (before: string, after: string, way: 'back' | 'forward'): string =>
  shown(retyped(digits(before), field(after), format, way));

describe('the card number while it is typed', () => {
  it('stands in groups of four, and moves the caret past each blank', () => {
    expect(typed('4242', '42424|')).to.equal('4242 4|');
    expect(typed('4242 4242', '4242 42424|')).to.equal('4242 4242 4|');
  });

  it('stands in groups of 4, 6 and 5 for American Express', () => {
    expect(typed('', '378282246310005|')).to.equal('3782 822463 10005|');
  });

  it('takes a pasted number with blanks, hyphens or words around it', () => {
    for (const pasted of ['4242 4242 4242 4242|', '4242-4242-4242-4242|', ' my card: 4242424242424242 |'])
      expect(typed('', pasted)).to.equal('4242 4242 4242 4242|');
  });

  it('keeps the caret at a digit that is put in the middle', () => {
    expect(typed('4242 4242', '429|42 4242')).to.equal('429|4 2424 2');
  });

  it('deletes the digit before a blank when the blank is deleted', () => {
    expect(deleted('4242 4242', '4242|4242', 'back')).to.equal('424|4 242');
    expect(deleted('4242 4242', '4242|4242', 'forward')).to.equal('4242| 242');
  });

  it('leaves the caret where a digit was deleted', () => {
    expect(deleted('4242 4242', '4242 |242', 'back')).to.equal('4242| 242');
    expect(deleted('4', '|', 'back')).to.equal('|');
  });

  it('takes no more digits than the network has', () => {
    expect(typed('', '3782822463100059|')).to.equal('3782 822463 10005|');
  });

  it('tells the network from the first digits, and waits while there may be several', () => {
    const networks = ['42', '55', '37', '6011', '35', '3'].map((text) => knownOf(text).network);
    expect(networks).to.deep.equal(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER', undefined]);
    expect([knownOf('37').cvcDigits, knownOf('42').cvcDigits]).to.deep.equal([4, 3]);
  });
});

describe('the expiry of a card', () => {
  const texts: readonly (readonly [string, string])[] = [
    ['1', '1'],
    ['3', '03'],
    ['12', '12'],
    ['123', '12 / 3'],
    ['1230', '12 / 30'],
    ['12/30', '12 / 30'],
    ['1/', '01 / '],
    ['1/2030', '01 / 30'],
    ['122030', '12 / 30'],
    ['12 / 2030', '12 / 30'],
    ['2030-07', '07 / 30'],
    ['14', '01 / 4'],
  ];
  for (const [text, formatted] of texts)
    it(`"${text}" becomes "${formatted}"`, () => expect(formatExpiry(text)).to.equal(formatted));
});

describe('what is wrong with a card', () => {
  const good: CardText = { number: '4242 4242 4242 4242', expiry: '12 / 39', cvc: '123', name: 'Ada Lovelace' };
  const fault = (field: keyof CardText, text: string): string | undefined =>
    faultOf(field, { ...good, [field]: text }, ['VISA', 'MASTERCARD', 'AMEX']);

  it('is nothing for a good one, which is sent as the contract has it', () => {
    for (const field of ['number', 'expiry', 'cvc', 'name'] as const)
      expect(fault(field, good[field])).to.equal(undefined);
    expect(cardOf({ ...good, name: ' Ada Lovelace ' })).to.deep.equal({
      number: '4242424242424242',
      expirationMonth: '12',
      expirationYear: '2039',
      cvc: '123',
      cardholderName: 'Ada Lovelace',
    });
  });

  it('is told for each field in words of its own', () => {
    const faults = {
      number: ['', '4242', '4242 4242 4242 4241', '6011 1111 1111 1117', '0000'],
      expiry: ['', '12 / ', '13 / 30', '00 / 30', '01 / 20'],
      cvc: ['', '12', '1234'],
      name: [' ', '4242 4242 4242 4242'],
    } as const;
    const told = Object.fromEntries(
      (['number', 'expiry', 'cvc', 'name'] as const).map((field) => [
        field,
        faults[field].map((text) => fault(field, text)),
      ]),
    );
    expect(told).to.deep.equal({
      number: ['numberMissing', 'numberIncomplete', 'numberWrong', 'networkNotTaken', 'numberWrong'],
      expiry: ['expiryMissing', 'expiryIncomplete', 'expiryWrong', 'expiryWrong', 'expired'],
      cvc: ['cvcMissing', 'cvcIncomplete', 'cvcIncomplete'],
      name: ['nameMissing', 'nameWrong'],
    });
  });

  it('asks for four digits of code with American Express', () => {
    expect(faultOf('cvc', { ...good, number: '3782 822463 10005' }, ['AMEX'])).to.equal('cvcIncomplete');
  });
});
