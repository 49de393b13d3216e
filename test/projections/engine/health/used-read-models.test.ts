// A read model that requests can neither read nor write makes the node unready, until it can be used again.
import { expect } from 'chai';
import { openProjections, type Projections } from '../../../../src/projections/engine/engine.ts';
import { dailyTotals } from '../../../../src/projections/models/daily-totals.ts';
import { payments } from '../../../../src/projections/models/payments.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import type { ReadModelStore } from '../../../../src/stores/read-models.ts';
import { StoreBusy, StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { settled } from '../../../domain/payment/story.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { until } from '../../../support/until.ts';
import { PaymentLog } from '../../models/payment-log.ts';
import { delegate, timings } from '../setup.ts';

type Verb = 'get' | 'find' | 'remove';

describe('read models that requests use', () => {
  let projections: Projections;
  let running: Promise<void>;
  let ending: AbortController;
  let reports: string[];
  /** What is asked of the payments and fails. */
  let failing: Set<Verb>;
  let fault: Error;
  let asked: Verb[];

  const broken = (store: ReadModelStore): ReadModelStore => {
    const checked = async <T>(name: string, verb: Verb, work: () => Promise<T>): Promise<T> => {
      if (name === payments.name) asked.push(verb);
      if (name === payments.name && failing.has(verb)) throw fault;
      return work();
    };
    return {
      ...delegate(store),
      get: (of, ids) => checked(of.name, 'get', () => store.get(of, ids)),
      find: (of, query) => checked(of.name, 'find', () => store.find(of, query)),
      remove: (of, rows) => checked(of.name, 'remove', () => store.remove(of, rows)),
    };
  };
  beforeEach(async () => {
    failing = new Set();
    asked = [];
    reports = [];
    fault = new StoreUnavailable('The file is of another owner');
    const log = new PaymentLog();
    await log.add('pay_1', settled);
    projections = await openProjections({
      events: log.events,
      readModels: broken(memoryReadModels()),
      world: calmWorld,
      report: (one) => void reports.push(one instanceof Error ? one.message : String(one)),
      projections: [payments, dailyTotals],
      timings,
    });
    ending = new AbortController();
    running = projections.run(ending.signal);
    await until(() => projections.readiness().ready);
    asked = [];
  });
  afterEach(async () => {
    ending.abort();
    await running;
  });

  const read = (): Promise<boolean> =>
    projections.readModels.get(payments, ['pay_1']).then(
      () => true,
      () => false,
    );
  const reasons = (): string => projections.readiness().reasons.join();

  for (const verb of ['find', 'remove'] as const)
    it(`make the node unready where a try of its own fails to ${verb} too, and ready again without a request`, async () => {
      failing = new Set(['get', verb]);
      expect(await read()).to.equal(false);
      await until(() => !projections.readiness().ready);
      expect(reasons()).to.equal('payments can be neither read nor written: the log says why');
      expect(projections.areReadModelsUsable()).to.equal(false);
      expect(reports).to.deep.equal(['The file is of another owner']);
      failing.clear();
      await until(() => projections.readiness().ready);
      expect(projections.areReadModelsUsable()).to.equal(true);
      expect(reports.at(-1)).to.equal('The read model payments can be used again.');
    });

  it('leave the node ready where only the one request has failed, and are asked nothing more', async () => {
    failing.add('get');
    expect(await read()).to.equal(false);
    await until(() => asked.length === 3);
    expect(asked).to.deep.equal(['get', 'find', 'remove']);
    expect([projections.readiness().ready, reports]).to.deep.equal([true, []]);
  });

  it('leave the node ready where the store only has too much to do', async () => {
    fault = new StoreBusy('Too many lists at once');
    failing.add('get');
    expect(await read()).to.equal(false);
    expect(asked).to.deep.equal(['get']);
  });

  it('are no longer tried when the node ends', async () => {
    failing = new Set(['get', 'find']);
    await read();
    await until(() => !projections.readiness().ready);
    ending.abort();
    await running;
    const before = asked.length;
    await read();
    expect(asked.slice(before)).to.deep.equal(['get']);
  });
});
