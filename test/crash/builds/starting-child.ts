// A first start in a process of its own, which stops at a stage of a read model's build and says so: its parent kills
// it then.
import { z } from 'zod';
import { besideOthers } from '../../support/calm-world.ts';
import { nodeOn } from '../../support/node.ts';
import { openStoresAt, StoresAt } from '../steps/stores-at.ts';
import { Stage, stoppingAt } from './stage.ts';

const { at, stage } = z.object({ at: StoresAt, stage: Stage }).parse(JSON.parse(process.argv[2] ?? ''));
const raise = (fault: unknown): void => {
  throw fault;
};
process.on('disconnect', () => process.exit(0));
const stores = await openStoresAt(at, besideOthers, raise);
const { service } = await nodeOn({
  ...stores,
  readModels: stoppingAt(stores.readModels, stage, () => void process.send?.('reached')),
});
await service.projections.run(new AbortController().signal);
