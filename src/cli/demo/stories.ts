// The stories of the demo: outcomes that are unknown at first, each with the processor's own books at its end, and
// rules over two sandboxes.
import { z } from 'zod';
import { paymentIdOfReference } from '../../domain/payment/reference.ts';
import type { World } from '../../world.ts';
import { Refused } from '../exit.ts';
import { tell } from '../output.ts';
import {
  APPROVED,
  authorize,
  captureAndRefund,
  type DemoAnswer,
  type Ended,
  Payment,
  type ShopCalls,
} from './calls.ts';

/** The call times out, and the money moved. */
const LOST_ANSWER = '4000009900001044';
/** A card with the same behaviour, but for 60 s a look-up reports "not found". */
const FOUND_LATER = '4000009900001069';

const History = z.object({
  data: z.array(z.object({ type: z.string(), data: z.object({ answer: z.string().optional() }) })),
});

/** The service that the demo calls, and the way to have its outcomes sooner. */
interface Stage {
  readonly calls: ShopCalls;
  readonly world: World;
  /** How long the service waits for a processor's answer, ms. */
  readonly answerWithinMs: number;
  /** Moves the service's business clock, where the clock belongs to the demo alone; otherwise the demo waits. */
  readonly skip: ((ms: number) => Promise<void>) | undefined;
}

export type DemoStory = Ended & { readonly ledger: Compared };

/** Both stories, the one after the other. Throws Refused if an answer is not as it has to be. */
export async function unknownOutcomes(stage: Stage): Promise<readonly [DemoStory, DemoStory]> {
  tell('1. The processor charges the card, and its response is lost.');
  const first = await lostAnswer(stage, LOST_ANSWER);
  await letPass(
    stage,
    30,
    'The outcome is unknown, and the payment shows that. After the deadline of the call, the service asks the processor by its own reference.',
  );
  await untilKnown(stage, first, 120_000);
  const one = await toItsEnd(stage, first);

  tell('\n2. The same, but for 60 s the processor reports that it does not know the charge.');
  const second = await lostAnswer(stage, FOUND_LATER);
  await letPass(stage, 30, 'Again the service asks after the deadline of the call.');
  await untilNotFound(stage, second);
  tell(
    '"Not found" this early proves nothing: a service that accepted it could charge twice. The payment still shows an unknown outcome:',
  );
  const still = await stage.calls.get(`/payments/${second}`);
  if (Payment.parse(still.body).status !== 'PENDING') throw new Refused(`${second} was resolved without evidence.`);
  await letPass(stage, 300, 'The service asks again 5 min after the request.');
  await untilKnown(stage, second, 420_000);
  return [one, await toItsEnd(stage, second)];
}

async function lostAnswer({ calls, world, answerWithinMs }: Stage, card: string): Promise<string> {
  tell(`The processor will not respond: the service waits ${answerWithinMs / 1_000} s, then returns 202.`);
  const { status, body } = await authorize(calls, card, world);
  if (status !== 202) throw new Refused(`Expected 202 for the lost response, got ${status}.`);
  return Payment.parse(body).id;
}

/** `seconds` from the request on. */
async function letPass({ skip }: Stage, seconds: number, why: string): Promise<void> {
  if (skip === undefined) {
    tell(
      `${why} The demo waits; \`counterfoil sandbox clock advance ${seconds}s\` in another terminal shortens the wait.`,
    );
    return;
  }
  tell(`${why} (The demo moves the business clock of its own service by ${seconds} s, so there is no wait.)`);
  await skip(seconds * 1_000);
}

const untilKnown = async ({ calls }: Stage, id: string, withinMs: number): Promise<void> => {
  const path = `/payments/${id}`;
  const find = (answer: unknown) => (Payment.parse(answer).status === 'PENDING' ? undefined : true);
  await calls.until(path, find, { withinMs, words: `${path} did not reach the expected status` });
};

const untilNotFound = async ({ calls }: Stage, id: string): Promise<void> => {
  const path = `/payments/${id}/events`;
  const find = (answer: unknown) =>
    History.parse(answer).data.find(({ type, data }) => type === 'LookUpRecorded' && data.answer === 'not_found');
  await calls.until(path, find, { withinMs: 120_000, words: `${path} did not reach the expected status` });
};

async function toItsEnd({ calls }: Stage, id: string): Promise<DemoStory> {
  tell('Resolved: the processor confirmed the outcome. The checkout continues as usual:');
  const ended = await captureAndRefund(calls, id);
  tell("And the processor's own books:");
  return { ...ended, ledger: await compareWithLedger(calls, ended) };
}

const Page = z.object({
  data: z.array(z.object({ reference: z.string(), operation: z.string(), amount: z.number(), outcome: z.string() })),
  nextCursor: z.string().optional(),
});
type EntryLine = z.infer<typeof Page>['data'][number];

/** Minor units, as the ledger has them: equal to the payment's. */
interface Compared {
  readonly authorized: number;
  readonly captured: number;
  readonly refunded: number;
}

const PAGE_LINES = 100;

/** Throws Refused if the two differ by any amount. Only the pages with lines of the payment are shown. */
async function compareWithLedger(calls: ShopCalls, payment: Ended): Promise<Compared> {
  const lines: EntryLine[] = [];
  const isOfPayment = ({ reference }: EntryLine): boolean => paymentIdOfReference(reference) === payment.paymentId;
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const path: string = `/sandbox/ledger?limit=${PAGE_LINES}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const isShown = (answer: unknown): boolean => Page.safeParse(answer).data?.data.some(isOfPayment) !== false;
    const { body } = await calls.call('GET', path, undefined, { isShown });
    const page = Page.parse(body);
    lines.push(...page.data.filter(isOfPayment));
    cursor = page.nextCursor;
  }
  const sum = (operation: string): number =>
    lines
      .filter((line) => line.operation === operation && line.outcome === 'succeeded')
      .reduce((total, { amount }) => total + amount, 0);
  const ledger = { authorized: sum('authorization'), captured: sum('capture'), refunded: sum('refund') };
  const { authorized, captured, refunded } = payment;
  if (ledger.authorized !== authorized || ledger.captured !== captured || ledger.refunded !== refunded) {
    const books = JSON.stringify({ ledger, payment: { authorized, captured, refunded } });
    throw new Refused(`The ledger and the payment ${payment.paymentId} differ: ${books}`);
  }
  return ledger;
}

const Why = z.object({ data: z.array(z.object({ type: z.string(), words: z.string() })) });

/** The rules of the demo: the first sandbox takes all, and the second one what provably did not happen there. */
export const DEMO_RULES = {
  rules: [],
  default: { use: [{ connection: 'sandbox', weight: 1 }], then: ['second'] },
  fallbackOn: ['NOT_SENT', 'SOFT'],
  never: ['SUSPECTED_FRAUD'],
  mostAttempts: 2,
};

interface RoutedStory {
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
  await untilKnown(stage, second, 60_000);

  tell('\n3. The first sandbox returns errors: its circuit opens, and a payment skips it.');
  await faults(stage, [{ phase: 'before_effect', fault: '503' }]);
  for (let nth = 0; nth < FAILURES; nth += 1) await authorize(stage.calls, APPROVED, stage.world);
  const third = await paid(stage, 200, 'AUTHORIZED');
  return [await told(stage, first), await told(stage, second), await told(stage, third)];
}

/** The circuit of the demo's service opens after as many calls without a response. */
export const FAILURES = 3;

/** Rules for every authorization at the first sandbox. */
async function faults(stage: Stage, all: readonly object[]): Promise<void> {
  const rules = all.map((what) => ({ match: { operation: 'authorization' }, do: what }));
  await stage.calls.call('PUT', '/sandbox/faults', { rules });
}

async function paid(stage: Stage, expected: number, status: string): Promise<string> {
  const { status: code, body }: DemoAnswer = await authorize(stage.calls, APPROVED, stage.world);
  const payment = Payment.parse(body);
  if (code !== expected || payment.status !== status)
    throw new Refused(`Expected ${expected} with ${status}, got ${code} with ${payment.status}.`);
  return payment.id;
}

async function told(stage: Stage, paymentId: string): Promise<RoutedStory> {
  const why = await stage.calls.get(`/payments/${paymentId}/why`);
  const read = await stage.calls.read(`/payments/${paymentId}`);
  const choices = Why.parse(why.body)
    .data.filter(({ type }) => type === 'RouteChosen')
    .map(({ words }) => words);
  return { paymentId, status: Payment.parse(read.body).status, choices };
}
