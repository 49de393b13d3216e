// The endpoints: what each takes, and what executes it.
import type { z } from 'zod';
import {
  accountAnswer,
  CreateCustomer,
  createCustomer,
  ListCustomers,
  ListEndpoints,
  listCustomers,
  listEndpoints,
  Retrieve,
} from './accounts.ts';
import { intentAnswer, refundAnswer } from './answers.ts';
import type { Decline } from './cards.ts';
import {
  BrowserToken,
  HelperToken,
  tokenAnswer,
  tokenOf,
  tokenOfBrowser,
  tokenOfHelper,
} from './confirmation-tokens.ts';
import { ConfirmIntent, confirmIntent } from './confirming.ts';
import { CloseDispute, closeDispute, disputeAnswer, disputeOf, UpdateDispute, updateDispute } from './disputes.ts';
import type { Call, Engine } from './engine.ts';
import { ListEvents, listEvents } from './events.ts';
import { Failure } from './failure.ts';
import type { Form } from './form.ts';
import { parse } from './parameters.ts';
import {
  CancelIntent,
  CaptureIntent,
  CreateIntent,
  cancelIntent,
  captureIntent,
  checkCreation,
  createIntent,
  IncrementIntent,
  incrementIntent,
  intentOf,
  ListIntents,
  listIntents,
  RetrieveIntent,
  SearchIntents,
  searchIntents,
  UpdateIntent,
  updateIntent,
} from './payment-intents.ts';
import { CreateRefund, createRefund, ListRefunds, listRefunds, refundOf } from './refunds.ts';
import type { Intent } from './state.ts';

/** A request whose parameters fit. */
export interface Prepared {
  /** The PaymentIntent that no other request may work on meanwhile. */
  readonly locks?: Intent;
  execute(): object;
}

export interface RouteRequest {
  readonly engine: Engine;
  readonly call: Call;
  readonly id: string;
  readonly form: Form;
  /** A decline that a control planted. */
  readonly refusal?: Decline;
}

interface Route {
  readonly method: string;
  /** Its first group is the id. */
  readonly path: RegExp;
  /** True if a browser with the publishable key may use it. */
  readonly isPublic: boolean;
  prepare(request: RouteRequest): Prepared;
}

type Work<T> = (engine: Engine, call: Call, sent: T, request: RouteRequest) => object;

function route<T>(method: string, path: string, schema: z.ZodType<T>, work: Work<T>, isPublic = false): Route {
  return {
    method,
    path: new RegExp(`^${path.replace(':id', '([^/]+)')}$`),
    isPublic,
    prepare(request) {
      const { engine, call, form } = request;
      const sent = parse(schema, form, engine.lies.has('unknown_parameter_accepted'));
      return { execute: () => work(engine, call, sent, request) };
    },
  };
}

type IntentWork<T> = (engine: Engine, call: Call, intent: Intent, sent: T, refusal?: Decline) => object;

/** A request that changes one PaymentIntent. */
function ofIntent<T>(path: string, schema: z.ZodType<T>, work: IntentWork<T>, isPublic = false): Route {
  return {
    ...route('POST', `/v1/payment_intents/:id${path}`, schema, () => ({}), isPublic),
    prepare({ engine, call, form, id, refusal }) {
      const sent = parse(schema, form, engine.lies.has('unknown_parameter_accepted'));
      const intent = intentOf(call.account, id);
      return { locks: intent, execute: () => work(engine, call, intent, sent, refusal) };
    },
  };
}

const REFUND = route('POST', '/v1/refunds', CreateRefund, createRefund);
const CREATION = route('POST', '/v1/payment_intents', CreateIntent, createIntent);
const BROWSER = true;

const ROUTES: readonly Route[] = [
  {
    ...CREATION,
    prepare(request) {
      const { engine, form } = request;
      const prepared = CREATION.prepare(request);
      checkCreation(engine, parse(CreateIntent, form, engine.lies.has('unknown_parameter_accepted')));
      return prepared;
    },
  },
  route('GET', '/v1/payment_intents', ListIntents, (_, call, sent) => listIntents(call, sent)),
  route('GET', '/v1/payment_intents/search', SearchIntents, searchIntents),
  route('GET', '/v1/payment_intents/:id', RetrieveIntent, (engine, { account }, { expand }, { id }) => {
    const intent = intentOf(account, id);
    const { stale } = intent;
    if (stale !== undefined && engine.now() < stale.until) return stale.shown;
    return intentAnswer(account, intent, expand);
  }),
  ofIntent('', UpdateIntent, (_, call, intent, sent) => updateIntent(call, intent, sent)),
  ofIntent(
    '/confirm',
    ConfirmIntent,
    (engine, call, intent, sent, refusal) => {
      const isForeign = sent.client_secret !== undefined && sent.client_secret !== intent.clientSecret;
      if (isForeign || (call.isBrowser && sent.client_secret === undefined))
        throw new Failure(401, { type: 'invalid_request_error', message: 'The client_secret does not match.' });
      return confirmIntent(engine, call, intent, sent, refusal);
    },
    BROWSER,
  ),
  ofIntent('/capture', CaptureIntent, captureIntent),
  ofIntent('/cancel', CancelIntent, cancelIntent),
  ofIntent('/increment_authorization', IncrementIntent, incrementIntent),
  {
    ...REFUND,
    prepare(request) {
      const { call, form } = request;
      const locks =
        typeof form['payment_intent'] === 'string' ? call.account.intents.get(form['payment_intent']) : undefined;
      const prepared = REFUND.prepare(request);
      return locks === undefined ? prepared : { ...prepared, locks };
    },
  },
  route('GET', '/v1/refunds', ListRefunds, listRefunds),
  route('GET', '/v1/refunds/:id', Retrieve, (_, { account }, __, { id }) => refundAnswer(refundOf(account, id))),
  route('GET', '/v1/disputes/:id', Retrieve, (_, { account }, __, { id }) =>
    disputeAnswer(account, disputeOf(account, id)),
  ),
  route('POST', '/v1/disputes/:id', UpdateDispute, (engine, call, sent, { id }) =>
    updateDispute(engine, call, disputeOf(call.account, id), sent),
  ),
  route('POST', '/v1/disputes/:id/close', CloseDispute, (engine, call, _, { id }) =>
    closeDispute(engine, call, disputeOf(call.account, id)),
  ),
  route('GET', '/v1/confirmation_tokens/:id', Retrieve, (engine, { account }, _, { id }) =>
    tokenAnswer(account, tokenOf(engine, account, id)),
  ),
  route('POST', '/v1/test_helpers/confirmation_tokens', HelperToken, (engine, call, sent) =>
    tokenAnswer(call.account, tokenOfHelper(engine, call, sent)),
  ),
  route(
    'POST',
    '/v1/confirmation_tokens',
    BrowserToken,
    (engine, call, sent) => tokenAnswer(call.account, tokenOfBrowser(engine, call, sent)),
    BROWSER,
  ),
  route('POST', '/v1/customers', CreateCustomer, createCustomer),
  route('GET', '/v1/customers', ListCustomers, listCustomers),
  route('GET', '/v1/events', ListEvents, listEvents),
  route('GET', '/v1/account', Retrieve, (_, { account }) => accountAnswer(account)),
  route('GET', '/v1/webhook_endpoints', ListEndpoints, (_, { account }) => listEndpoints(account)),
];

/** The endpoint and the id in its path. Throws Stripe's 404. */
export function routeOf(method: string, path: string): { readonly route: Route; readonly id: string } {
  for (const one of ROUTES) {
    const found = one.method === method ? one.path.exec(path) : null;
    if (found !== null) return { route: one, id: found[1] ?? '' };
  }
  throw new Failure(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: ${path}).`,
  });
}
