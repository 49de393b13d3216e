// projections rebuild --all: one read model that cannot be built keeps no other one from it.
import { expect } from 'chai';
import { AppError } from '../../src/app-error.ts';
import { inTurn, namesFrom, rebuildAll } from '../../src/cli/admin/rebuild.ts';
import { WrongUsage } from '../../src/cli/exit.ts';
import { openProjections } from '../../src/projections/engine/engine.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { ledgers } from '../projections/engine/ledger.ts';
import { totals } from '../projections/engine/log/totals.ts';
import { faultOf } from '../projections/engine/setup.ts';
import { calmWorld } from '../support/calm-world.ts';

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
    expect([results, failed]).to.deep.equal([['payments', 'users'], [{ name: 'disputes', why: 'It is further.' }]]);
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
    expect(() => namesFrom(names, 'other')).to.throw(
      WrongUsage,
      'There is no read model other. The read models are payments, disputes, users.',
    );
  });

  describe('that is stopped', () => {
    const stop = new AppError('Stopped', 'It was stopped.');
    /** The output of the command: `further` cannot be built, and at the first of the others it is interrupted. */
    async function told(further: string): Promise<readonly [unknown, string]> {
      const ending = new AbortController();
      const parts = { events: openMemoryEventStore(), world: calmWorld, report: () => undefined };
      const projections = await openProjections({
        ...parts,
        readModels: memoryReadModels(),
        projections: [ledgers, totals],
        forRepair: true,
      });
      projections.rebuild = async (name) => {
        if (name === further) throw new AppError('LiveIsFurther', 'It is further.');
        ending.abort(stop);
        throw stop;
      };
      const out = { stdout: '', stderr: '' };
      const { stdout, stderr } = process;
      const before = [stdout.write, stderr.write] as const;
      const into =
        (stream: keyof typeof out) =>
        (text: string | Uint8Array): boolean => {
          out[stream] += String(text);
          return true;
        };
      [stdout.write, stderr.write] = [into('stdout'), into('stderr')];
      const fault = await faultOf(
        rebuildAll(
          { ...parts, projections, hasStoreKey: true, checkKeys: async () => 'none' as const },
          undefined,
          { all: true, json: true },
          ending.signal,
        ),
      ).finally(() => {
        [stdout.write, stderr.write] = before;
        process.exitCode = undefined;
      });
      expect(fault).to.equal(stop);
      return [JSON.parse(out.stdout), out.stderr.replaceAll('`npx ', '`')]; // the tests may be started by npm
    }

    it('at its first read model prints JSON, too', async () => {
      expect(await told('none')).to.deep.equal([
        { data: [], left: ['ledgers', 'totals'] },
        'Not rebuilt: ledgers, totals. To go on: `counterfoil projections rebuild --all --from ledgers`\n',
      ]);
    });

    it('names the ones that could not be built: going on passes over them', async () => {
      expect(await told('ledgers')).to.deep.equal([
        { data: [], failed: ['ledgers'], left: ['totals'] },
        [
          'ledgers: It is further.',
          'Not rebuilt: totals. To go on: `counterfoil projections rebuild --all --from totals`',
          'That skips the failed ones: ledgers.',
          '',
        ].join('\n'),
      ]);
    });
  });

  it('of one alone fails as that one', async () => {
    const fault = new AppError('LiveIsFurther', 'It is further.');
    expect((await inTurn(['disputes'], signal, failing(fault))).stopped?.fault).to.equal(fault);
  });
});
