// The right to build: a builder that gave a sign of life since it was taken for dead keeps it.
import { expect } from 'chai';
import { Catalog } from '../../../../src/projections/engine/generations/catalog.ts';
import {
  type CatalogGeneration,
  catalogEntries,
  unfinishedIn,
} from '../../../../src/projections/engine/generations/catalog-entry.ts';
import { bury, changeOwn, claim, RebuildUnderWay } from '../../../../src/projections/engine/rebuild/claim.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { ledgers } from '../ledger.ts';
import { faultOf, timings } from '../setup.ts';

describe('a builder that is taken for dead', () => {
  const store = memoryReadModels();
  const options = { store, world: calmWorld, timings, report: () => undefined, versions: new Map([['ledgers', 1]]) };
  const catalog = new Catalog(options);
  const unfinished = async (): Promise<CatalogGeneration | undefined> =>
    unfinishedIn((await store.get(catalogEntries, ['ledgers']))[0]?.doc);
  const seen = async (): Promise<CatalogGeneration> => (await unfinished()) ?? expect.fail('nobody builds');

  for (const [sign, next] of [
    ['beat', { beat: 1 }],
    ['state', { state: 'joining' }],
  ] as const)
    it(`is not buried where its ${sign} has moved since, and is where nothing has`, async () => {
      const generation = await claim(catalog, ledgers, 'build_1');
      const builder = await store.build({ ...ledgers, generation });
      await builder.finish();
      const before = await seen();
      await changeOwn(catalog, 'ledgers', { generation, builder: 'build_1' }, (own) => [{ ...own, ...next }]);
      await bury(catalog, store, 'ledgers', before);
      expect([await unfinished(), await store.generations('ledgers')]).to.deep.equal([
        { ...before, ...next },
        [generation],
      ]);
      await bury(catalog, store, 'ledgers', await seen());
      expect([await unfinished(), await store.generations('ledgers')]).to.deep.equal([undefined, []]);
    });
});

describe('a build of what is missing', () => {
  it('claims nothing where another process has finished a generation of the version meanwhile', async () => {
    const store = memoryReadModels();
    const versions = new Map([['ledgers', 1]]);
    const catalog = new Catalog({ store, world: calmWorld, timings, report: () => undefined, versions });
    const generation = await claim(catalog, ledgers, 'build_1', true);
    const own = { generation, builder: 'build_1' };
    await changeOwn(catalog, 'ledgers', own, () => [{ generation, version: 1, state: 'live' }]);
    expect(await faultOf(claim(catalog, ledgers, 'build_2', true))).to.be.instanceOf(RebuildUnderWay);
    expect(await claim(catalog, { ...ledgers, version: 2 }, 'build_3', true)).to.equal(2);
  });
});
