// The queueing of messages goes back to those of a stream that was parked, once it is taken in.
import { expect } from 'chai';
import { goBackToLate } from '../../src/policies/queue-webhooks.ts';
import { sweeps } from '../../src/policies/walk.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';

const WALK = 'queue-webhooks';

describe('the messages of a parked payment', () => {
  const readModels = memoryReadModels();
  const parts = { readModels, nameOfLog: async () => 'log' };
  const place = async (): Promise<unknown> => (await readModels.get(sweeps, [WALK]))[0]?.doc.key;
  const look = (parked: Readonly<Record<string, number>>): Promise<void> =>
    goBackToLate(WALK, new Map(Object.entries(parked)), parts);

  it('are looked for from the parked event on, once it is parked no longer, and once', async () => {
    await readModels.write(sweeps, [{ id: WALK, revision: 7, doc: { key: 100, id: 'newest', log: 'log' } }]);
    await look({});
    await look({ 'payment-a': 40 });
    await look({ 'payment-a': 40, 'payment-b': 60 });
    expect(await place()).to.equal(100);
    await look({ 'payment-a': 40 });
    expect(await place()).to.equal(59);
    await readModels.write(sweeps, [{ id: WALK, revision: 9, doc: { key: 120, id: 'newest', log: 'log' } }]);
    await look({ 'payment-a': 40 });
    expect(await place()).to.equal(120);
    await look({});
    expect(await place()).to.equal(39);
  });

  it('need no step back where the walk has not come to them', async () => {
    await readModels.write(sweeps, [{ id: WALK, revision: 20, doc: { key: 30, id: 'newest', log: 'log' } }]);
    await look({ 'payment-c': 50 });
    await look({});
    expect(await place()).to.equal(30);
  });
});
