// Read models in memory: the contract of every read-model store.
import { expect } from 'chai';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { logProjectionContract } from '../contract/log-projection.suite.ts';
import { ordersOf, type ReadModelsUnderTest, readModelsContract, row } from '../contract/read-models.suite.ts';

const open = async (): Promise<ReadModelsUnderTest> => {
  const store = memoryReadModels();
  return { store, dispose: () => store.close() };
};
readModelsContract('the memory store', open);
logProjectionContract('the memory store', open);

describe('the memory store', () => {
  it('hands out documents that cannot be changed', async () => {
    const store = memoryReadModels();
    const orders = ordersOf();
    await store.write(orders, [row('a', 0, { shop: 's' })]);
    const [found] = await store.get(orders, ['a']);
    expect(Object.isFrozen(found?.doc)).to.equal(true);
  });
});
