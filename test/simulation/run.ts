// One simulated world from its beginning to its end: two nodes, one sandbox, two of them or two twins of Stripe,
// shoppers and misfortunes; then calm, and the audit.
import type { Processor } from '../../src/processors/processor.ts';
import { openSandbox } from '../../src/processors/sandbox/sandbox.ts';
import { Secrets } from '../../src/secrets.ts';
import { openService, type Service } from '../../src/service.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { Misfortunes } from './misfortunes.ts';
import { ACCOUNT, CALM_NETWORK, Network } from './network.ts';
import { Node } from './node.ts';
import { Operator } from './operator.ts';
import { PastAudit } from './past-audit.ts';
import type { Plan } from './plan.ts';
import { DelayedCalls } from './processor-over-link.ts';
import { between, randomOf } from './random.ts';
import { Receivers } from './receivers.ts';
import { RULES, SANDBOXES } from './routes.ts';
import type { RouteCounts } from './routes-audit.ts';
import { auditRun } from './run-audit.ts';
import { Shopper, type ShopperParts } from './shopper.ts';
import { BusinessClock, simulatedWorld } from './simulated-world.ts';
import { Subscriber } from './subscriber.ts';
import { Timeline } from './timeline.ts';
import { Twins } from './twins.ts';
import { callerOver } from './twins-over-link.ts';
import { connectTwo, notificationUrl, refusedTokens } from './two-sandboxes.ts';
import { SOUND, type Variant } from './variant.ts';
import { CALM_NODE, networkWeather, UNHEARD_PROCESSOR } from './weather.ts';

export interface Outcome {
  /** Broken promises; empty if every promise held. */
  readonly violations: readonly string[];
  readonly payments: number;
  readonly events: number;
  readonly acknowledged: number;
  readonly misfortunes: number;
  readonly routed: RouteCounts;
  readonly simulatedMs: number;
  /** SHA-256 over the log and the ledger. */
  readonly digest: string;
}

export interface RunOptions {
  readonly variant?: Variant;
  /** Receives every line of the history. Without it no line is made. */
  readonly history?: (line: string) => void;
}

/** How long shoppers may take after the last has come, ms. Each of their calls has a deadline of its own. */
const LAST_MS = 1_800_000;
/** The longest that a call takes, delayed calls excepted, ms. */
const SLOWEST_MS = 41_000;
/**
 * Jumps of business time after the misfortunes, and how long the nodes run after each. Look-ups fall due; holds,
 * refunds, tokens and sessions end; follow-ups are done. The last run is long enough for policies that look once a
 * minute.
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
 * How much longer the last incarnation lives when nodes restart often: it looks again at a call under way half a minute
 * later, in the policies' next minute. No incarnation lives through the processor's consistency window.
 */
const LONGER_MS = 56_000;

/** Runs the plan. A fault of the service is a violation in the outcome; it is never thrown. */
export async function run(plan: Plan, { variant = SOUND, history }: RunOptions = {}): Promise<Outcome> {
  const timeline = new Timeline();
  const clock = new BusinessClock();
  const tell =
    history === undefined
      ? () => undefined
      : (line: () => string) => history(`${(timeline.now / 1_000).toFixed(3).padStart(9)} ${line()}`);
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
  const sandboxWorld = simulatedWorld({
    timeline,
    clock,
    random: randomOf(plan.seed, 'sandbox'),
    fetch: network.fetch,
  });
  const sandbox = await openSandbox({
    file: 'memory',
    world: sandboxWorld,
    secrets: secrets.keys('sandbox-signature'),
    report: fault,
  });
  await sandbox.connect({ accountId: ACCOUNT, apiKey: 'simulated' });
  const refused = plan.routed && (await refusedTokens(sandbox));
  const twins = plan.twins && new Twins(plan.seed, { timeline, network, now: sandboxWorld.now });
  const receivers = new Receivers(plan.seed, plan.receivers, { timeline, nodes, tell });
  const asked = new Map<string, number>();
  /** By the reference of the request. */
  const askedAt = new Map<string, string>();
  const delayedCalls = new DelayedCalls(timeline);
  const around = {
    seed: plan.seed,
    timeline,
    clock,
    delayedCalls,
    secrets,
    events,
    readModels: () => readModels,
    processor: sandbox,
    refused,
    twins: twins && {
      secretOf: twins.secretOf,
      callerOver: callerOver(twins),
    },
    variant,
    tell,
    fault,
    post: receivers.postOf.bind(receivers),
    asked: (reference: string, connectionId: string | undefined) => {
      asked.set(reference, (asked.get(reference) ?? 0) + 1);
      if (connectionId !== undefined) askedAt.set(reference, connectionId);
    },
  };
  const loseReadModels = (): void => {
    tell(() => 'the read models are lost');
    readModels = memoryReadModels();
  };
  const changeRules = (to: number): void => {
    tell(() => `the rules of routing are set to ${JSON.stringify(RULES[to])}`);
    const random = randomOf(plan.seed, 'rules', timeline.now);
    const set = (service: Service) => service.routing.set({ accountId: ACCOUNT, sent: RULES[to] });
    void network.request(random, between(random, 0, 1), set);
  };
  const misfortunes = new Misfortunes(plan, timeline, nodes, { loseReadModels, changeRules });
  for (const [index, skewMs] of plan.skewsMs.entries())
    nodes.push(new Node(`node ${index + 1}`, around, skewMs, misfortunes.weather));
  if (twins !== undefined || plan.routed !== undefined) {
    const processors = new Map<string, Processor>(twins === undefined ? [[sandbox.name, sandbox]] : []);
    const node = await openService(
      { events, readModels, processors, world: sandboxWorld, report: fault },
      { mode: 'test', secrets, publicUrl: () => '', post: () => Promise.reject(new Error('nobody is called')) },
    );
    await twins?.connect(node, plan.twins?.isProven === true);
    if (plan.routed !== undefined) await connectTwo(node, sandbox, plan.routed.rules);
  }
  for (const node of nodes) node.start();
  const closing = new AbortController();
  void sandbox.run('http://node', closing.signal).catch(fault);
  await timeline.runUntil(() => nodes.some(({ service }) => service?.readiness().ready === true), 60_000);

  const acknowledged = new Acknowledgements();
  const past = new PastAudit(plan.skewsMs);
  misfortunes.begin();
  receivers.begin();
  const operator = new Operator(randomOf(plan.seed, 'operator'), {
    timeline,
    network,
    world: sandboxWorld,
    secret: secrets.keys('sandbox-signature')[0] ?? Buffer.alloc(0),
    notificationUrl: (reference) => notificationUrl(askedAt.get(reference)),
    statement: async (references) => new Map((await sandbox.linesOf(references)).map((line) => [line.reference, line])),
    tell,
  });
  timeline.after(plan.spreadMs, undefined, () => void operator.stray());
  const shopping = new Shopping(plan, {
    timeline,
    network,
    acknowledged,
    past,
    operator,
    challenges: twins ?? sandbox,
    twins,
    isRouted: plan.routed !== undefined,
    tell,
    isClosing: () => timeline.now > plan.spreadMs + 120_000,
  });
  if (!(await timeline.runUntil(() => shopping.isOver, plan.spreadMs + LAST_MS)))
    violations.push('a shopper never finished');
  await misfortunes.end();
  if (plan.restartsOften) await misfortunes.restart();
  // A call under way when business time jumps would arrive later than any processor promises, so all are delivered now.
  delayedCalls.deliverAll();
  if (plan.isSettledByHand) for (const node of nodes) node.weather = UNHEARD_PROCESSOR;
  await timeline.run(SLOWEST_MS);
  network.weather = CALM_NETWORK;
  receivers.calm();
  const finished = async (work: Promise<void>): Promise<void> => {
    let isOver = false;
    void work.catch(fault).finally(() => {
      isOver = true;
    });
    if (!(await timeline.runUntil(() => isOver, LAST_MS))) violations.push('an operator never finished');
  };
  if (plan.isSettledByHand) await finished(operator.settle());
  for (const node of nodes) node.weather = CALM_NODE;
  for (const [step, { jumpMs, runMs }] of STEPS.entries()) {
    clock.offsetMs += jumpMs;
    tell(() => `business time advances by ${jumpMs / 1_000} s`);
    twins?.passTime();
    if (plan.restartsOften) await misfortunes.restart();
    await timeline.run(runMs);
    delayedCalls.step();
    if (step === 0) await finished(operator.goOn().then(operator.correctAll));
  }
  if (plan.restartsOften) await timeline.run(LONGER_MS);
  await finished(operator.discard());
  if (!(await timeline.runUntil(() => receivers.isQuiet, LAST_MS))) violations.push('receivers were called for ever');
  closing.abort();
  const audit = await auditRun({
    events,
    readModels,
    ledger: await wholeLedger(sandbox),
    inSecond: plan.routed && new Set((await wholeLedger(sandbox, SANDBOXES[1])).map(({ reference }) => reference)),
    moved: twins?.effects() ?? [],
    acknowledged,
    past,
    asked,
    receivers: receivers.all,
  });
  for (const node of nodes) node.end();
  await timeline.run(0);
  await events.close();
  await sandbox.close();
  return {
    violations: [...violations, ...audit.violations],
    payments: plan.shoppers.length,
    events: audit.events,
    acknowledged: acknowledged.count,
    misfortunes: plan.misfortunes.length,
    routed: audit.routed,
    simulatedMs: timeline.now,
    digest: audit.digest,
  };
}

class Shopping {
  #left: number;

  constructor({ seed, shoppers, spreadMs, isBilling }: Plan, parts: ShopperParts) {
    this.#left = shoppers.length;
    for (const number of shoppers) {
      const random = randomOf(seed, 'shopper', number);
      const shopper = isBilling
        ? new Subscriber(`subscriber-${number}`, random, parts)
        : new Shopper(`shopper-${number}`, random, parts);
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
