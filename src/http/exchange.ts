// One request and its answer as the frame sees them: a Koa context with the frame's own state, and the way an answer is written.
import type Koa from 'koa';
import { errorText, type Refusal, STATUS } from './errors.ts';
import type { Route } from './route.ts';

export interface FrameState {
  requestId: string;
  /** The route that was found; undefined before, and where there is none. */
  route: Route | undefined;
  /** What every answer to this request carries, whatever it says: names and values in turn. */
  headers: readonly string[];
}

export type Exchange = Koa.ParameterizedContext<FrameState>;

const NO_CONTENT = 204;

/**
 * Writes the whole JSON answer in one go, past Koa's own serialising: the text exists already, and headers that are set
 * one by one cost more than the rest of the frame.
 */
export function sendJson(ctx: Exchange, status: number, text: string, headers: readonly string[] = []): void {
  const { state } = ctx;
  write(ctx, status, text, [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(text)),
    'X-Request-Id',
    state.requestId,
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
    ...state.headers,
    ...headers,
  ]);
}

/** The same for any content; `headers` must hold the content type, where there is content. */
export function send(ctx: Exchange, status: number, content: string | Uint8Array, headers: readonly string[]): void {
  const { state } = ctx;
  const length = status === NO_CONTENT ? [] : ['Content-Length', String(Buffer.byteLength(content))];
  write(ctx, status, content, ['X-Request-Id', state.requestId, ...length, ...state.headers, ...headers]);
}

/** Node leaves the body out of an answer to HEAD. */
function write(ctx: Exchange, status: number, content: string | Uint8Array, headers: string[]): void {
  ctx.respond = false;
  const { res } = ctx;
  if (res.headersSent || !ctx.writable) return;
  res.writeHead(status, headers);
  res.end(content);
}

/** Answers nothing: the caller has hung up. */
export function leave(ctx: Exchange): void {
  ctx.respond = false;
}

/** Seconds after which a store that was away, or a node that was full, is worth another try. */
const RETRY_AFTER_SECONDS = 1;

/** Answers a refusal (contract §7); `model` names what its violations are about. */
export function sendRefusal(ctx: Exchange, refusal: Refusal, model: string): void {
  const {
    errorId,
    headers = [],
    replayed,
    retryAfterSeconds = errorId === 'ServiceUnavailable' ? RETRY_AFTER_SECONDS : undefined,
  } = refusal;
  const added = [...headers];
  if (retryAfterSeconds !== undefined) added.push('Retry-After', String(retryAfterSeconds));
  if (replayed === true) added.push('Idempotent-Replayed', 'true');
  sendJson(ctx, STATUS[errorId], errorText(refusal, ctx.state.requestId, model), added);
}
