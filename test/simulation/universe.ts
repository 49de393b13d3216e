// One simulated world from its beginning to its end: two nodes, the sandbox, shoppers and misfortunes; then calm, and the reckoning.
import { openSandbox } from '../../src/processors/sandbox/sandbox.ts';
import { Secrets } from '../../src/secrets.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { ACCOUNT, CALM_NETWORK, Network } from './network.ts';
import { Node } from './node.ts';
import { Operator } from './operator.ts';
import type { Plan } from './plan.ts';
import { Backwater } from './processor-over-link.ts';
import { randomOf } from './random.ts';
import { reckon } from './reckoning.ts';
import { Shopper } from './shopper.ts';
import { BusinessClock, simulatedWorld } from './simulated-world.ts';
import { Timeline } from './timeline.ts';
import { Turmoil } from './turmoil.ts';
import { SOUND, type Variant } from './variant.ts';
import { CALM_NODE, networkWeather, UNHEARD_PROCESSOR } from './weather.ts';

export interface Outcome {
  /** What must never be; empty when all is well. */
  readonly violations: readonly string[];
  readonly payments: number;
  readonly events: number;
  readonly acknowledged: number;
  readonly disturbances: number;
  readonly simulatedMs: number;
  /** SHA-256 over log and ledger. */
  readonly digest: string;
}

export interface RunOptions {
  readonly variant?: Variant;
  /** Gets every line of the history; without one, none is made. */
  readonly history?: (line: string) => void;
}

/** How long shoppers may take after the last has come, ms; each of their calls ends by itself. */
const LAST_MS = 1_800_000;
/** No call that is not in the backwater takes longer, ms. */
const SLOWEST_MS = 41_000;
/**
 * Steps of business time behind the turmoil, and how long each is lived through: look-ups fall due, holds, refunds, tokens and sessions come
 * to their ends, and what one makes due is done; the last is long enough for the policies that look once a minute.
 */
const STEPS: readonly { readonly jumpMs: number; readonly runMs: number }[] = [
  { jumpMs: 40_000, runMs: 36_000 },
  { jumpMs: 400_000, runMs: 36_000 },
  { jumpMs: 4_200_000, runMs: 12_000 },
  { jumpMs: 90_000_000, runMs: 12_000 },
  { jumpMs: 260_000_000, runMs: 12_000 },
  { jumpMs: 700_000_000, runMs: 12_000 },
  { jumpMs: 2_700_000_000, runMs: 62_000 },
];

/**
 * How much longer the last process lives where they restart often: one that found a call under way looks again half a minute later, at
 * the policies' next minute. None lives through the processor's consistency window.
 */
const LONGER_MS = 56_000;

/** Runs the plan. Never throws for what the service does wrong: that is a violation. */
export async function run(plan: Plan, { variant = SOUND, history }: RunOptions = {}): Promise<Outcome> {
  const timeline = new Timeline();
  const clock = new BusinessClock();
  const tell =
    history === undefined ? () => undefined : (line: () => string) => history(`${(timeline.now / 1_000).toFixed(3).padStart(9)} ${line()}`);
  const violations: string[] = [];
  const fault = (what: unknown): void => {
    violations.push(`fault: ${what instanceof Error ? (what.stack ?? what.message) : String(what)}`);
    tell(() => `a fault is reported: ${String(what)}`);
  };
  const secrets = new Secrets([Buffer.alloc(32, 7)]);
  const events = openMemoryEventStore();
  let readModels = memoryReadModels();
  const nodes: Node[] = [];
  const network = new Network(timeline, nodes, randomOf(plan.seed, 'network'), networkWeather(plan.badness), fault);
  const sandboxWorld = simulatedWorld({ timeline, clock, random: randomOf(plan.seed, 'sandbox'), fetch: network.fetch });
  const sandbox = await openSandbox({ file: 'memory', world: sandboxWorld, secrets: secrets.keys('sandbox-signature'), report: fault });
  await sandbox.connect({ accountId: ACCOUNT, apiKey: 'simulated' });
  const asked = new Map<string, number>();
  const backwater = new Backwater(timeline);
  const around = {
    seed: plan.seed,
    timeline,
    clock,
    backwater,
    secrets,
    events,
    readModels: () => readModels,
    processor: sandbox,
    variant,
    tell,
    fault,
    asked: (reference: string) => void asked.set(reference, (asked.get(reference) ?? 0) + 1),
  };
  const loseReadModels = (): void => {
    tell(() => 'the read models are lost');
    readModels = memoryReadModels();
  };
  const turmoil = new Turmoil(plan, timeline, nodes, loseReadModels);
  for (const [index, skewMs] of plan.skewsMs.entries()) nodes.push(new Node(`node ${index + 1}`, around, skewMs, turmoil.weather));
  for (const node of nodes) node.start();
  const closing = new AbortController();
  void sandbox.run('http://node', closing.signal).catch(fault);
  await timeline.runUntil(() => nodes.some(({ service }) => service?.readiness().ready === true), 60_000);

  const acknowledged = new Acknowledgements();
  turmoil.begin();
  const operator = new Operator(randomOf(plan.seed, 'operator'), {
    timeline,
    network,
    world: sandboxWorld,
    secret: secrets.keys('sandbox-signature')[0] ?? Buffer.alloc(0),
    statement: async () => new Map((await wholeLedger(sandbox)).map((line) => [line.reference, line])),
    tell,
  });
  timeline.after(plan.spreadMs, undefined, () => void operator.stray());
  const shopping = new Shopping(plan, {
    timeline,
    network,
    acknowledged,
    operator,
    tell,
    isClosing: () => timeline.now > plan.spreadMs + 120_000,
  });
  if (!(await timeline.runUntil(() => shopping.isOver, plan.spreadMs + LAST_MS))) violations.push('a shopper never got to an end');
  await turmoil.end();
  if (plan.restartsOften) await turmoil.restart();
  // What is on its way when business time jumps would otherwise arrive later than any processor promises.
  backwater.letThrough();
  if (plan.isSettledByHand) for (const node of nodes) node.weather = UNHEARD_PROCESSOR;
  await timeline.run(SLOWEST_MS);
  network.weather = CALM_NETWORK;
  const finished = async (work: Promise<void>): Promise<void> => {
    let isOver = false;
    void work.catch(fault).finally(() => {
      isOver = true;
    });
    if (!(await timeline.runUntil(() => isOver, LAST_MS))) violations.push('an operator never got to an end');
  };
  if (plan.isSettledByHand) await finished(operator.settle());
  for (const node of nodes) node.weather = CALM_NODE;
  for (const [step, { jumpMs, runMs }] of STEPS.entries()) {
    clock.offsetMs += jumpMs;
    tell(() => `business time moves on by ${jumpMs / 1_000} s`);
    if (plan.restartsOften) await turmoil.restart();
    await timeline.run(runMs);
    if (step === 0) await finished(operator.goOn().then(operator.correctAll));
  }
  if (plan.restartsOften) await timeline.run(LONGER_MS);
  await finished(operator.discard());
  closing.abort();
  const reckoned = await reckon({ events, readModels, ledger: await wholeLedger(sandbox), acknowledged, asked });
  for (const node of nodes) node.end();
  await timeline.run(0);
  await events.close();
  await sandbox.close();
  return {
    violations: [...violations, ...reckoned.violations],
    payments: plan.shoppers.length,
    events: reckoned.events,
    acknowledged: acknowledged.count,
    disturbances: plan.disturbances.length,
    simulatedMs: timeline.now,
    digest: reckoned.digest,
  };
}

class Shopping {
  #left: number;

  constructor({ seed, shoppers, spreadMs }: Plan, parts: ConstructorParameters<typeof Shopper>[2]) {
    this.#left = shoppers.length;
    for (const number of shoppers) {
      const random = randomOf(seed, 'shopper', number);
      const shopper = new Shopper(`shopper-${number}`, random, parts);
      parts.timeline.after(random() * spreadMs, undefined, () => {
        void shopper.shop().finally(() => {
          this.#left -= 1;
        });
      });
    }
  }

  get isOver(): boolean {
    return this.#left === 0;
  }
}
