// Answers the calls of other nodes to the sandbox that this node has.
import type { World } from '../../../world.ts';
import { connectionAt } from '../../connections.ts';
import type { Sandbox } from '../sandbox-interface.ts';
import { CALLS_PATH, type CallTime, callTime, signedAt } from './call-signature.ts';
import { CALLS } from './calls.ts';

interface CallHostOptions {
  readonly sandbox: Sandbox;
  /** The keys of the signatures, 32 bytes each; all verify. `Secrets.keys('sandbox-call')`. */
  readonly keys: readonly Buffer[];
  readonly world: World;
}

/** A call as it came, before anybody knows who sent it. */
interface ArrivedCall {
  /** The rest of the path, after CALLS_PATH and a slash. */
  readonly name: string;
  /** The value of CALL_SIGNATURE_HEADER. */
  readonly signature: string | undefined;
  readonly body: string;
}

/**
 * `text`: JSON. `no_answer`: the caller must not get one, because the sandbox's own was lost, or came after the signal.
 */
type CallAnswer =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'no_such_call' | 'unauthorized' | 'unreadable' | 'no_answer' };

/**
 * How long after it was signed an operation is still carried out. The caller has long given up by then, and counts
 * "not found" as evidence 150 s after it asked; a call that lay in the socket of a stopped process must not take effect
 * after that.
 */
const PERFORM_WITHIN_MS = 60_000;
const STALE = {
  kind: 'not_sent',
  detail: 'it reached the sandbox more than 60 s from when it was sent; or the clocks of the nodes differ',
};

/**
 * True if a call is too old, by the machines' clocks or by business time: if that was moved while the call was in
 * transit, a look-up may already count as evidence that it did not happen. A node that does not know of the movement
 * yet, although the caller does, is not a reason.
 */
function isStale(sent: CallTime, now: CallTime): boolean {
  const passedMs = now.machine - sent.machine;
  return Math.abs(passedMs) > PERFORM_WITHIN_MS || passedMs + (now.aheadMs - sent.aheadMs) > PERFORM_WITHIN_MS;
}

const calls = new Map(Object.values(CALLS).map(({ name, answered }) => [name, answered]));

/**
 * The signal aborts when the caller no longer waits for the response. Throws StoreUnavailable if the sandbox's file is
 * unavailable.
 */
export function callHost({
  sandbox,
  keys,
  world,
}: CallHostOptions): (called: ArrivedCall, signal: AbortSignal) => Promise<CallAnswer> {
  return async ({ name, signature, body }, signal) => {
    if (signal.aborted) return { kind: 'no_answer' };
    const now = callTime(world);
    const sent = signedAt(keys, signature, { method: 'POST', path: `${CALLS_PATH}/${name}`, body }, now.machine);
    if (sent === undefined) return { kind: 'unauthorized' };
    const answered = calls.get(name);
    if (answered === undefined) return { kind: 'no_such_call' };
    if ((name === 'perform' || name === 'dispute') && isStale(sent, now))
      return { kind: 'answer', text: JSON.stringify(STALE) };
    // The whole sandbox is one connection, and the request names the caller's account.
    const answer = await answered(body, sandbox, { connection: connectionAt(sandbox.name), signal });
    if (signal.aborted) return { kind: 'no_answer' };
    return answer === undefined ? { kind: 'unreadable' } : { kind: 'answer', text: JSON.stringify(answer) };
  };
}
