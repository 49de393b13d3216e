// The common setup of the sandbox's tests: a clock that can be set forward, a sandbox on a file of its own, and short
// ways to ask it.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operation } from '../../../src/domain/operation.ts';
import type { Outcome, Succeeded } from '../../../src/domain/payment/outcome.ts';
import type { Known, OperationRequest } from '../../../src/processors/processor.ts';
import { openSandbox } from '../../../src/processors/sandbox/sandbox.ts';
import type { Sandbox } from '../../../src/processors/sandbox/sandbox-interface.ts';
import type { World } from '../../../src/world.ts';
import { about, callOf } from '../../support/call-of.ts';
import { calmWorld, pause } from '../../support/calm-world.ts';

export const SECRET = Buffer.alloc(32, 7);
export const ACCOUNT = 'acc_1';
export const never = (): AbortSignal => new AbortController().signal;

/**
 * Business time goes on as real time does, `ahead` ms ahead, or `stands`; and it is advanced: sleepers past the new
 * time wake. No sleeper sleeps longer than in real time. Where it stands, nothing falls due because the machine, or its
 * disk, is slow.
 */
export interface AdvancingWorld extends World {
  advance(ms: number): void;
  /** The number of sleepers until more than an hour from now. */
  readonly longSleepers: number;
}

export function advancingWorld(ahead = 0, stands = false): AdvancingWorld {
  let offset = ahead;
  const since = calmWorld.now();
  const sinceSteady = calmWorld.monotonic();
  const sleepers = new Set<{ readonly until: number; readonly wake: AbortController }>();
  const now = (): number => (stands ? since : calmWorld.now()) + offset;
  return {
    ...calmWorld,
    now,
    steady: () => (stands ? sinceSteady : calmWorld.monotonic()) + offset,
    async sleep(ms, signal) {
      const sleeper = { until: now() + ms, wake: new AbortController() };
      sleepers.add(sleeper);
      try {
        await calmWorld.sleep(ms, AbortSignal.any([signal, sleeper.wake.signal]));
      } catch (fault) {
        if (signal.aborted) throw fault;
      } finally {
        sleepers.delete(sleeper);
      }
    },
    get longSleepers() {
      return [...sleepers].filter(({ until }) => until > now() + 3_600_000).length;
    },
    advance(ms) {
      offset += ms;
      for (const { until, wake } of sleepers) if (until <= now()) wake.abort();
    },
  };
}

export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'sandbox-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A fault that is reported fails the test that caused it. */
export const report = (fault: unknown): never => {
  throw fault;
};

export const openOn = (file: string, world: World = calmWorld): Promise<Sandbox> =>
  openSandbox({ file, world, secrets: [SECRET], report });

export const card = (number: string) => ({ number, expirationMonth: '12', expirationYear: '2039', cvc: '123' });

export async function tokenFor(
  sandbox: Sandbox,
  number: string,
  reference = `tok_${number}`,
  accountId = ACCOUNT,
): Promise<string> {
  const tokenized = await sandbox.tokenize({ reference, accountId, from: { card: card(number) } }, callOf(never()));
  if (tokenized.kind !== 'token') throw new Error(tokenized.description);
  return tokenized.processorToken;
}

/** One payment at the sandbox: each operation gets the reference `<paymentId>.<suffix>`. */
export class TestPayment {
  readonly #sandbox: Sandbox;
  readonly #paymentId: string;
  readonly #accountId: string;
  #transactionId = '';

  constructor(sandbox: Sandbox, paymentId = 'pay_1', accountId = ACCOUNT) {
    this.#sandbox = sandbox;
    this.#paymentId = paymentId;
    this.#accountId = accountId;
  }

  get transactionId(): string {
    return this.#transactionId;
  }

  reference(suffix: string): string {
    return `${this.#paymentId}.${suffix}`;
  }

  async authorize(
    number: string,
    amount = 1_000,
    deadline: (sandbox: Sandbox) => AbortSignal = never,
  ): Promise<Outcome> {
    const processorToken = await tokenFor(this.#sandbox, number, `tok_${this.#paymentId}`, this.#accountId);
    const signal = deadline(this.#sandbox);
    const outcome = await this.#ask('authorization', 'a', amount, { processorToken }, signal);
    // An answer came before the deadline: what that still asks of the sandbox is over before the test goes on.
    if (deadline !== never && !signal.aborted) await once(signal, 'abort');
    if (outcome.kind === 'succeeded' || outcome.kind === 'pending')
      this.#transactionId = outcome.processorTransactionId ?? '';
    return outcome;
  }

  /** After an authorization whose answer was lost: continues with the answer of the look-up. */
  async found(): Promise<void> {
    const answer = await this.#sandbox.lookUp(about(this.reference('a')), callOf(never()));
    if (answer.kind !== 'succeeded') throw new Error(`the look-up says ${answer.kind}`);
    this.#transactionId = answer.processorTransactionId;
  }

  ask(
    operation: Operation,
    suffix: string,
    amount: number,
    more: More = {},
    deadline: AbortSignal = never(),
  ): Promise<Outcome> {
    return this.#ask(operation, suffix, amount, more, deadline);
  }

  #ask(operation: Operation, suffix: string, amount: number, more: More, signal: AbortSignal): Promise<Outcome> {
    const { accountId = this.#accountId, currencyCode = 'EUR', final = true, processorToken = '' } = more;
    const { authorization = { processorTransactionId: this.#transactionId } } = more;
    const about = {
      reference: this.reference(suffix),
      accountId,
      paymentId: this.#paymentId,
      amount,
      currencyCode,
      requestedAt: 0,
    };
    const all = { ...about, processorToken, authorization, final, captures: [] };
    return this.#sandbox.perform(requestOf(operation, all), callOf(signal));
  }
}

/** The parts of a request that a test may change. */
interface More {
  readonly accountId?: string;
  readonly currencyCode?: string;
  readonly final?: boolean;
  readonly processorToken?: string;
  readonly authorization?: Known;
}

type All = Omit<OperationRequest & { operation: 'authorization' }, 'operation'> & {
  readonly authorization: Known;
  readonly final: boolean;
  readonly captures: readonly Known[];
};

function requestOf(
  operation: Operation,
  { processorToken, authorization, final, captures, ...about }: All,
): OperationRequest {
  switch (operation) {
    case 'authorization':
      return { ...about, operation, processorToken };
    case 'capture':
      return { ...about, operation, authorization, final };
    case 'refund':
      return { ...about, operation, authorization, captures };
    case 'cancellation':
    case 'adjustment':
      return { ...about, operation, authorization };
    default:
      return operation satisfies never;
  }
}

/** Nobody's: it is written to be told when all that was to be written before is. */
const NOBODY = { accountId: 'acc_nobody', apiKey: 'nothing' };

/**
 * A signal that aborts soon: the deadline of a call that is expected to hang, when a given sandbox has written its
 * last.
 */
export function soon(sandbox?: Sandbox): AbortSignal {
  const over = new AbortController();
  const passed = async (): Promise<void> => {
    await pause(100);
    await sandbox?.connect(NOBODY);
  };
  void passed()
    .catch(() => undefined)
    .finally(() => over.abort(new DOMException('The deadline is over', 'TimeoutError')));
  return over.signal;
}

export function succeeded(outcome: { readonly kind: string }): asserts outcome is Succeeded {
  if (outcome.kind !== 'succeeded') throw new Error(`expected a success: ${JSON.stringify(outcome)}`);
}
