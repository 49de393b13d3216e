// The sandbox of another node, over HTTP: for nodes that share no data directory with the sandbox's node.
import { z } from 'zod';
import { Notice } from '../../../app-error.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import { type World, within } from '../../../world.ts';
import { type HttpAnswer, type HttpCaller, httpCaller } from '../../http-call.ts';
import type { Call, LookUp, OperationRequest, Outcome, TokenizationRequest, Tokenized } from '../../processor.ts';
import { AnySandbox } from '../any-sandbox.ts';
import type { FaultPlan, FaultReport } from '../rules/fault-plan.ts';
import type { LedgerLine, LedgerPage, Sandbox, Undelivered } from '../sandbox-interface.ts';
import { CALL_SIGNATURE_HEADER, CALLS_PATH, callTime, signCall } from './call-signature.ts';
import { CALLS, type CallShape, MAX_REFERENCES, readAs } from './calls.ts';

export interface RemoteSandboxOptions {
  /** Of the node that has the sandbox, without a slash at its end. */
  readonly url: string;
  readonly world: World;
  /** Of the notifications' signatures, which this node only verifies. `Secrets.keys('sandbox-signature')`. */
  readonly secrets: readonly Buffer[];
  /** The keys of the calls' signatures, the signing key first. `Secrets.keys('sandbox-call')`. */
  readonly callKeys: readonly Buffer[];
  readonly report: (fault: unknown) => void;
}

/** Connects to nothing yet: the other node may start later, become unavailable and come back. */
export function openRemoteSandbox(options: RemoteSandboxOptions): Sandbox {
  const [key] = options.callKeys;
  if (key === undefined) throw new TypeError('calls to another node need a secret to sign with');
  return new RemoteSandbox(options, key);
}

/** A node's words for "not done" (contract §7). */
const Refusal = z.object({ error: z.object({ errorId: z.string(), description: z.string(), diagnosticsId: z.string() }) });

type Asked<T> = { readonly kind: 'answer'; readonly value: T } | { readonly kind: 'not_sent' | 'lost'; readonly detail: string };

/** For calls that come without a deadline of their own. */
const ANSWER_WITHIN_MS = 10_000;
const LATE: Asked<never> = { kind: 'lost', detail: 'no answer before the deadline' };

class RemoteSandbox extends AnySandbox implements Sandbox {
  readonly #options: RemoteSandboxOptions;
  readonly #key: Buffer;
  readonly #caller: HttpCaller;
  #isUnavailable = false;

  constructor(options: RemoteSandboxOptions, key: Buffer) {
    super(options.secrets);
    this.#options = options;
    this.#key = key;
    this.#caller = httpCaller({ base: options.url, world: options.world });
  }

  async tokenize(request: TokenizationRequest, { signal }: Call): Promise<Tokenized> {
    return this.#orThrow(await this.#ask(CALLS.tokenize, request, signal));
  }

  /** Sent once at most: a look-up asks for its end (contract §4). */
  async perform(request: OperationRequest, { signal }: Call): Promise<Outcome> {
    const asked = await this.#ask(CALLS.perform, bare(request), signal);
    if (asked.kind === 'answer') return asked.value;
    return { kind: asked.kind === 'not_sent' ? 'not_sent' : 'unknown', detail: asked.detail };
  }

  async lookUp(request: OperationRequest, { signal }: Call): Promise<LookUp> {
    const asked = await this.#ask(CALLS.lookUp, bare(request), signal);
    return asked.kind === 'answer' ? asked.value : { kind: 'unreachable', detail: asked.detail };
  }

  async connect(connection: { readonly accountId: string; readonly apiKey: string }): Promise<void> {
    await this.#askInTime(CALLS.connect, connection);
  }

  async connected(): Promise<readonly string[]> {
    return (await this.#askInTime(CALLS.connected, {})).accountIds;
  }

  /** Nothing to do: the node that has the sandbox sends its notifications. */
  async run(): Promise<void> {}

  async ledgerOf(accountId: string | undefined, limit: number, after = 0): Promise<LedgerPage> {
    return this.#askInTime(CALLS.ledger, { limit, after, ...(accountId !== undefined && { accountId }) });
  }

  async linesOf(references: readonly string[]): Promise<readonly LedgerLine[]> {
    const parts = Array.from({ length: Math.ceil(references.length / MAX_REFERENCES) }, (_, part) =>
      references.slice(part * MAX_REFERENCES, (part + 1) * MAX_REFERENCES),
    );
    const lines: LedgerLine[] = [];
    for (const part of parts) lines.push(...(await this.#askInTime(CALLS.lines, { references: part })).lines);
    return lines;
  }

  faults(accountId: string): Promise<FaultReport> {
    return this.#askInTime(CALLS.faults, { accountId });
  }

  protected keepPlan(accountId: string, plan: FaultPlan): Promise<FaultReport> {
    return this.#askInTime(CALLS.setFaults, { accountId, plan });
  }

  async reset(accountId?: string): Promise<void> {
    await this.#askInTime(CALLS.reset, accountId === undefined ? {} : { accountId });
  }

  undelivered(accountId?: string): Promise<Undelivered> {
    return this.#askInTime(CALLS.undelivered, accountId === undefined ? {} : { accountId });
  }

  async close(): Promise<void> {
    this.#caller.close();
  }

  async #askInTime<Question, Answer>(call: CallShape<Question, Answer>, question: Question): Promise<Answer> {
    const asked = await within(this.#options.world, ANSWER_WITHIN_MS, (signal) => this.#ask(call, question, signal));
    return this.#orThrow(asked === 'timeout' ? LATE : asked);
  }

  #orThrow<T>(asked: Asked<T>): T {
    if (asked.kind === 'answer') return asked.value;
    throw new StoreUnavailable(`The sandbox at ${this.#options.url} cannot be used: ${asked.detail}`, {
      outcomeUnknown: asked.kind === 'lost',
    });
  }

  async #ask<Question, Answer>(call: CallShape<Question, Answer>, question: Question, signal: AbortSignal): Promise<Asked<Answer>> {
    const path = `${CALLS_PATH}/${call.name}`;
    const body = JSON.stringify(question);
    const signature = signCall(this.#key, { method: 'POST', path, body }, callTime(this.#options.world));
    const headers = { 'Content-Type': 'application/json', [CALL_SIGNATURE_HEADER]: signature };
    const asked = graded(call.answer, await this.#caller.call({ method: 'POST', path, headers, body }, signal));
    // A call that hangs may be what its card is for; only what never arrived says that the other node is away.
    if (asked.kind !== 'lost' && !signal.aborted) this.#tell(asked.kind === 'not_sent' ? asked.detail : undefined);
    return asked;
  }

  /** Says once that the other node has gone, and once that it is back. `trouble`: the fault that the call met. */
  #tell(trouble: string | undefined): void {
    const { url, report } = this.#options;
    if (this.#isUnavailable === (trouble !== undefined)) return;
    this.#isUnavailable = trouble !== undefined;
    report(new Notice(trouble === undefined ? `The sandbox at ${url} answers again.` : `The sandbox at ${url} cannot be used: ${trouble}`));
  }
}

/** Without the parts that the sandbox ignores: neither an address nor any number of captures travels for nothing. */
function bare(request: OperationRequest): OperationRequest {
  if (request.operation === 'refund') return { ...request, captures: [] };
  if (request.operation !== 'authorization') return request;
  const { operation, reference, accountId, paymentId, amount, currencyCode, processorToken } = request;
  return { operation, reference, accountId, paymentId, amount, currencyCode, processorToken };
}

/** What a call came to, by evidence: only the other node's own word that it refused means that nothing was done over there. */
function graded<Answer>(shape: z.ZodType<Answer>, called: HttpAnswer): Asked<Answer> {
  if (called.kind !== 'answered') return called;
  const { status, body } = called;
  if (status === 200) {
    const value = readAs(shape, body);
    return value === undefined ? { kind: 'lost', detail: 'its answer cannot be read' } : { kind: 'answer', value };
  }
  const refusal = readAs(Refusal, body);
  if (status >= 400 && status < 500 && refusal !== undefined)
    return { kind: 'not_sent', detail: `it refused: ${refusal.error.description}` };
  return { kind: 'lost', detail: `it answered with status ${status}` };
}
