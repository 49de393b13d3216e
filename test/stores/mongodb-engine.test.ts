// The projection engine on MongoDB: keys are read linearizably, and a store that hangs refuses writes before anything
// is appended.
import { expect } from 'chai';
import { openProjections, type Projections } from '../../src/projections/engine/engine.ts';
import { allProjections } from '../../src/projections/models/all.ts';
import { apiKeys } from '../../src/projections/models/api-keys.ts';
import { payments } from '../../src/projections/models/payments.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { refusalOf } from '../projections/engine/setup.ts';
import { calmWorld } from '../support/calm-world.ts';
import { until } from '../support/until.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

describe('The projection engine on MongoDB', () => {
  let server: ServerUnderTest;
  let projections: Projections;
  let running: Promise<void>;
  const over = new AbortController();
  before(async () => {
    server = await startServer();
    const common = { world: calmWorld, report: () => undefined };
    const events = await openMemoryEventStore();
    projections = await openProjections({
      events,
      readModels: await server.open(),
      projections: allProjections,
      ...common,
    });
    running = projections.run(over.signal);
  });
  after(async () => {
    over.abort();
    await running;
    await server.dispose();
  });

  it('reads API keys linearizably, and nothing else', async () => {
    await projections.readModels.get(apiKeys, ['key_1']);
    await projections.readModels.get(payments, ['pay_1']);
    const finds = (await server.loopback.counts()).filter(({ command }) => command === 'find');
    const concernsOf = (name: string): readonly (string | undefined)[] =>
      finds.filter(({ collection }) => collection.startsWith(`${name}.`)).map(({ readConcern }) => readConcern);
    expect(concernsOf('api-keys')).to.deep.equal(['majority', 'linearizable']); // first whether there is one
    expect(concernsOf('payments')).to.deep.equal(['majority']);
  });

  it('refuses writes soon after MongoDB froze, says why, and accepts them again automatically', async () => {
    const refusedUntil = async (holds: (refusal: unknown) => boolean): Promise<number> => {
      const from = calmWorld.monotonic();
      await until(async () => holds(await refusalOf(projections)));
      return calmWorld.monotonic() - from;
    };
    await refusedUntil((refusal) => refusal === undefined);
    server.loopback.server.freeze();
    expect(await refusedUntil((refusal) => refusal instanceof StoreUnavailable)).to.be.lessThan(15_000);
    expect(projections.readiness().ready).to.equal(false);
    server.loopback.server.thaw();
    expect(await refusedUntil((refusal) => refusal === undefined)).to.be.lessThan(15_000);
  });
});
