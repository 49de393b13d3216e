// The clients under test, each as a function from a call to its result, so that one table of cases runs over all.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { Counterfoil } from '../../client/src/counterfoil.ts';
import { CounterfoilError, CounterfoilNoAnswer, WebhookVerificationError } from '../../client/src/errors.ts';
import { List } from '../../client/src/list.ts';
import { liveOutside } from '../../client/src/outside.ts';
import { verifyWebhook } from '../../client/src/verify-webhook.ts';
import { ROOT } from '../support/root.ts';

export interface Call {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly limits: { readonly timeoutMs?: number; readonly attemptTimeoutMs?: number; readonly retries?: number };
  /** True: pauses between attempts pass at once. */
  readonly quick: boolean;
  readonly subject:
    | 'clientSessions'
    | 'payments'
    | 'instruments'
    | 'paymentLinks'
    | 'agreements'
    | 'events'
    | 'checkpoints'
    | 'connections';
  /** The name of Node's method; a dry run has `dryRun.capture`. */
  readonly method: string;
  readonly args: readonly unknown[];
  readonly options: { readonly [name: string]: unknown };
  /** The most items that a list returns. */
  readonly first: number;
}

export interface Delivered {
  /** In hex. */
  readonly body: string;
  readonly headers: { readonly [name: string]: string };
  readonly secrets: readonly string[];
  /** In s. */
  readonly tolerance: number;
  /** In s. */
  readonly now: number;
  readonly checkpoints?: true;
}

const Attempted = { attempts: z.number(), idempotencyKey: z.string().nullish(), message: z.string() };
const pauses = z.array(z.number());
const CallResult = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('answer'),
    resource: z.record(z.string(), z.unknown()),
    response: z.object({
      status: z.number(),
      requestId: z.string().nullish(),
      etag: z.string().nullish(),
      replayed: z.boolean(),
      idempotencyKey: z.string().nullish(),
      attempts: z.number(),
    }),
    outcomeKnown: z.boolean().optional(),
    pauses,
  }),
  z.object({ kind: z.literal('list'), items: z.array(z.record(z.string(), z.unknown())), pauses }),
  z.object({
    kind: z.literal('refused'),
    errorId: z.string(),
    status: z.number(),
    diagnosticsId: z.string(),
    paymentId: z.string().nullish(),
    retryAfterMs: z.number().nullish(),
    paths: z.array(z.string()),
    ...Attempted,
    pauses,
  }),
  z.object({ kind: z.literal('no answer'), reason: z.string(), mayHaveHappened: z.boolean(), ...Attempted, pauses }),
  z.object({ kind: z.literal('wrong argument'), message: z.string(), pauses: pauses.optional() }),
]);
export type CallResult = z.output<typeof CallResult>;
const VerifyResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('message'), message: z.record(z.string(), z.unknown()) }),
  z.object({ kind: z.literal('untrusted'), reason: z.string(), message: z.string() }),
  z.object({ kind: z.literal('wrong argument'), message: z.string() }),
]);
export type VerifyResult = z.output<typeof VerifyResult>;

export interface Driver {
  readonly call: (call: Call) => Promise<CallResult>;
  readonly verify: (delivered: Delivered) => Promise<VerifyResult>;
  readonly close: () => Promise<void>;
}

/** Deadlines of 4 s and more are real in a quick call; the shorter waits are pauses, which pass at once. */
const REAL_FROM_MS = 4_000;

export const nodeDriver = (): Driver => ({
  async call({ apiKey, baseUrl, limits, quick, subject, method, args, options, first }) {
    const waited: number[] = [];
    const outside = {
      ...liveOutside,
      after(ms: number, then: () => void) {
        if (!quick || ms >= REAL_FROM_MS) return liveOutside.after(ms, then);
        waited.push(ms);
        return liveOutside.after(0, then);
      },
    };
    const ask = async (): Promise<object> => {
      const client = new Counterfoil({ apiKey, baseUrl, ...limits }, outside);
      const [name = '', inner] = method.split('.');
      const member = Reflect.get(client[subject], name);
      const answer = await (inner === undefined ? member : member[inner])(...args, options);
      if (answer instanceof List) return { kind: 'list', items: await answer.first(first) };
      const { response, outcomeKnown } = answer;
      return { kind: 'answer', resource: answer, response, outcomeKnown };
    };
    const result = await ask().catch((fault: unknown) => {
      if (fault instanceof CounterfoilError) {
        const paths = fault.validationErrors.flatMap(({ errors }) => errors.map(({ path }) => path));
        return { ...fault, kind: 'refused', paths, message: fault.message };
      }
      if (fault instanceof CounterfoilNoAnswer)
        return { ...fault, kind: 'no answer', mayHaveHappened: fault.mayHaveHappened, message: fault.message };
      if (fault instanceof TypeError) return { kind: 'wrong argument', message: fault.message };
      throw fault;
    });
    return CallResult.parse({ ...result, pauses: waited });
  },
  async verify({ body, headers, secrets, tolerance, now, checkpoints }) {
    const outside = { now: () => now * 1_000 };
    try {
      const options = { toleranceSeconds: tolerance, ...(checkpoints && { checkpoints }) };
      const message = await verifyWebhook(Buffer.from(body, 'hex'), headers, secrets, options, outside);
      return VerifyResult.parse({ kind: 'message', message });
    } catch (fault) {
      if (fault instanceof WebhookVerificationError) return { ...fault, kind: 'untrusted', message: fault.message };
      if (fault instanceof TypeError) return { kind: 'wrong argument', message: fault.message };
      throw fault;
    }
  },
  close: async () => undefined,
});

const PYTHON = 'python3';
/** The oldest version that the Python client supports. */
const OLDEST = [3, 11];

/** Why the Python client cannot run on this machine; undefined if it can. */
export function pythonLacks(): string | undefined {
  const script = `import sys; sys.exit(0 if sys.version_info >= (${OLDEST.join(', ')}) else 1)`;
  const { status, error } = spawnSync(PYTHON, ['-c', script]);
  if (error !== undefined) return `there is no ${PYTHON}`;
  return status === 0 ? undefined : `${PYTHON} is older than ${OLDEST.join('.')}`;
}

/** The Python client in a process of its own, a call at a time. */
export function pythonDriver(): Driver {
  const child: ChildProcess & { readonly stdin: NodeJS.WritableStream; readonly stdout: NodeJS.ReadableStream } = spawn(
    PYTHON,
    [join(ROOT, 'test/client/driver.py')],
    {
      env: { ...process.env, PYTHONPATH: join(ROOT, 'client-python'), PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (asked: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(asked)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the driver of the Python client has ended');
    return JSON.parse(value);
  };
  return {
    call: async (call) => CallResult.parse(await ask(call)),
    verify: async (delivered) => VerifyResult.parse(await ask(delivered)),
    async close() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
