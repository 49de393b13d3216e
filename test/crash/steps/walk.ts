// Kills processes at every step of authorizations and refunds, and checks how the next process finishes them.
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
  expectOneEffectOfEach,
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

/** The business time that one process lets pass. The next one starts after it. */
const PASSES_MS = LOOK_UPS_MS.reduce((sum, ms) => sum + ms, 0);

/**
 * The number of killed processes. Each dies during many requests that stopped at different steps, because a start costs
 * a second. STEP_KILLS asks for more, up to 20: the clock advances by an hour each time, and tokens live a day.
 */
const KILLS = Number(process.env['STEP_KILLS'] ?? 4);

/**
 * Reactions of the caller for each step: every one of them, or, step by step, each in its turn. STEP_RETRIES=all asks
 * for the former.
 */
export type RetriesAtAStep = 'all' | 'in turn';

/** The steps of each scenario when it is not stopped. */
type Steps = ReadonlyMap<Scenario, readonly string[]>;

interface Walked {
  readonly steps: Steps;
  /** The lead of the last process's clock at its end, ms. */
  readonly aheadMs: number;
}

/** Each process finishes the work of the killed one before it, and is then killed. The last one only finishes. */
export async function walkAllSteps(at: StoresAt, retriesAtAStep: RetriesAtAStep): Promise<Walked> {
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
      await expectOneEffectOfEach(
        client,
        left.filter(({ retry }) => retry !== 'never'),
      );
      steps ??= await stepsOf(process, client);
      if (kill < KILLS) left = await stopAll(process, client, steps, { kill, retriesAtAStep });
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
    const { steps } = await send(
      process,
      client,
      await prepared(client, scenario, 'never', 'unstopped'),
      Number.MAX_SAFE_INTEGER,
    );
    all.set(scenario, steps);
  }
  return all;
}

interface Kill {
  /** From 0. */
  readonly kill: number;
  readonly retriesAtAStep: RetriesAtAStep;
}

const retriesAt = (n: number, retriesAtAStep: RetriesAtAStep): readonly Prepared['retry'][] =>
  retriesAtAStep === 'all' || process.env['STEP_RETRIES'] === 'all'
    ? RETRIES
    : RETRIES.filter((_retry, place) => place === n % RETRIES.length);

/** Stops a request at every KILLS-th step of each scenario, for reactions of the caller. */
async function stopAll(
  process: StoppingProcess,
  client: Client,
  all: Steps,
  { kill, retriesAtAStep }: Kill,
): Promise<readonly Interrupted[]> {
  const ready: { readonly request: Prepared; readonly upTo: readonly string[] }[] = [];
  // All requests are prepared first: after the first one has stopped, the process does no other work.
  for (const [scenario, steps] of all)
    for (let n = kill + 1; n <= steps.length; n += KILLS)
      for (const retry of retriesAt(n, retriesAtAStep))
        ready.push({ request: await prepared(client, scenario, retry, String(n)), upTo: steps.slice(0, n) });
  const stopped: Interrupted[] = [];
  for (const { request, upTo } of ready) {
    const walked = await send(process, client, request, upTo.length);
    // The request took the same steps as without a stop, so that no step is missed.
    expect(walked, request.scenario.name).to.deep.include({ stopped: true, steps: upTo });
    stopped.push({ ...request, steps: upTo });
  }
  return stopped;
}

/**
 * The rules after the last process has ended and all work has fallen due. Answers what was checked, as a line to print.
 */
export async function expectGoodBooks(at: StoresAt, aheadMs: number): Promise<string> {
  const faults: unknown[] = [];
  const world = movableWorld();
  world.advance(aheadMs);
  const stores = await openStoresAt(at, world, (fault) => void faults.push(fault));
  const { service, reported } = await nodeOn(stores, { cardTestingLimits: false, leaps: true });
  const over = new AbortController();
  let ended: Promise<void> | undefined;
  try {
    ({ ended } = await untilCaughtUp(service, over.signal));
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
    await ended; // what still follows may open a file again
    await closeStores(stores);
  }
}
