// The reference of an attempt at a processor.
import { expect } from 'chai';
import { requestCapture } from '../../../src/domain/payment/change.ts';
import { isReference, paymentIdOfReference, referenceOf } from '../../../src/domain/payment/reference.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { authorized, captureRequested, id, known, timing, wentThrough } from './story.ts';

const PAYMENT = `pay_${'0123456789abcdef'.repeat(2)}`;

describe('the reference of an attempt', () => {
  it('has at most 40 letters and digits, and names the payment', () => {
    const reference = referenceOf(`${PAYMENT}.00018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b-capture-2`);
    expect(reference).to.match(/^[A-Za-z0-9]{40}$/);
    expect(isReference(reference)).to.equal(true);
    expect(paymentIdOfReference(reference)).to.equal(PAYMENT);
  });

  it('is the same for the same attempt, and another for every other', () => {
    const references = Array.from({ length: 1_000 }, (_, index) => referenceOf(`${PAYMENT}.s${index}`));
    expect(new Set(references).size).to.equal(1_000);
    expect(referenceOf(`${PAYMENT}.s7`)).to.equal(references[7]);
  });

  it('steps aside where another attempt of the payment has it', () => {
    const first = referenceOf(`${PAYMENT}.a`);
    const second = referenceOf(`${PAYMENT}.a`, (reference) => reference === first);
    expect(second)
      .to.match(/^[0-9a-f]{40}$/)
      .and.not.equal(first);
    expect(paymentIdOfReference(second)).to.equal(PAYMENT);
  });

  it('is another one for an attempt whose digits another attempt of the payment has', () => {
    const [first, second] = [
      captureRequested('wnj209', 400, false),
      requestCapture({ attemptId: id('1c7py7w'), final: true, ...timing }),
    ];
    expect(referenceOf(id('wnj209'))).to.equal(referenceOf(id('1c7py7w')));
    const { state } = givenOf(payment)(...authorized, first, wentThrough('wnj209', 'capture', 400)).when(second);
    expect(new Set(known(state).attempts.map(({ reference }) => reference)).size).to.equal(3);
  });

  it('is not a text with another character before, between or after its own', () => {
    const reference = referenceOf(`${PAYMENT}.a`);
    for (const other of [
      `-${reference.slice(1)}`,
      `${reference.slice(1)}-`,
      `${reference}0`,
      reference.replace('5', ' '),
    ])
      expect(isReference(other), other).to.equal(false);
  });
});
