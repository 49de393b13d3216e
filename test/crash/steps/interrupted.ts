// Requests that a process did not finish because it died at one of their steps, and the rules for their repetition.
import { expect } from 'chai';
import {
  authorized,
  createSession,
  type LedgerLine,
  ledgerOf,
  linesOf,
  ok,
  paymentIn,
  tokenize,
  verdictOf,
} from '../../support/load-calls.ts';
import type { Answer, Client } from '../../support/load-client.ts';
import { STOP_AT_HEADER, type Walked } from './stepper.ts';
import type { StoppingProcess } from './stopping-process.ts';

interface Call {
  readonly path: string;
  readonly body: object;
}

export interface Scenario {
  readonly name: string;
  /** The operations that the request has performed at the processor in the end, each once. */
  readonly operations: readonly string[];
  /** Makes the resources that the request needs. `name` is unique to it. */
  readonly prepare: (client: Client, name: string) => Promise<Call>;
}

const paying =
  (fields: (name: string) => object): Scenario['prepare'] =>
  async (client, name) => {
    const clientToken = await createSession(client, fields(name));
    return { path: '/payments', body: { clientToken, paymentMethodToken: await tokenize(client, clientToken) } };
  };

export const SCENARIOS: readonly Scenario[] = [
  { name: 'an authorization', operations: ['authorization'], prepare: paying(() => ({})) },
  {
    name: 'an authorization that captures and vaults',
    operations: ['authorization', 'capture'],
    prepare: paying((customerId) => ({
      customerId,
      paymentMethod: { captureMode: 'AUTOMATIC', vaultOnSuccess: true },
    })),
  },
  {
    name: 'a refund',
    operations: ['refund'],
    prepare: async (client) => {
      const { id } = await authorized(client);
      ok(await client.call('POST', `/payments/${id}/capture`));
      return { path: `/payments/${id}/refund`, body: { amount: 300 } };
    },
  },
];

/** How the caller reacts to a request without an answer. */
export const RETRIES = ['at once', 'later', 'never'] as const;

/** A request that can be sent and repeated. */
export interface Prepared {
  readonly scenario: Scenario;
  readonly retry: (typeof RETRIES)[number];
  readonly call: Call;
  readonly key: string;
}

export interface Interrupted extends Prepared {
  /** The steps so far. The request stopped at the last one. */
  readonly steps: readonly string[];
}

/** Makes the resources that the request needs; `name` makes its key unique. */
export async function prepared(
  client: Client,
  scenario: Scenario,
  retry: Prepared['retry'],
  name: string,
): Promise<Prepared> {
  const key = `${scenario.name} ${retry} ${name}`.replaceAll(' ', '-');
  return { scenario, retry, key, call: await scenario.prepare(client, key) };
}

/** Sends a request that stops at a step. With fewer steps it is answered. */
export async function send(
  process: StoppingProcess,
  client: Client,
  { call, key }: Prepared,
  stopAt: number,
): Promise<Walked> {
  const asked = client.call('POST', call.path, call.body, {
    'X-Idempotency-Key': key,
    [STOP_AT_HEADER]: String(stopAt),
  });
  const answer = asked.catch(() => undefined); // the connection ends with the process
  const walked = await process.walked();
  if (!walked.stopped) expect((await answer)?.status).to.equal(200);
  return walked;
}

export const sendAgain = (client: Client, { call, key }: Interrupted): Promise<Answer> =>
  client.call('POST', call.path, call.body, { 'X-Idempotency-Key': key });

/** An immediate repetition is either answered, or refused because the outcome is not known yet. */
export async function expectEarlyAnswer(client: Client, interrupted: Interrupted): Promise<void> {
  const early = await sendAgain(client, interrupted);
  expect(verdictOf(early), told(interrupted)).to.be.oneOf([
    '200',
    '202',
    '409 IdempotencyKeyInProgress',
    '422 RefundDeclined',
  ]);
}

/**
 * A repetition after all work has fallen due has the effect exactly once. There is one exception: a process that died
 * after recording its request and before sending it leaves no effect, and the answer says so. A further repetition gets
 * the same answer.
 */
export async function expectOneEffectOfEach(client: Client, all: readonly Interrupted[]): Promise<void> {
  const answers = new Map<Interrupted, Answer>();
  for (const interrupted of all) {
    const answer = await sendAgain(client, interrupted);
    const again = await sendAgain(client, interrupted);
    expect([again.headers['idempotent-replayed'], verdictOf(again)], told(interrupted)).to.deep.equal([
      'true',
      verdictOf(answer),
    ]);
    if (answer.status === 200) expect(again.text, told(interrupted)).to.equal(answer.text);
    answers.set(interrupted, answer);
  }
  const ledger = await ledgerOf(client);
  for (const [interrupted, answer] of answers) expectOneEffect(ledger, interrupted, answer);
}

function expectOneEffect(ledger: readonly LedgerLine[], interrupted: Interrupted, answer: Answer): void {
  const { scenario, call } = interrupted;
  const unsent = unsentOf(interrupted);
  const [, refunded] = /^\/payments\/(.*)\/refund$/.exec(call.path) ?? [];
  const lines = linesOf(ledger, refunded ?? paymentIn(answer).id);
  const effects = scenario.operations.map((operation) => lines.filter((line) => line.operation === operation).length);
  expect(effects, told(interrupted)).to.deep.equal(
    scenario.operations.map((operation) => (unsent.includes(operation) ? 0 : 1)),
  );
  expect(lines.every(({ outcome }) => outcome === 'succeeded')).to.equal(true);
  expect(outcomeIn(answer), told(interrupted)).to.equal(outcomeWithout(unsent, scenario));
}

/**
 * Requests that were recorded and not sent when the process died. No other process may send them, and no work follows
 * from them.
 */
function unsentOf({ scenario: { operations }, steps }: Interrupted): readonly string[] {
  const first = operations.findIndex((operation) => {
    const request = `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Requested`;
    const isRequested = steps.some((step) => step.startsWith('after append payment') && step.includes(request));
    return isRequested && !steps.includes(`after ${operation}`);
  });
  return first < 0 ? [] : operations.slice(first);
}

const outcomeIn = (answer: Answer): string => (answer.status === 200 ? paymentIn(answer).status : verdictOf(answer));

function outcomeWithout(unsent: readonly string[], { operations }: Scenario): string {
  if (operations.includes('refund')) return unsent.length > 0 ? '422 RefundDeclined' : 'SETTLED';
  if (unsent.includes('authorization')) return 'FAILED';
  return operations.includes('capture') && !unsent.includes('capture') ? 'SETTLED' : 'AUTHORIZED';
}

const told = ({ scenario, retry, steps }: Interrupted): string =>
  `${scenario.name}, sent again ${retry}, stopped at step ${steps.length} (${steps.at(-1)})`;
