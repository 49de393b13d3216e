// The client's types, which the build makes of the description: they name every error.
import { expect } from 'chai';
import type { KnownErrorId } from '../../client/src/types.ts';
import { STATUS } from '../../src/http/errors.ts';

describe('the generated types of the client', () => {
  it('name every errorId', () => {
    const named: { readonly [Id in KnownErrorId]: number } = STATUS;
    expect(Object.keys(named)).not.to.deep.equal([]);
  });
});
