// The accounts that operate a store, including a store that is older than the mark.
import { expect } from 'chai';
import { accept } from '../../src/domain/decider.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { transact } from '../../src/journal/transact.ts';
import { accounts } from '../../src/projections/models/accounts.ts';
import { memoryStores, nodeOn } from '../support/node.ts';
import { until } from '../support/until.ts';

describe('a store of accounts that were made before operators were recorded', () => {
  it('is operated by the oldest one, and by those that are made as operators later', async () => {
    const { service } = await nodeOn(await memoryStores());
    const { streams, world, readModels, queries } = service;
    const made = async (id: string, at: number): Promise<void> => {
      const created = { type: 'AccountCreated', data: { name: id, operator: null } } as const;
      await transact(streams.accounts, id, { ...operatorContext(world, id), at }, () => accept(created));
    };
    const listed = (count: number) =>
      until(async () => (await readModels.find(accounts, { where: {}, limit: 10 })).length === count);
    await made('acc_b', world.now());
    await listed(1);
    expect(await queries.operatesStore('acc_b')).to.equal(true);
    await world.sleep(2, new AbortController().signal);
    await made('acc_a', world.now());
    await listed(2);
    expect([await queries.operatesStore('acc_b'), await queries.operatesStore('acc_a')]).to.deep.equal([true, false]);
    const operator = await service.access.createAccount('Operations', true);
    const tenant = await service.access.createAccount('Tenant');
    if (operator.kind === 'rejected' || tenant.kind === 'rejected') throw new Error('an account was refused');
    await listed(4);
    expect([await queries.operatesStore(operator.id), await queries.operatesStore(tenant.id)]).to.deep.equal([
      true,
      false,
    ]);
    expect(await queries.operatesStore('acc_none')).to.equal(false);
  });
});
