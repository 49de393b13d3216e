// One request and its answer as the middleware sees them: a Koa context with our own state, and the ways to answer.
import { Readable } from 'node:stream';
import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { KeyHolder, SessionHolder } from '../commands/access/authenticate.ts';
import type { UserHolder } from '../commands/access/user-holder.ts';
import { errorText, type Refusal, statusOfError } from './errors.ts';
import type { Handled, Route } from './route.ts';

export interface FrameState {
  requestId: string;
  /** The route that was found; undefined before, and where there is none. */
  route: Route | undefined;
  /** The caller, and its idempotency key; undefined before they are known, and on public routes. */
  asked: Admitted | undefined;
  body: Body;
  /** The response to the request; undefined before it, and for a route without a handler. */
  handled: Handled | undefined;
  /** Why koa-bodyparser had no JSON to give. */
  bodyFault?: Error;
}

export interface Admitted {
  readonly holder: KeyHolder | SessionHolder | UserHolder;
  /** When the caller's credentials were judged; ms. */
  readonly at: number;
  readonly idempotencyKey: string | undefined;
}

/** A request's body: as it was sent, and as JSON where it is read as that. */
export interface Body {
  readonly text: string;
  readonly value: unknown;
}
export const NO_BODY: Body = { text: '', value: {} };

export type Exchange = Koa.ParameterizedContext<FrameState>;
export type Routed = RouterContext<FrameState>;
export type Next = () => Promise<unknown>;

/** Names and values in turn. */
type Headers = readonly string[];

const JSON_HEADERS: Headers = [
  'Content-Type',
  'application/json; charset=utf-8',
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
];

/** A JSON answer, from its text. */
export function sendJson(ctx: Exchange, status: number, text: string, headers: Headers = []): void {
  setAll(ctx, JSON_HEADERS);
  send(ctx, status, text, headers);
}

/** 304: the caller has the JSON answer that these headers belong to. */
export function sendUnmodified(ctx: Exchange, headers: Headers): void {
  setAll(ctx, JSON_HEADERS.slice(2));
  setAll(ctx, headers);
  ctx.response.status = 304;
}

/** Sends any content; `headers` must include the content type, if there is content. */
export function send(ctx: Exchange, status: number, content: string | Uint8Array, headers: Headers): void {
  const { response } = ctx;
  response.status = status;
  setAll(ctx, headers);
  response.body =
    typeof content === 'string' ? content : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

/** Content of any size: a piece is asked for when the connection takes more, and none after the client has hung up. */
export function sendPieces(ctx: Exchange, pieces: AsyncIterable<string>, headers: Headers): void {
  ctx.response.status = 200;
  setAll(ctx, headers);
  ctx.response.body = Readable.from(pieces);
}

/**
 * Sets headers without Koa's own `set`, which checks each name again: seven headers a response showed in the profile.
 */
export function setAll({ res }: Exchange, headers: Headers): void {
  if (res.headersSent) return;
  for (let at = 0; at + 1 < headers.length; at += 2) res.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
}

/** Seconds after which a store that was unavailable, or a node that was full, is worth another try. */
const RETRY_AFTER_SECONDS = 1;

/** Answers a refusal (contract §7); `model` names what its violations are about. */
export function sendRefusal(ctx: Exchange, refusal: Refusal, model: string): void {
  const {
    errorId,
    headers = [],
    replayed,
    retryAfterSeconds = errorId === 'ServiceUnavailable' ? RETRY_AFTER_SECONDS : undefined,
  } = refusal;
  ctx.state.handled = refusal;
  if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
  if (replayed === true) ctx.set('Idempotent-Replayed', 'true');
  sendJson(ctx, statusOfError(errorId), errorText(refusal, ctx.state.requestId, model), headers);
}

/** A request in the log: paths and queries hold tokens; the route's own path says enough. */
export const identityOf = ({ method, state }: Exchange): object => ({
  requestId: state.requestId,
  method,
  route: state.route?.path,
});

/** The status that the answer has, or will have; 499, as proxies log it, when the caller has hung up. */
export const statusOf = ({ response }: Exchange): number => (response.writable ? response.status : CLIENT_GONE);
export const CLIENT_GONE = 499;
