// One call of a developer's receiver with a message as it came: its headers, its signature and its body, character by
// character.
import { httpCaller } from '../../processors/http-call.ts';
import { type World, within } from '../../world.ts';
import type { ArrivedMessage } from './endpoint-server.ts';

/**
 * A receiver's answer. Where there was none, `fault` says why, and `status` is what the service is told: it will
 * deliver again.
 */
export type Forwarded =
  | { readonly status: number; readonly ms: number; readonly body: string }
  | { readonly status: 502 | 504; readonly ms: number; readonly fault: string };

/** Never rejects. */
export type Forward = (delivery: ArrivedMessage, signal: AbortSignal) => Promise<Forwarded>;

/** As long as the service waits for an answer (contract §8). */
const ANSWER_WITHIN_MS = 10_000;
/** Bytes of an answer that are read. */
const ANSWER_BYTES = 16 * 1024;

/** `to`: the receiver's URL. */
export function forwardTo(to: URL, world: World): { readonly forward: Forward; close(): void } {
  const caller = httpCaller({ base: to.origin, world, maxAnswerBytes: ANSWER_BYTES, cutsAnswer: true });
  const path = `${to.pathname}${to.search}`;
  const forward: Forward = async ({ headers, text: body }, outer) => {
    const begun = world.monotonic();
    const answer = await within(world, ANSWER_WITHIN_MS, (deadline) =>
      caller.call({ method: 'POST', path, headers, body }, AbortSignal.any([outer, deadline])),
    );
    const ms = Math.round(world.monotonic() - begun);
    if (answer === 'timeout' || outer.aborted)
      return { status: 504, ms, fault: `no response within ${ANSWER_WITHIN_MS / 1_000} s` };
    return answer.kind === 'answered'
      ? { status: answer.status, ms, body: answer.body }
      : { status: 502, ms, fault: answer.detail };
  };
  return { forward, close: () => caller.close() };
}
