// The parts of this process that the dashboard's Operations area and sandbox pages need: rebuilds, signs of life, the
// sandbox's bench.
import { hostname } from 'node:os';
import { machineTime } from '../../commands/users/machine-time.ts';
import type { DashboardSandbox } from '../../http/routes/dashboard/sandbox.ts';
import { LOOK_EVERY_MS } from '../../journal/business-clock.ts';
import { OPERATIONS } from '../../processors/processor.ts';
import { isUsedUp, NO_COUNTS } from '../../processors/sandbox/fault-choice.ts';
import type { FaultReport } from '../../processors/sandbox/fault-plan.ts';
import { FAULTS, PHASES } from '../../processors/sandbox/faults.ts';
import { LagHistory } from '../../projections/running/lag-history.ts';
import { Nodes } from '../../projections/running/nodes.ts';
import { Rebuilds } from '../../projections/running/rebuilds.ts';
import { compareOwn, unreadablePayments } from '../../queries/ledger/compare-own.ts';
import type { Opened } from '../open/open.ts';
import { packageVersion } from '../package-version.ts';
import { bookOf, setFaultsOnRecord } from '../sandbox/books.ts';

interface Operations {
  readonly nodes: Nodes;
  readonly rebuilds: Rebuilds;
  /** In test mode, where a sandbox can be reached. */
  readonly dashboardSandbox?: DashboardSandbox;
  /** Gives signs of life, remembers the lag, and lets rebuilds run until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export function openOperations(opened: Opened): Operations {
  const { world, report } = opened;
  const { projections, readModels } = opened.service;
  const name = `${hostname()}/${process.pid}`;
  const self = { name, version: packageVersion() };
  const nodes = new Nodes({ readModels, world, report, self, isLeading: () => projections.isLeading() });
  const rebuilds = new Rebuilds({ projections, readModels, world, report, node: name });
  const lagHistory = new LagHistory({
    readModels,
    world,
    report,
    machineTime: () => machineTime(world),
    lags: (signal) => projections.lags(signal),
  });
  const bench = dashboardSandboxOf(opened);
  return {
    nodes,
    rebuilds,
    ...(bench !== undefined && { dashboardSandbox: bench }),
    run: async (signal) => void (await Promise.all([nodes.run(signal), lagHistory.run(signal), rebuilds.run(signal)])),
  };
}

/** The report, with the rules that apply to no further call marked. */
const withUse = ({ rules = [], counts = [], seed }: FaultReport) => ({
  seed,
  rules,
  counts: rules.map((rule, place) => {
    const count = counts[place] ?? NO_COUNTS;
    return { ...count, isUsedUp: isUsedUp(rule, count) };
  }),
});

function dashboardSandboxOf({ sandbox, clock, service, events, world }: Opened): DashboardSandbox | undefined {
  if (sandbox === undefined || clock === undefined) return undefined;
  const { readModels, streams, projections } = service;
  const setFaults = setFaultsOnRecord(sandbox, service.recordAct);
  const further = async (accountId: string) =>
    (await service.connections.list({ accountId }))
      .filter(({ doc }) => doc.processor === sandbox.name)
      .map(({ id, doc }) => ({ id, name: doc.name }));
  return {
    further,
    faults: async (of) => withUse(await sandbox.faults(bookOf(of))),
    async setFaults(of, plan, by) {
      const set = await setFaults(of, plan, by);
      return set.kind === 'set' ? { ...set, report: withUse(set.report) } : set;
    },
    scenarios: () => sandbox.scenarios(),
    ledgerOf: (of, limit, after) => sandbox.ledgerOf(bookOf(of), limit, after),
    faultKinds: () => ({
      operations: [...OPERATIONS, 'look_up', 'tokenization'],
      phases: PHASES,
      faults: Object.entries(FAULTS).map(([fault, { phases, does }]) => ({ name: fault, phases, does })),
    }),
    clock: {
      now: () => ({ now: clock.world.now(), offsetMs: clock.offsetMs }),
      async advance(byMs, by) {
        const refused = await clock.advance({ events }, byMs, by);
        // As `sandbox clock advance`: other nodes look this often.
        if (refused === undefined) await world.sleep(2 * LOOK_EVERY_MS, new AbortController().signal);
        return refused;
      },
    },
    compare: compareOwn({
      ledger: sandbox,
      readModels,
      world,
      async current(paymentId) {
        await clock.look({ events }); // else an attempt may be pending by this clock and settled by the service's
        return streams.payments.current(paymentId);
      },
      unreadable: () => unreadablePayments(projections),
      furtherBooksOf: async (accountId) => (await further(accountId)).map(({ id }) => id),
    }),
  };
}
