// A whole service in a process of its own. Its requests can be stopped at their n-th step, and its parent moves its
// clock.

import { SCOPES } from '../../../src/domain/scopes.ts';
import { defaultTimings } from '../../../src/projections/engine/timings.ts';
import type { Service } from '../../../src/service.ts';
import { serveNode } from '../../support/load-node.ts';
import { nodeOn } from '../../support/node.ts';
import { movableWorld } from '../../support/test-world.ts';
import { until } from '../../support/until.ts';
import { LOOK_UPS_MS, letFallDue } from '../books.ts';
import { Stepper } from './stepper.ts';
import { type FromChild, Settings, ToChild } from './stopping-messages.ts';
import { openStoresAt } from './stores-at.ts';

/** Long waits: only the kill ends them, because a stopped store call must not count as unavailable. */
const engineTimings = { ...defaultTimings, answerMs: 600_000 };

const tell = (message: FromChild): void => void process.send?.(message);
const { at, key, aheadMs } = Settings.parse(JSON.parse(process.argv[2] ?? ''));
const faults: string[] = [];
const report = (fault: unknown): void =>
  void faults.push(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));

const world = movableWorld();
world.advance(aheadMs);
const stepper = new Stepper((walked) => tell({ kind: 'walked', ...walked }));
const stores = await openStoresAt(at, world, report);
const node = await nodeOn(stepper.stores(stores), {
  processor: stepper.processor(stores.sandbox),
  cardTestingLimits: false,
  engineTimings,
  leaps: true,
});
const { url } = await serveNode(node, stores.sandbox, faults, { around: [stepper.around] });
await until(() => node.service.readiness().ready);

process.on('message', (message) => {
  const { kind } = ToChild.parse(message);
  switch (kind) {
    case 'fallDue':
      letFallDue(node.service, world, LOOK_UPS_MS)
        .catch(report)
        .finally(() => tell({ kind: 'fallenDue' }));
      return;
    case 'faults':
      return tell({ kind: 'faults', faults: [...faults, ...node.reported.map(String)] });
    default:
      kind satisfies never;
  }
});
process.on('disconnect', () => process.exit(0));
tell({ kind: 'serving', url, key: key ?? (await newKey(node.service)) });

async function newKey(service: Service): Promise<string> {
  const account = await service.access.createAccount('Shop');
  if (account.kind === 'rejected') throw new Error(account.description);
  const made = await service.access.createApiKey({ accountId: account.id, name: 'test', scopes: SCOPES });
  if (made.kind === 'rejected') throw new Error(made.description);
  return made.key;
}
