// The demo of routing: a payment that falls back, a payment that must not, and a connection that is skipped while its
// circuit is open.
import { z } from 'zod';
import { Refused } from '../exit.ts';
import { tell } from '../output.ts';
import { authorize, Payment } from './checkout.ts';
import type { DemoAnswer } from './exchange.ts';
import type { Stage } from './unknown-outcomes.ts';

const APPROVED = '4242424242424242';
const Why = z.object({ data: z.array(z.object({ type: z.string(), words: z.string() })) });

/** The rules of the demo: the first sandbox takes all, and the second one what provably did not happen there. */
export const DEMO_RULES = {
  rules: [],
  default: { use: [{ connection: 'sandbox', weight: 1 }], then: ['second'] },
  fallbackOn: ['NOT_SENT', 'SOFT'],
  never: ['SUSPECTED_FRAUD'],
  mostAttempts: 2,
};

export interface RoutedStory {
  readonly paymentId: string;
  readonly status: string;
  /** What `/why` says of the choices, in order. */
  readonly choices: readonly string[];
}

/** The three stories, one after the other. Throws Refused if an answer is not as it has to be. */
export async function routingStories(stage: Stage): Promise<readonly RoutedStory[]> {
  tell('1. The request provably never reaches the first sandbox: the second is asked.');
  await faults(stage, [{ phase: 'before_send', fault: 'reset' }]);
  const first = await paid(stage, 200, 'AUTHORIZED');

  tell('\n2. The response is lost. The money may have moved, so nobody else is asked.');
  await faults(stage, [{ phase: 'during_reply', fault: 'reset' }]);
  const second = await paid(stage, 202, 'PENDING');
  await stage.skip?.(30_000);
  await untilKnown(stage, second);

  tell('\n3. The first sandbox returns errors: its circuit opens, and a payment skips it.');
  await faults(stage, [{ phase: 'before_effect', fault: '503' }]);
  for (let nth = 0; nth < FAILURES; nth += 1) await authorize(stage.client, stage.apiKey, APPROVED, stage.world);
  const third = await paid(stage, 200, 'AUTHORIZED');
  return [await told(stage, first), await told(stage, second), await told(stage, third)];
}

/** The circuit of the demo's service opens after as many calls without a response. */
export const FAILURES = 3;

const asShop = ({ apiKey }: Stage) => ['X-Api-Key', apiKey] as const;

/** Rules for every authorization at the first sandbox. */
async function faults(stage: Stage, all: readonly object[]): Promise<void> {
  const rules = all.map((what) => ({ match: { operation: 'authorization' }, do: what }));
  await stage.client.send({ method: 'PUT', path: '/sandbox/faults', credential: asShop(stage), body: { rules } });
}

async function paid(stage: Stage, expected: number, status: string): Promise<string> {
  const { status: code, body }: DemoAnswer = await authorize(stage.client, stage.apiKey, APPROVED, stage.world);
  const payment = Payment.parse(body);
  if (code !== expected || payment.status !== status)
    throw new Refused(`Expected ${expected} with ${status}, got ${code} with ${payment.status}.`);
  return payment.id;
}

const LOOK_EVERY_MS = 250;
const KNOWN_WITHIN_MS = 60_000;

async function untilKnown(stage: Stage, id: string): Promise<void> {
  const { client, world } = stage;
  const deadline = world.monotonic() + KNOWN_WITHIN_MS;
  const isKnown = (answer: unknown): boolean => Payment.parse(answer).status !== 'PENDING';
  while (world.monotonic() < deadline) {
    const { body } = await client.look({ method: 'GET', path: `/payments/${id}`, credential: asShop(stage) }, isKnown);
    if (isKnown(body)) return;
    await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  throw new Refused(`The outcome of ${id} was not known within ${KNOWN_WITHIN_MS / 1_000} s.`);
}

async function told(stage: Stage, paymentId: string): Promise<RoutedStory> {
  const credential = asShop(stage);
  const why = await stage.client.send({ method: 'GET', path: `/payments/${paymentId}/why`, credential });
  const read = await stage.client.look({ method: 'GET', path: `/payments/${paymentId}`, credential }, () => false);
  const choices = Why.parse(why.body)
    .data.filter(({ type }) => type === 'RouteChosen')
    .map(({ words }) => words);
  return { paymentId, status: Payment.parse(read.body).status, choices };
}
