// Kills processes in the middle of authorizations and refunds, at every step there is, and looks at the next process's work on them.
import { expect } from 'chai';
import type { Client } from '../../support/load-client.ts';
import { merchant, nodeOn } from '../../support/node.ts';
import { movableWorld } from '../../support/test-world.ts';
import { wholeLedger } from '../../support/whole-ledger.ts';
import {
  claimedInVain,
  differencesOf,
  hangingSessions,
  hangingWork,
  LOOK_UPS_MS,
  letFallDue,
  unlikeRebuilt,
  untilCaughtUp,
  verifyChains,
} from '../books.ts';
import {
  expectEarlyAnswer,
  expectOneEffect,
  type Interrupted,
  type Prepared,
  prepared,
  RETRIES,
  SCENARIOS,
  type Scenario,
  send,
} from './interrupted.ts';
import { StoppingProcess } from './stopping-process.ts';
import { closeStores, openStoresAt, type StoresAt } from './stores-at.ts';

/** The business time that one process lets pass: the next one starts there. */
const PASSES_MS = LOOK_UPS_MS.reduce((sum, ms) => sum + ms, 0);

/**
 * So many processes are killed; each dies in the middle of many requests, each of those at another step. A start costs a second, so
 * that it is not one for each step; STEP_KILLS asks for more, up to 20: the clock goes on by an hour each time, and tokens live a day.
 */
const KILLS = Number(process.env['STEP_KILLS'] ?? 7);

/** Of each scenario, when nothing stops it. */
type Steps = ReadonlyMap<Scenario, readonly string[]>;

interface Walked {
  readonly steps: Steps;
  /** The lead of the last process's clock when it ended. */
  readonly aheadMs: number;
}

/** Each process finds the rest of the one before, which was killed, finishes that, and dies in its turn; the last one only finishes. */
export async function walkAllSteps(at: StoresAt): Promise<Walked> {
  let steps: Steps | undefined;
  let left: readonly Interrupted[] = [];
  let key: string | undefined;
  for (let kill = 0; kill <= KILLS; kill += 1) {
    const started = await StoppingProcess.start({ at, aheadMs: kill * PASSES_MS, ...(key !== undefined && { key }) });
    const { process, client } = started;
    key = started.key;
    try {
      for (const one of left) if (one.retry === 'at once') await expectEarlyAnswer(client, one);
      await process.fallDue();
      for (const one of left) if (one.retry !== 'never') await expectOneEffect(client, one);
      steps ??= await stepsOf(process, client);
      if (kill < KILLS) left = await stopAll(process, client, steps, kill);
      expect([...client.faults, ...(await process.faults())]).to.deep.equal([]);
    } finally {
      await process.kill();
      client.close();
    }
  }
  return { steps: steps ?? new Map(), aheadMs: (KILLS + 1) * PASSES_MS };
}

async function stepsOf(process: StoppingProcess, client: Client): Promise<Steps> {
  const all = new Map<Scenario, readonly string[]>();
  for (const scenario of SCENARIOS) {
    const { steps } = await send(process, client, await prepared(client, scenario, 'never', 'unstopped'), Number.MAX_SAFE_INTEGER);
    all.set(scenario, steps);
  }
  return all;
}

/** Stops a request at every KILLS-th step of each scenario, for each way to go on afterwards. */
async function stopAll(process: StoppingProcess, client: Client, all: Steps, kill: number): Promise<readonly Interrupted[]> {
  const ready: { readonly request: Prepared; readonly upTo: readonly string[] }[] = [];
  // All are made ready first: from the first paused one on, the process does nothing else.
  for (const [scenario, steps] of all)
    for (let n = kill + 1; n <= steps.length; n += KILLS)
      for (const retry of RETRIES) ready.push({ request: await prepared(client, scenario, retry, String(n)), upTo: steps.slice(0, n) });
  const stopped: Interrupted[] = [];
  for (const { request, upTo } of ready) {
    const walked = await send(process, client, request, upTo.length);
    // It took the steps that it takes when nothing stops it, and no other: so that none is forgotten.
    expect(walked, request.scenario.name).to.deep.include({ stopped: true, steps: upTo });
    stopped.push({ ...request, steps: upTo });
  }
  return stopped;
}

/** The rules when all are dead and everything has fallen due; answers how much there was to look at. */
export async function expectGoodBooks(at: StoresAt, aheadMs: number): Promise<string> {
  const faults: unknown[] = [];
  const world = movableWorld();
  world.advance(aheadMs);
  const stores = await openStoresAt(at, world, (fault) => void faults.push(fault));
  const { service, reported } = await nodeOn(stores, { cardTestingLimits: false, leaps: true });
  const over = new AbortController();
  try {
    await untilCaughtUp(service, over.signal);
    await letFallDue(service, world, LOOK_UPS_MS);
    expect(await hangingWork(service.readModels)).to.deep.equal([]);
    expect(await hangingSessions(service)).to.deep.equal([]);
    const free = await claimedInVain(service);
    for (const { token, accountId } of free) {
      const asked = { paymentMethodToken: token, orderId: 'again', currencyCode: 'EUR' as const, amount: 5 };
      const paid = await service.payments.authorizePayment(asked, merchant(accountId, world));
      expect(paid.kind === 'rejected' ? paid.description : '').to.equal('');
    }
    expect(await differencesOf(service, stores.sandbox)).to.deep.equal([]);
    expect(await unlikeRebuilt(service)).to.deep.equal([]);
    const chains = await verifyChains(stores.events);
    expect([...chains.broken, ...faults, ...reported]).to.deep.equal([]);
    const { length } = await wholeLedger(stores.sandbox);
    return `${length} lines in the ledger, ${chains.events} events in ${chains.streams} streams, ${free.length} tokens given back`;
  } finally {
    over.abort();
    await closeStores(stores);
  }
}
