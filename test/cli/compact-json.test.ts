// JSON for people: one line where it fits.
import { expect } from 'chai';
import { compactJson, jsonLine } from '../../src/cli/output.ts';

describe('JSON for people', () => {
  it('is one line if it fits after the text before it, otherwise a line for each member', () => {
    const order = { lineItems: [{ amount: 2500, quantity: 2 }], note: 'n'.repeat(10) };
    expect(compactJson(order)).to.equal(jsonLine(order));
    expect(compactJson(order, 0, 20)).to.equal(
      `{\n  "lineItems": [{ "amount": 2500, "quantity": 2 }],\n  "note": "${'n'.repeat(10)}"\n}`,
    );
    expect(JSON.parse(compactJson(order, 0, 79))).to.deep.equal(order);
    expect(compactJson([])).to.equal('[]');
  });
});
