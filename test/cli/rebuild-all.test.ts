// projections rebuild --all: one read model that cannot be built keeps no other one from it.
import { expect } from 'chai';
import { AppError } from '../../src/app-error.ts';
import { WrongUsage } from '../../src/cli/exit.ts';
import { inTurn, namesFrom } from '../../src/cli/projections/rebuild.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';

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

  it('stops where a store is unavailable, the code is at fault, or it is interrupted: what is done is told, and what is left', async () => {
    const stop = new AppError('Stopped', 'It was stopped.');
    const stops = [
      [new StoreUnavailable('gone'), signal],
      [new TypeError('bad'), signal],
      [stop, AbortSignal.abort(stop)],
    ] as const;
    for (const [fault, its] of stops) {
      const stopped = { fault, left: ['disputes', 'users'] };
      expect(await inTurn(names, its, failing(fault))).to.deep.equal({ results: ['payments'], failed: [], stopped });
    }
  });

  it('goes on from the one that is named, and rebuilds none again that is done', () => {
    expect(namesFrom(names, 'disputes')).to.deep.equal(['disputes', 'users']);
    expect(namesFrom(names, undefined)).to.deep.equal(names);
    expect(() => namesFrom(names, 'other')).to.throw(WrongUsage, 'There is no read model other; there are payments, disputes, users.');
  });

  it('of one alone fails as that one', async () => {
    const fault = new AppError('LiveIsFurther', 'It is further.');
    expect((await inTurn(['disputes'], signal, failing(fault))).stopped?.fault).to.equal(fault);
  });
});
