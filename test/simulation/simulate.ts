// npm run simulate -- --seed N --payments M: runs simulated worlds until one breaks a promise, then shrinks that one
// and prints its history.
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Plan, planOf } from './plan.ts';
import type { WorldKind } from './routes.ts';
import { type Outcome, run } from './run.ts';
import { shrink } from './shrink.ts';
import { kindFor, SOUND, type Variant } from './variant.ts';
import { VARIANTS } from './variants.ts';
import { runWorlds } from './worlds.ts';

const USAGE = `npm run simulate -- [--seed N] [--payments M] [--world W] [--cores C]
                    [--routed | --twins | --billing] [--replay SEED] [--variant NAME] [--keep-going]

  --seed N       any text; worlds are seeded N.0, N.1, ...      (1)
  --payments M   payments in all worlds together                (10000)
  --world W      payments in each world                         (1000)
  --cores C      worlds that run at once, each in a thread      (all cores)
  --routed       all worlds have two sandboxes, and rules that route payments over
                 them; without it the seed chooses, for half of the worlds
  --twins        payments go by two connections to twins of Stripe, in place of
                 the sandbox; so they do with a variant of them
  --billing      customers agree to later charges, and billing jobs charge them
  --replay SEED  runs one world, for example 1.7, and prints its whole history
  --variant NAME runs a service that is broken on purpose, see below
  --keep-going   counts the worlds that break a promise instead of stopping at
                 the first

Variants:
${VARIANTS.map(({ name }) => `  ${name}`).join('\n')}`;

const options = {
  seed: { type: 'string', default: '1' },
  payments: { type: 'string', default: '10000' },
  world: { type: 'string', default: '1000' },
  cores: { type: 'string', default: String(availableParallelism()) },
  routed: { type: 'boolean', default: false },
  twins: { type: 'boolean', default: false },
  billing: { type: 'boolean', default: false },
  replay: { type: 'string' },
  variant: { type: 'string' },
  'keep-going': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const PROGRESS_EVERY_MS = 5_000;
const SHRINK_TRIES = 150;
const SHOWN_VIOLATIONS = 20;

/** The messages of faults are enough: a deep stack for each unavailable store would cost more than all other work. */
Error.stackTraceLimit = 6;

const wrong = (text: string): never => {
  console.error(text);
  process.exit(2);
};
const count = (text: string, of: string): number =>
  /^[1-9]\d*$/.test(text) ? Number(text) : wrong(`${text} is not a number of ${of}.\n${USAGE}`);

const { values } = parseArgs({ options });
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const variant: Variant =
  values.variant === undefined
    ? SOUND
    : (VARIANTS.find(({ name }) => name === values.variant) ?? wrong(`${values.variant} is not a variant.\n${USAGE}`));
const asked: WorldKind | undefined = (['twins', 'routed', 'billing'] as const).find((kind) => values[kind]);
const kind = kindFor(variant) ?? asked;
const world = count(values.world, 'payments');
const cores = count(values.cores, 'cores');
process.exitCode =
  values.replay === undefined
    ? await simulate(values.seed, count(values.payments, 'payments'))
    : await replay(values.replay);

/** Runs one world and prints every line of its history. 1 when it breaks a promise. */
async function replay(seed: string): Promise<number> {
  const outcome = await run(planOf(seed, world, kind), { variant, history: (line) => console.log(line) });
  tellViolations(outcome.violations);
  console.log(`digest ${outcome.digest}`);
  return outcome.violations.length === 0 ? 0 : 1;
}

/** Runs without stacks, which would cost too much at thousands of refusals a second. A replay of the seed has them. */
async function simulate(seed: string, payments: number): Promise<number> {
  const totals = { payments: 0, worlds: 0, events: 0, acknowledged: 0, misfortunes: 0, simulatedMs: 0 };
  const routed = { choices: 0, fallbacks: 0, skips: 0 };
  const digests = createHash('sha256');
  const broken: { readonly plan: Plan; readonly outcome: Outcome }[] = [];
  Error.stackTraceLimit = 0;
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let toldAt = startedAt;
  const rate = (): number => Math.round((totals.payments * 1_000) / (performance.now() - startedAt));
  await runWorlds({ seed, payments, world, kind, variant, cores, keepGoing: values['keep-going'] }, (ran, outcome) => {
    totals.worlds += 1;
    totals.payments += outcome.payments;
    totals.events += outcome.events;
    totals.acknowledged += outcome.acknowledged;
    totals.misfortunes += outcome.misfortunes;
    totals.simulatedMs += outcome.simulatedMs;
    routed.choices += outcome.routed.choices;
    routed.fallbacks += outcome.routed.fallbacks;
    routed.skips += outcome.routed.skips;
    digests.update(outcome.digest);
    if (outcome.violations.length > 0) {
      const plan = planOf(ran.seed, ran.payments, kind);
      broken.push({ plan, outcome });
      tellBroken(plan, outcome);
    }
    if (performance.now() - toldAt >= PROGRESS_EVERY_MS) {
      toldAt = performance.now();
      console.error(
        `${totals.payments} of ${payments} payments, ${rate()} a second, ${broken.length} worlds broke a promise`,
      );
    }
  });
  const { user, system } = process.cpuUsage(before);
  const perSecond = rate();
  const [first] = broken;
  if (first !== undefined && !values['keep-going']) await tellShortest(first.plan, first.outcome);
  console.log(
    `${totals.payments} payments in ${totals.worlds} worlds (seeds ${seed}.0 to ${seed}.${totals.worlds - 1}, ${world} payments each): ` +
      `${totals.events} events, ${totals.acknowledged} acknowledged commands, ${totals.misfortunes} misfortunes, ` +
      `${(totals.simulatedMs / 3_600_000).toFixed(1)} h simulated`,
  );
  if (routed.choices > 0)
    console.log(
      `${routed.choices} choices by rules of routing, ${routed.skips} connections skipped, ${routed.fallbacks} fallbacks`,
    );
  console.log(`digest ${digests.digest('hex')}`);
  console.log(
    `${perSecond} payments a second in ${cores} threads, ${((user + system) / 1_000 / totals.payments).toFixed(2)} ms of CPU each; ` +
      (broken.length === 0 ? 'every promise held' : `${broken.length} worlds broke a promise`),
  );
  return broken.length === 0 ? 0 : 1;
}

function tellViolations(violations: readonly string[]): void {
  for (const violation of violations.slice(0, SHOWN_VIOLATIONS)) console.log(`  ${violation}`);
  if (violations.length > SHOWN_VIOLATIONS) console.log(`  and ${violations.length - SHOWN_VIOLATIONS} more`);
}

function tellBroken({ seed, shoppers }: Plan, { violations }: Outcome): void {
  console.log(`seed ${seed} with ${shoppers.length} payments broke promises:`);
  tellViolations(violations);
}

async function tellShortest(plan: Plan, { violations }: Outcome): Promise<void> {
  const shrunk = await shrink(plan, violations, variant, SHRINK_TRIES);
  const { shoppers, misfortunes, skewsMs, badness } = shrunk.plan;
  console.log(
    `the shortest history that ${shrunk.tries} tries found: shoppers ${shoppers.join(', ')}; weather ${badness}; clocks ${skewsMs.join(' and ')} ms ahead; misfortunes ${JSON.stringify(misfortunes)}`,
  );
  for (const line of shrunk.history) console.log(line);
  tellViolations(shrunk.violations);
  console.log(
    `run it again: npm run simulate -- --world ${plan.shoppers.length} --replay ${plan.seed}${asked === undefined ? '' : ` --${asked}`}${variant === SOUND ? '' : ` --variant '${variant.name}'`}`,
  );
}
