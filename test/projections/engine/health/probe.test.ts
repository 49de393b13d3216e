// A node that nobody calls: it tries what requests need, and its readiness and its figures follow.
import { expect } from 'chai';
import { Notice } from '../../../../src/app-error.ts';
import type { Projections } from '../../../../src/projections/engine/engine.ts';
import { openMemoryEventStore } from '../../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import { NoSuchGeneration } from '../../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { until } from '../../../support/until.ts';
import { append, ledgers, opened } from '../ledger.ts';
import { type Node, Nodes } from '../nodes.ts';
import { delegate } from '../setup.ts';

const READY = { ready: true, reasons: [], degraded: [] };

describe('a node that nobody calls', () => {
  let nodes: Nodes;
  let node: Node;
  let gone: 'appends' | 'reads' | 'writes' | 'generation' | undefined;
  let tries: number;
  const unavailable = (): never => {
    tries += 1;
    throw new StoreUnavailable('EACCES');
  };
  beforeEach(async () => {
    gone = undefined;
    tries = 0;
    const events = openMemoryEventStore();
    const appends = events.append.bind(events);
    events.append = async (...of) => (gone === 'appends' ? unavailable() : appends(...of));
    const models = memoryReadModels();
    const isProbe = (ids: readonly string[]): boolean => ids[0] === 'probe';
    nodes = new Nodes(events, {
      ...delegate(models),
      get: async (of, ids) => {
        if (gone === 'reads' && of.name === ledgers.name) unavailable();
        if (gone === 'generation' && of.name === ledgers.name && isProbe(ids)) {
          tries += 1;
          throw new NoSuchGeneration(of.name, 1);
        }
        return models.get(of, ids);
      },
      write: async (of, rows) => (gone === 'writes' ? unavailable() : models.write(of, rows)),
    });
    node = await nodes.open();
    node.run();
    await append(nodes.events, 'first', -1, opened('eve'));
    await until(async () => (await node.revision('first')) === 0 && node.projections.readiness().ready);
  });
  afterEach(() => nodes.close());
  const reached = (): ReturnType<Projections['reached']> => node.projections.reached();

  for (const [what, reason, available] of [
    ['appends', /^writes to the event store have been unavailable for \d s: the log says why/, [false, true]],
    ['reads', /^the read models have been unavailable for \d s: the log says why/, [true, false]],
    ['writes', /^the read models have been unavailable for \d s: the log says why/, [true, false]],
  ] as const)
    it(`is not ready while its ${what} fail, says so once, and is ready again when they succeed`, async () => {
      gone = what;
      await until(() => !node.projections.readiness().ready);
      expect(node.projections.readiness().reasons.join('; ')).to.match(reason);
      expect(Object.values(reached())).to.deep.equal(available);
      gone = undefined;
      await until(() => node.projections.readiness().ready);
      expect(reached()).to.deep.equal({ events: true, read_models: true });
      const notices = node.faults.filter((one) => one instanceof Notice).map(String);
      expect(notices).to.have.length(1);
      expect(notices[0]).to.match(/can be reached again/);
      expect(node.faults.length).to.be.at.most(3); // one more of the follower, when it had work
    });

  it('stays ready when a generation retires after the catalog was read', async () => {
    gone = 'generation';
    await until(() => tries > 1);
    expect(node.projections.readiness()).to.deep.equal(READY);
    expect(reached().read_models).to.equal(true);
    expect(node.faults).to.deep.equal([]);
  });
});
