// Rebuilds that users start, as other processes see them: one whose process died is lost, and gives way to the next
// one.
import { expect } from 'chai';
import { projectionRoutes } from '../../../src/http/routes/administration/projections.ts';
import type { RebuildResult } from '../../../src/projections/engine/rebuild/result.ts';
import { Rebuilds } from '../../../src/projections/running/rebuilds.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../../src/stores/read-models.ts';
import { merchant } from '../../support/node.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';
import { until } from '../../support/until.ts';

const BY = { accountId: 'acc_1', userId: 'usr_1' };
const NAME = 'payments';
const call = { caller: merchant(BY.accountId), user: undefined, ifMatch: undefined, headers: {}, text: '' } as const;
const never = new Promise<never>(() => undefined);
const RESULT: RebuildResult = {
  name: NAME,
  version: 1,
  versionBefore: 1,
  generation: 2,
  generationBefore: 1,
  documents: 0,
  documentsBefore: 0,
  digestBefore: '',
  digestAfter: '',
  equal: true,
  versionChanged: false,
  holesChanged: false,
  swapped: true,
  different: 0,
  examples: [],
  events: 0,
  parked: 0,
  broken: [],
  tookMs: 0,
};

describe('a rebuild that a user started', () => {
  let readModels: ReadModels;
  let recorded: string[];
  beforeEach(() => {
    readModels = memoryReadModels();
    recorded = [];
  });

  const process = (node: string, world: MovableWorld, rebuild: () => Promise<RebuildResult>): Rebuilds =>
    new Rebuilds({
      projections: { names: [NAME], rebuild, isBeingBuilt: async () => false },
      readModels,
      world,
      report: (fault) => expect.fail(String(fault)),
      node,
    });
  const start = (rebuilds: Rebuilds) => rebuilds.start(NAME, false, BY, async () => void recorded.push(NAME));
  const stateOf = async (rebuilds: Rebuilds) => (await rebuilds.views()).get(NAME)?.state;

  it('is lost when its process has given no sign of life for ten seconds, and another one may begin', async () => {
    const dead = movableWorld();
    dead.sleep = () => never; // it writes no more after its first document
    expect(await start(process('dead', dead, () => never))).to.deep.equal({ kind: 'started' });
    const world = movableWorld();
    let clock = 0;
    world.monotonic = () => clock; // only the test moves it
    const other = process('other', world, async () => RESULT);
    expect(await stateOf(other)).to.equal('running');
    expect((await start(other)).kind).to.equal('running');
    clock = 9_999;
    expect(await stateOf(other)).to.equal('running');
    clock = 10_000;
    expect(await stateOf(other)).to.equal('lost');
    const [shown] = projectionRoutes({
      projections: { status: async () => [] },
      rebuilds: other,
      recordAct: async () => undefined,
      queries: { operatesStore: async () => true },
    }).filter(({ method, path }) => method === 'GET' && path.endsWith('/rebuild'));
    const answer = await shown?.run({ params: { name: NAME }, query: {}, body: undefined }, [], call);
    expect(answer)
      .to.have.property('body')
      .that.includes({ state: 'lost', node: 'dead', userId: BY.userId, proof: undefined });
    expect(await start(other)).to.deep.equal({ kind: 'started' });
    await until(async () => (await stateOf(other)) === 'done');
    expect(recorded).to.deep.equal([NAME, NAME]); // the one that was refused left no record
  });

  it('begins when the one before it in its process is over, and both end', async () => {
    const begun: string[] = [];
    let end: () => void = () => expect.fail('none has begun');
    const rebuilds = new Rebuilds({
      projections: {
        names: [NAME, 'users'],
        rebuild: async (name) => {
          begun.push(name);
          await new Promise<void>((over) => {
            end = over;
          });
          return RESULT;
        },
        isBeingBuilt: async () => false,
      },
      readModels,
      world: movableWorld(),
      report: (fault) => expect.fail(String(fault)),
      node: 'one',
    });
    const states = async () => [...(await rebuilds.views()).values()].map(({ state, step }) => [state, step]);
    for (const name of [NAME, 'users'])
      expect(await rebuilds.start(name, false, BY, async () => undefined)).to.deep.equal({ kind: 'started' });
    await until(() => begun.length === 1);
    expect(await states()).to.deep.equal([
      ['running', 'claiming'],
      ['running', 'claiming'],
    ]);
    expect(begun).to.deep.equal([NAME]);
    end();
    await until(() => begun.length === 2);
    end();
    await until(async () => (await states()).every(([state]) => state === 'done'));
  });

  it('that cannot be put on record does not begin', async () => {
    const rebuilds = process('one', movableWorld(), () => expect.fail('it began'));
    const failed = await rebuilds.start(NAME, false, BY, () => Promise.reject(new Error('unavailable'))).catch(String);
    expect(failed).to.equal('Error: unavailable');
    expect(await stateOf(rebuilds)).to.equal(undefined);
  });
});
