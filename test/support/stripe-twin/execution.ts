// A request that has arrived: its account, its key, its parameters, its lock, its effect, its saved response.
import type { Decline } from './cards.ts';
import { API_VERSION, type Call, type Engine } from './engine.ts';
import { type ErrorBody, Failure, invalid } from './failure.ts';
import type { SeenRequest, Struck } from './faults.ts';
import { canonical } from './form.ts';
import type { Saved, Use } from './idempotency.ts';
import { expireIntents } from './payment-intents.ts';
import { type Prepared, routeOf } from './routes.ts';
import type { Account } from './state.ts';

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Serving {
  readonly engine: Engine;
  readonly accounts: readonly Account[];
}

export interface Arrived {
  readonly seen: SeenRequest;
  readonly requestId: string;
  /** The header `Authorization`. */
  readonly authorization: string;
  /** The header `Stripe-Version`; the account's own version if it is missing. */
  readonly version: string | undefined;
  readonly struck: Struck | undefined;
}

const LONGEST_KEY = 255;
const SERVER_ERROR: ErrorBody = { type: 'api_error', message: 'An unknown error occurred.' };

/** The response, with every effect done. */
export async function execute(serving: Serving, arrived: Arrived): Promise<Reply> {
  const { seen, requestId } = arrived;
  try {
    return await answered(serving, arrived);
  } catch (error) {
    if (error instanceof Failure) return failed(error, requestId);
    const { method, path } = seen;
    console.error(`The twin failed at ${method} ${path}:`, error);
    return failed(new Failure(500, SERVER_ERROR), requestId);
  }
}

async function answered(serving: Serving, arrived: Arrived): Promise<Reply> {
  const { engine } = serving;
  const { seen, requestId, struck } = arrived;
  const { method, path, form, key } = seen;
  const { account, isBrowser } = callerOf(serving, arrived);
  const { route, id } = routeOf(method, path);
  if (isBrowser && !route.isPublic)
    throw new Failure(403, {
      type: 'invalid_request_error',
      code: 'secret_key_required',
      message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
    });
  const { version = API_VERSION } = arrived;
  if (version !== API_VERSION) throw invalid(`The twin speaks ${API_VERSION}, not ${version}.`);
  if (key !== undefined && key.length > LONGEST_KEY)
    throw invalid(`An idempotency key has at most ${LONGEST_KEY} characters.`);
  expireIntents(engine, account);
  const use: Use | undefined =
    key === undefined
      ? undefined
      : { key, endpoint: `${method} ${path}`, parameters: canonical(form), now: engine.now() };
  const saved = use === undefined ? undefined : account.keys.replay(use);
  if (saved !== undefined) return replayed(engine, saved);
  const call: Call = { account, requestId, key, isBrowser };
  const refusal: Decline | undefined = struck?.fault.kind === 'declined' ? struck.fault : undefined;
  const prepared = prepare(engine, use, account, requestId, () =>
    route.prepare({ engine, call, id, form, ...(refusal === undefined ? {} : { refusal }) }),
  );
  if (prepared.locks?.isLocked === true && !engine.lies.has('no_lock'))
    throw new Failure(429, {
      type: 'invalid_request_error',
      code: 'lock_timeout',
      message: 'This object cannot be accessed right now because another API request is currently accessing it.',
    });
  return run(engine, account, prepared, use, arrived);
}

/** Executes what is prepared, while its key is in use and its PaymentIntent locked. */
async function run(
  engine: Engine,
  account: Account,
  { locks, execute: effect }: Prepared,
  use: Use | undefined,
  { seen, requestId, struck }: Arrived,
): Promise<Reply> {
  const keep = use === undefined ? undefined : account.keys.begin(use);
  if (locks !== undefined) locks.isLocked = true;
  try {
    await struck?.hold('running', seen);
    const reply = effectOf(effect, struck, requestId);
    const isForgotten =
      (reply.status >= 500 && engine.lies.has('server_error_not_saved')) ||
      (reply.status === 402 && engine.lies.has('card_error_not_saved'));
    keep?.(isForgotten ? undefined : { status: reply.status, json: reply.body });
    return reply;
  } catch (error) {
    keep?.({ status: 500, json: JSON.stringify({ error: SERVER_ERROR }) });
    throw error;
  } finally {
    if (locks !== undefined) locks.isLocked = false;
  }
}

function effectOf(effect: () => object, struck: Struck | undefined, requestId: string): Reply {
  const fault = struck?.fault;
  if (fault?.kind === 'refused') {
    const { status, code } = fault;
    return failed(
      new Failure(status, { type: 'invalid_request_error', code, message: `Refused: ${code}.` }),
      requestId,
    );
  }
  const isDead = fault?.kind === 'server_error';
  if (isDead && fault.effect === 'none') return failed(new Failure(500, SERVER_ERROR), requestId);
  const reply = replyOf(effect, requestId);
  return isDead ? failed(new Failure(500, SERVER_ERROR), requestId) : reply;
}

function replyOf(effect: () => object, requestId: string): Reply {
  try {
    return { status: 200, body: JSON.stringify(effect(), null, 2) };
  } catch (error) {
    if (error instanceof Failure) return failed(error, requestId);
    throw error;
  }
}

/** Validation. Its errors are not saved, but by a lying twin. */
function prepare(
  engine: Engine,
  use: Use | undefined,
  account: Account,
  requestId: string,
  validate: () => Prepared,
): Prepared {
  try {
    return validate();
  } catch (error) {
    if (use !== undefined && error instanceof Failure && engine.lies.has('validation_error_saved')) {
      const { status, body } = failed(error, requestId);
      account.keys.begin(use)({ status, json: body });
    }
    throw error;
  }
}

function failed({ status, body }: Failure, requestId: string): Reply {
  const error: ErrorBody = { ...body, request_log_url: `https://dashboard.stripe.com/test/logs/${requestId}` };
  return { status, body: JSON.stringify({ error }, null, 2) };
}

function replayed({ lies }: Engine, { status, json }: Saved): Reply {
  return { status, headers: lies.has('replay_not_marked') ? {} : { 'Idempotent-Replayed': 'true' }, body: json };
}

/** The account of the key: a secret one, or a browser's publishable one. Throws Stripe's 401. */
function callerOf({ accounts }: Serving, { authorization }: Arrived): { account: Account; isBrowser: boolean } {
  const [, key = ''] = /^Bearer (\S+)$/.exec(authorization) ?? [];
  for (const account of accounts) {
    if (account.options.secretKey === key) return { account, isBrowser: false };
    if (account.options.publishableKey === key) return { account, isBrowser: true };
  }
  const message = key === '' ? 'You did not provide an API key.' : `Invalid API Key provided: ${key.slice(0, 8)}****`;
  throw new Failure(401, { ...invalid(message).body });
}
