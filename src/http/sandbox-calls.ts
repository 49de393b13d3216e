// Calls of other nodes to the sandbox that this one has: not a part of the public API, and signed by the secret that
// nodes share.
import { type World, within } from '../world.ts';
import { type Refusal, refuse } from './errors.ts';
import { type Routed, sendJson, sendRefusal } from './exchange.ts';
import { readRaw } from './middleware/body.ts';
import { notFound } from './route.ts';

/** A call that has no answer by then gets none: its caller has hung up, or its connection died unnoticed. */
const HOLD_MS = 60_000;
/**
 * The largest question has some 2 KiB. The sender is unknown until the whole body is there, and many bodies may arrive
 * at a time.
 */
const MAX_BODY_BYTES = 16 * 1024;
const MODEL = 'SandboxCall';

const REFUSALS: { readonly [kind in 'unauthorized' | 'unreadable']: Refusal } = {
  unauthorized: refuse(
    'Unauthorized',
    'The call is not signed with the secret of this node, or its time differs from the time of this node by more than 5 minutes.',
  ),
  unreadable: refuse('RequestValidationError', 'This version of the service does not know the format of the call.'),
};

/** The calls of other nodes to the sandbox that this one has. */
export interface SandboxCalls {
  /** `POST <path>/<name of the call>` */
  readonly path: string;
  readonly signatureHeader: string;
  /** The signal aborts when the caller has hung up. `no_answer`: the caller must not get one. */
  readonly answer: (
    called: { readonly name: string; readonly signature: string | undefined; readonly body: string },
    signal: AbortSignal,
  ) => Promise<
    | { readonly kind: 'answer'; readonly text: string }
    | { readonly kind: 'unauthorized' | 'no_such_call' | 'unreadable' }
    | { readonly kind: 'no_answer' }
  >;
}

/** The handler of `POST <path>/:call`. */
export function answerSandboxCall(
  { answer, signatureHeader }: SandboxCalls,
  world: World,
): (ctx: Routed) => Promise<void> {
  return async (ctx) => {
    const signature = ctx.req.headers[signatureHeader.toLowerCase()];
    if (typeof signature !== 'string') return sendRefusal(ctx, REFUSALS.unauthorized, MODEL);
    const body = await readRaw(ctx, MAX_BODY_BYTES);
    if (body === 'gone') return;
    if ('kind' in body) return sendRefusal(ctx, body, MODEL);
    const called = { name: ctx.params['call'] ?? '', signature, body: body.text };
    const gone = new AbortController();
    ctx.res.once('close', () => gone.abort());
    const answered = await within(world, HOLD_MS, (late) => answer(called, AbortSignal.any([late, gone.signal])));
    if (answered === 'timeout' || answered.kind === 'no_answer') return hangUp(ctx);
    if (answered.kind === 'answer') return sendJson(ctx, 200, answered.text);
    sendRefusal(ctx, answered.kind === 'no_such_call' ? notFound() : REFUSALS[answered.kind], MODEL);
  };
}

/** Without an answer, as a network would. */
function hangUp(ctx: Routed): void {
  ctx.req.socket.destroy();
}
