// The sandbox of another node, over HTTP: for nodes that share no data directory with the sandbox's node.
import { z } from 'zod';
import { Notice } from '../../../app-error.ts';
import type { LookUp, Outcome } from '../../../domain/payment/outcome.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import { type World, within } from '../../../world.ts';
import { type HttpAnswer, type HttpCaller, httpCaller } from '../../http-call.ts';
import type { OperationRequest } from '../../processor.ts';
import { anySandbox, inBook } from '../any-sandbox.ts';
import { challengePageAt } from '../authentication.ts';
import { readAs } from '../read-as.ts';
import type { LedgerLine, Sandbox } from '../sandbox-interface.ts';
import { CALL_SIGNATURE_HEADER, CALLS_PATH, callTime, signCall } from './call-signature.ts';
import { type BareRequest, CALLS, MAX_REFERENCES, type RemoteCall } from './calls.ts';

interface RemoteSandboxOptions {
  /** The URL of the node that has the sandbox, without a trailing slash. */
  readonly url: string;
  readonly world: World;
  /**
   * The secrets of the notifications' signatures, which this node only verifies. `Secrets.keys('sandbox-signature')`.
   */
  readonly secrets: readonly Buffer[];
  /** The keys of the calls' signatures, the signing key first. `Secrets.keys('sandbox-call')`. */
  readonly callKeys: readonly Buffer[];
  readonly report: (fault: unknown) => void;
  /**
   * Under which browsers reach this node: the other one may be out of their reach. Without it customers are sent there.
   */
  readonly publicUrl?: () => string;
}

/** A node's words for "not done" (contract §7). */
const Refusal = z.object({
  error: z.object({ errorId: z.string(), description: z.string(), diagnosticsId: z.string() }),
});

type RemoteAnswer<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'not_sent' | 'lost'; readonly detail: string };

/** For calls that come without a deadline of their own. */
const ANSWER_WITHIN_MS = 10_000;
const LATE: RemoteAnswer<never> = { kind: 'lost', detail: 'no answer before the deadline' };

/** Connects to nothing yet: the other node may start later, become unavailable and come back. */
export function openRemoteSandbox(options: RemoteSandboxOptions): Sandbox {
  const { url, world, secrets, publicUrl = () => url } = options;
  const caller = httpCaller({ base: url, world });
  const ask = asking(options, caller);

  function orThrow<T>(asked: RemoteAnswer<T>): T {
    if (asked.kind === 'answer') return asked.value;
    throw new StoreUnavailable(`The sandbox at ${url} cannot be used: ${asked.detail}`, {
      outcomeUnknown: asked.kind === 'lost',
    });
  }
  async function askInTime<Question, Answer>(call: RemoteCall<Question, Answer>, question: Question): Promise<Answer> {
    const asked = await within(world, ANSWER_WITHIN_MS, (signal) => ask(call, question, signal));
    return orThrow(asked === 'timeout' ? LATE : asked);
  }

  /** The page of a challenge is shown by this node, which knows the merchant's name. */
  function shownHere<Told extends Outcome | LookUp>(told: Told): Told {
    if (told.kind !== 'requires_action' || told.action.kind !== 'redirect') return told;
    const { url: page } = challengePageAt(told.action.url.split('/').at(-1) ?? '', publicUrl());
    return { ...told, action: { kind: 'redirect', url: page } };
  }

  return {
    ...anySandbox(secrets, (accountId, plan) => askInTime(CALLS.setFaults, { accountId, plan })),
    tokenize: async (request, call) => orThrow(await ask(CALLS.tokenize, inBook(request, call), call.signal)),
    /** Sent once at most: a look-up asks for its end (contract §4). */
    async perform(request, call) {
      const asked = await ask(CALLS.perform, bare(inBook(request, call)), call.signal);
      if (asked.kind === 'answer') return shownHere(asked.value);
      return { kind: asked.kind === 'not_sent' ? 'not_sent' : 'unknown', detail: asked.detail };
    },
    async lookUp(request, call) {
      const asked = await ask(CALLS.lookUp, bare(inBook(request, call)), call.signal);
      return asked.kind === 'answer' ? shownHere(asked.value) : { kind: 'unreachable', detail: asked.detail };
    },
    async fence(request, call) {
      const asked = await ask(CALLS.fence, bare(inBook(request, call)), call.signal);
      return asked.kind === 'answer' ? shownHere(asked.value) : { kind: 'unreachable', detail: asked.detail };
    },
    challenge: async (id) => (await askInTime(CALLS.challenge, { id })).challenge,
    answerChallenge: async (id, isApproved) => (await askInTime(CALLS.answerChallenge, { id, isApproved })).challenge,
    challengeOrigins: () => [new URL(publicUrl()).origin],
    async dispute(request, call) {
      const asked = await ask(CALLS.dispute, inBook(request, call), call.signal);
      if (asked.kind === 'answer') return asked.value;
      return { kind: asked.kind === 'not_sent' ? 'not_sent' : 'unknown', detail: asked.detail };
    },
    async lookUpDispute(request, call) {
      const asked = await ask(CALLS.lookUpDispute, inBook(request, call), call.signal);
      return asked.kind === 'answer' ? asked.value : { kind: 'unreachable', detail: asked.detail };
    },
    async standing(question, call) {
      const asked = await ask(CALLS.standing, inBook(question, call), call.signal);
      return asked.kind === 'answer' ? asked.value : { kind: 'unreachable', detail: asked.detail };
    },
    act: (act) => askInTime(CALLS.act, act),
    connect: async (connection) => void (await askInTime(CALLS.connect, connection)),
    connected: async () => (await askInTime(CALLS.connected, {})).accountIds,
    /** Nothing to do: the node that has the sandbox sends its notifications. */
    run: async () => undefined,
    ledgerOf: (accountId, limit, after = 0) => askInTime(CALLS.ledger, { ...ofAccount(accountId), limit, after }),
    async linesOf(references) {
      const lines: LedgerLine[] = [];
      for (let from = 0; from < references.length; from += MAX_REFERENCES) {
        const part = references.slice(from, from + MAX_REFERENCES);
        lines.push(...(await askInTime(CALLS.lines, { references: part })).lines);
      }
      return lines;
    },
    faults: (accountId) => askInTime(CALLS.faults, { accountId }),
    reset: async (accountId) => void (await askInTime(CALLS.reset, ofAccount(accountId))),
    undelivered: (accountId) => askInTime(CALLS.undelivered, ofAccount(accountId)),
    close: async () => caller.close(),
  };
}

const ofAccount = (accountId: string | undefined) => (accountId === undefined ? {} : { accountId });

type AskRemote = <Question, Answer>(
  call: RemoteCall<Question, Answer>,
  question: Question,
  signal: AbortSignal,
) => Promise<RemoteAnswer<Answer>>;

/** Reports once that the other node cannot be used, and once that it answers again. */
function asking({ url, world, callKeys: [key], report }: RemoteSandboxOptions, caller: HttpCaller): AskRemote {
  if (key === undefined) throw new TypeError('calls to another node need a secret to sign with');
  let isUnavailable = false;
  return async (call, question, signal) => {
    const path = `${CALLS_PATH}/${call.name}`;
    const body = JSON.stringify(question);
    const signature = signCall(key, { method: 'POST', path, body }, callTime(world));
    const headers = { 'Content-Type': 'application/json', [CALL_SIGNATURE_HEADER]: signature };
    const asked = graded(call.answer, await caller.call({ method: 'POST', path, headers, body }, signal));
    // Some cards make a call hang; only a call that never arrived says that the other node is unavailable.
    if (asked.kind === 'lost' || signal.aborted || isUnavailable === (asked.kind === 'not_sent')) return asked;
    isUnavailable = asked.kind === 'not_sent';
    report(
      new Notice(
        `The sandbox at ${url} ${asked.kind === 'not_sent' ? `cannot be used: ${asked.detail}` : 'responds again.'}`,
      ),
    );
    return asked;
  };
}

/** Without the parts that the sandbox ignores: of an address the postal code travels, and no number of captures. */
function bare({ requestedAt: _when, processorTransactionId: _name, ...request }: OperationRequest): BareRequest {
  if (request.operation === 'refund') return { ...request, captures: [] };
  if (request.operation !== 'authorization') return request;
  const { operation, reference, accountId, paymentId, amount, currencyCode, processorToken } = request;
  const { returnUrl, threeDSecure, keeps, offSession, agreement, billingAddress } = request;
  const postalCode =
    billingAddress !== undefined && 'postalCode' in billingAddress ? billingAddress.postalCode : undefined;
  return {
    operation,
    reference,
    accountId,
    paymentId,
    amount,
    currencyCode,
    processorToken,
    ...(returnUrl !== undefined && { returnUrl }),
    ...(threeDSecure !== undefined && { threeDSecure }),
    ...(keeps !== undefined && { keeps }),
    ...(offSession !== undefined && { offSession }),
    ...(agreement !== undefined && { agreement }),
    ...(typeof postalCode === 'string' && { billingAddress: { postalCode } }),
  };
}

/**
 * The end of a call, by evidence: only the other node's own word that it refused means that nothing was done over
 * there.
 */
function graded<Answer>(shape: z.ZodType<Answer>, called: HttpAnswer): RemoteAnswer<Answer> {
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
