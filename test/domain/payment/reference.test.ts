// What a processor knows an attempt by.
import { expect } from 'chai';
import { isReference, paymentIdOfReference, referenceOf } from '../../../src/domain/payment/reference.ts';

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
});
