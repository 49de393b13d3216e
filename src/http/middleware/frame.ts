// The frame of every request: its id, the answer to what is thrown on its way, its line in the log, and the note that
// the developers of its account may see later.
import { holdsCardNumber } from '../../domain/card-number/search.ts';
import type { NotedRequest, RequestLog } from '../../projections/models/request-log.ts';
import type { World } from '../../world.ts';
import type { FaultAnswerer, Log } from '../answer-faults.ts';
import { type Exchange, identityOf, type Next, NO_BODY, send, statusOf } from '../exchange.ts';

interface FrameNeeds {
  readonly log: Log;
  readonly world: Pick<World, 'monotonic' | 'randomBytes'>;
  readonly answerFault: FaultAnswerer;
  /** Undefined: no note is taken. */
  readonly requestLog: Pick<RequestLog, 'note'> | undefined;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Gives every request its id, which its answer carries: X-Request-Id if it is well formed and not a card number (events
 * and logs must hold none), otherwise a new one (contract §1). A new id is unique: random for the process, counted
 * within it. What is thrown on the way of a request, `answerFault` answers.
 */
export function frame({ log, world, answerFault, requestLog }: FrameNeeds) {
  const process = Buffer.from(world.randomBytes(8)).toString('hex');
  let made = 0;
  const idOf = (header: string | string[] | undefined): string => {
    if (typeof header === 'string' && REQUEST_ID.test(header) && !holdsCardNumber(header)) return header;
    made += 1;
    return `req_${process}${made.toString(16).padStart(8, '0')}`;
  };
  const tell = accessLog(log, world);
  return async function frameRequest(ctx: Exchange, next: Next): Promise<void> {
    const start = world.monotonic();
    const id = idOf(ctx.req.headers['x-request-id']);
    ctx.state.requestId = id;
    ctx.state.route = undefined;
    ctx.state.asked = undefined;
    ctx.state.body = NO_BODY;
    ctx.state.handled = undefined;
    ctx.res.setHeader('X-Request-Id', id);
    try {
      if (isCheckout(ctx)) ctx.set(CORS_HEADERS);
      await next();
    } catch (fault) {
      answerFault(ctx, fault);
    }
    const ms = Math.round((world.monotonic() - start) * 10) / 10;
    const status = statusOf(ctx);
    tell(identityOf(ctx), status, ms);
    const noted = requestLog && noteOf(ctx, status, ms);
    if (noted !== undefined) requestLog?.note(noted);
  };
}

/** The log of one request; paths and queries contain tokens, so `identity` has the route's own path at most. */
type AccessLog = (identity: object, status: number, ms: number) => void;

const SECOND_MS = 1_000;
/** Lines a second: one a request would cost more than the request at thousands of them. */
const LIMITS = { answered: 5, refused: 5, failed: 100 } as const;
type AnswerKind = keyof typeof LIMITS;

const kindOf = (status: number): AnswerKind => (status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'answered');

/** `others` of a line: the number of requests of its kind without a line since the line before. */
export function accessLog(log: Log, world: Pick<World, 'monotonic'>): AccessLog {
  const lines = { answered: 0, refused: 0, failed: 0 };
  const others = { answered: 0, refused: 0, failed: 0 };
  const isDebug = log.isLevelEnabled('debug');
  const isInfo = log.isLevelEnabled('info');
  let second = 0;
  const isDue = (kind: AnswerKind): boolean => {
    const now = Math.floor(world.monotonic() / SECOND_MS);
    if (now !== second) {
      second = now;
      lines.answered = lines.refused = lines.failed = 0;
    }
    lines[kind] += 1;
    return lines[kind] <= LIMITS[kind];
  };
  return (identity, status, ms) => {
    if (isDebug) return log.debug({ ...identity, status, ms }, 'request');
    if (!isInfo) return;
    const kind = kindOf(status);
    if (isDue(kind)) {
      log.info({ ...identity, status, ms, others: others[kind] }, 'request');
      others[kind] = 0;
    } else others[kind] += 1;
  };
}

/**
 * The note of a request of a known API key or checkout. Nothing of its body, its query, its headers or its real path is
 * looked at, but for the ids that its route names; of the answer the error's id and the payment's. The dashboard's own
 * requests are left out.
 */
function noteOf(ctx: Exchange, status: number, ms: number): NotedRequest | undefined {
  const { asked, route, handled, requestId } = ctx.state;
  if (asked === undefined || route === undefined || 'userId' in asked.holder) return undefined;
  const { holder, at } = asked;
  const refusal = handled?.kind === 'rejected' ? handled : undefined;
  const paymentId = refusal?.paymentId ?? paymentOf(ctx);
  const { method, path } = route;
  return {
    accountId: holder.accountId,
    at,
    ms,
    method,
    route: path,
    status,
    requestId,
    ...('keyId' in holder ? { keyId: holder.keyId } : { sessionId: holder.sessionId }),
    ...(refusal !== undefined && { errorId: refusal.errorId }),
    ...(paymentId !== undefined && { paymentId }),
    ...(path.startsWith(INSTRUMENTS) && instrumentOf(ctx)),
  };
}

const INSTRUMENTS = '/payment-instruments/:token';
/** The router leaves them on the context. */
type RouteParams = Readonly<Record<string, unknown>> | undefined;
const PAYMENT_ID = /^pay_[0-9A-Za-z]{1,64}$/;

/** The payment in the path or in the response: nothing else is the id of a payment. */
function paymentOf(ctx: Exchange): string | undefined {
  const params: RouteParams = ctx['params'];
  const { handled } = ctx.state;
  const inPath = params?.['id'];
  const answered = handled?.kind === 'reply' && 'id' in handled.body ? handled.body.id : undefined;
  const id = inPath ?? answered;
  return typeof id === 'string' && PAYMENT_ID.test(id) ? id : undefined;
}

/** The last four characters: enough to recognise a token, not enough to pay with it. */
function instrumentOf(ctx: Exchange): { readonly instrument: string } | undefined {
  const params: RouteParams = ctx['params'];
  const token = params?.['token'];
  return typeof token === 'string' && /^pm_[0-9A-Za-z]{8,}$/.test(token)
    ? { instrument: `pm_…${token.slice(-4)}` }
    : undefined;
}

const PREFIX = '/checkout/';
const ALLOWED_HEADERS = 'Content-Type, X-Client-Token, X-Idempotency-Key, Idempotency-Key, X-Request-Id, X-Api-Version';
const EXPOSED_HEADERS = 'ETag, X-Request-Id, Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy';
const PREFLIGHT_SECONDS = 7_200;

/** The headers of every answer on a checkout path, errors included; none elsewhere. */
const CORS_HEADERS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED_HEADERS };

/** Answers, after the router, a preflight on a checkout path that has `methods`. */
export function preflight(methodsOf: (ctx: Exchange) => readonly string[]) {
  return function answerPreflight(ctx: Exchange, next: Next): Promise<unknown> | undefined {
    if (ctx.method !== 'OPTIONS' || !isCheckout(ctx) || ctx.get('Access-Control-Request-Method') === '') return next();
    const methods = methodsOf(ctx);
    if (methods.length === 0) return next();
    send(ctx, 204, '', [
      'Access-Control-Allow-Methods',
      methods.join(', '),
      'Access-Control-Allow-Headers',
      ALLOWED_HEADERS,
      'Access-Control-Max-Age',
      String(PREFLIGHT_SECONDS),
    ]);
  };
}

/** By its path: a target may name scheme and host, too, and one such as x://host has no path. */
const isCheckout = ({ path }: Exchange): boolean => (path ?? '').startsWith(PREFIX);
