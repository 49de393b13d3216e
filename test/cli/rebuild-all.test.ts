// projections rebuild --all: one read model that cannot be built keeps no other one from it.
import { expect } from 'chai';
import { AppError } from '../../src/app-error.ts';
import { inTurn } from '../../src/cli/projections/rebuild.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { faultOf } from '../projections/engine/setup.ts';

describe('a rebuild of all read models', () => {
  const signal = new AbortController().signal;
  const names = ['payments', 'disputes', 'users'];
  const failing =
    (fault: unknown) =>
    async (name: string): Promise<string> => {
      if (name === 'disputes') throw fault;
      return name;
    };

  it('goes on past one that cannot be built, and says which and why', async () => {
    const { results, failed } = await inTurn(names, signal, failing(new AppError('LiveIsFurther', 'It is further.')));
    expect([results, failed]).to.deep.equal([['payments', 'users'], ['disputes: It is further.']]);
  });

  it('ends where a store is unavailable, the code is at fault, or it is interrupted', async () => {
    for (const fault of [new StoreUnavailable('gone'), new TypeError('bad')])
      expect(await faultOf(inTurn(names, signal, failing(fault)))).to.equal(fault);
    const stop = new AppError('Stopped', 'It was stopped.');
    expect(await faultOf(inTurn(names, AbortSignal.abort(stop), failing(stop)))).to.equal(stop);
  });

  it('of one alone fails as that one', async () => {
    const fault = new AppError('LiveIsFurther', 'It is further.');
    expect(await faultOf(inTurn(['disputes'], signal, failing(fault)))).to.equal(fault);
  });
});
