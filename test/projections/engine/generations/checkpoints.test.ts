// Checkpoints of many read models are kept by one write, after all their documents were made durable.
import { expect } from 'chai';
import {
  checkpoints,
  loadCheckpoints,
  reachedIn,
  saveCheckpoints,
} from '../../../../src/projections/engine/generations/checkpoints.ts';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import { openMemoryEventStore } from '../../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import type { ReadModelStore } from '../../../../src/stores/read-models.ts';
import { ledgers } from '../ledger.ts';
import { totals } from '../log/totals.ts';
import { delegate, faultOf } from '../setup.ts';

const [first, second] = [copyOf(ledgers, 1), copyOf(totals, 1)];
const reached = [reachedIn(first, 7n), reachedIn(second, 9n)];

describe('checkpoints', () => {
  it('are kept by one write, after every sync', async () => {
    const calls: string[] = [];
    const inner = delegate(memoryReadModels());
    const store: ReadModelStore = {
      ...inner,
      sync: async (of) => {
        await Promise.resolve();
        calls.push(`sync ${of.name}`);
        return undefined;
      },
      write: (of, rows) => {
        calls.push(`write ${of.name} ${rows.map(({ id }) => id)}`);
        return inner.write(of, rows);
      },
    };
    await saveCheckpoints({ store, events: openMemoryEventStore() }, reached);
    expect(calls).to.deep.equal(['sync ledgers', 'sync totals', `write ${checkpoints.name} ledgers.1,totals.1`]);
    expect(await loadCheckpoints(store, [first, second])).to.deep.equal([7n, 9n]);
  });

  it('are kept for the others where documents of one cannot be made durable', async () => {
    const fault = new Error('the disk is full');
    const inner = delegate(memoryReadModels());
    const store: ReadModelStore = {
      ...inner,
      sync: (of) => (of.name === 'ledgers' ? Promise.reject(fault) : inner.sync(of)),
    };
    expect(await faultOf(saveCheckpoints({ store, events: openMemoryEventStore() }, reached))).to.equal(fault);
    expect(await loadCheckpoints(store, [first, second])).to.deep.equal([-1n, 9n]);
  });
});
