// Texts of one document: the order of members does not matter, the order of elements does.
import { expect } from 'chai';
import { canonical } from '../../../../../src/projections/engine/rebuild/proof/proof.ts';

describe('canonical text', () => {
  it('is the same for the same content in another order of members, at any depth', () => {
    expect(canonical('{"b":[{"d":1,"c":2}],"a":null}')).to.equal(canonical('{"a":null,"b":[{"c":2,"d":1}]}'));
  });
  it('is another for another order of elements', () => expect(canonical('[1,2]')).not.to.equal(canonical('[2,1]')));
});
