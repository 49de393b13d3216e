// Stripe as a processor: PaymentIntents that are made first and confirmed next, each outcome graded by Stripe's own
// word, and a lost one settled by its burnt key and a read.
import { type OfferedMethod, Wallet } from '../../domain/payment-method.ts';
import type { World } from '../../world.ts';
import type { Connection, OwnFields, Processor } from '../processor.ts';
import { stepOf } from './amounts.ts';
import { type OpenCaller, stripeApi } from './api.ts';
import { confirm, kept, lookUpAuthorization, prepare } from './authorizing.ts';
import { answerDispute, readDispute } from './disputing.ts';
import { examine } from './examining.ts';
import { fence } from './fencing.ts';
import { follow, lookUpFollowUp } from './following.ts';
import { refusal } from './keys.ts';
import { STRIPES_METHODS } from './methods.ts';
import { listEvents, read, verified } from './notifications.ts';
import { prove } from './proving.ts';
import { standing } from './standing.ts';
import { tokenize } from './tokenizing.ts';

/**
 * A read by id is consistent: only a request that is still on its way can appear later. No request is on its way for
 * so long, ms; the look-up an hour after the request comes after that.
 */
const CONSISTENCY_WINDOW_MS = 3_300_000;

interface StripeOptions {
  readonly world: Pick<World, 'sleep' | 'monotonic'>;
  /** Receives Notices for operators; without it they are dropped. */
  readonly report?: (notice: unknown) => void;
  /** HTTP by default; the simulator has no sockets, and tests count and cut the calls of one process. */
  readonly openCaller?: OpenCaller;
}
export interface Stripe extends Processor {
  /** Ends the calls that are under way, and the connections that are kept. */
  close(): void;
}

/**
 * The version of Stripe.js that goes with the API's (docs.stripe.com/sdks/stripejs-versioning), and what its pages load
 * (docs.stripe.com/security/guide#content-security-policy). Another server that speaks Stripe's API serves its own.
 */
const STRIPE_JS = '/endive/stripe.js';
function fields({ apiUrl }: Pick<Connection, 'apiUrl'>): OwnFields {
  if (apiUrl !== undefined) return { script: apiUrl + STRIPE_JS, scripts: [apiUrl], frames: [apiUrl], calls: [apiUrl] };
  const scripts = ['https://js.stripe.com', 'https://*.js.stripe.com'];
  const frames = [...scripts, 'https://hooks.stripe.com'];
  return { script: `https://js.stripe.com${STRIPE_JS}`, scripts, frames, calls: ['https://api.stripe.com'] };
}

/** Besides cards. */
const OFFERED: readonly OfferedMethod[] = [
  ...STRIPES_METHODS.filter((type) => type !== 'PAYMENT_CARD'),
  ...Wallet.options,
];

/** Connects to nothing yet. */
export function openStripe({ world, report = () => undefined, openCaller }: StripeOptions): Stripe {
  const api = stripeApi({ world, report, openCaller });
  return {
    name: 'stripe',
    takesCards: false,
    consistencyWindowMs: CONSISTENCY_WINDOW_MS,
    capabilities: ({ burnProven }, payment) => ({
      partialCapture: true,
      multipleCaptures: payment?.possible?.multipleCaptures === true,
      adjustment: payment?.possible?.adjustment === false ? 'none' : 'raise',
      ...(burnProven === true && { fenceProves: true }),
      methods: OFFERED,
      stepOf,
    }),
    tokenize: (request, call) => tokenize(api, request, call),
    prepare: (request, call) => prepare(api, request, call),
    kept: (request, call) => kept(api, request, call),
    perform: (request, call) =>
      request.operation === 'authorization' ? confirm(api, request, call) : follow(api, request, call),
    lookUp: (request, call) =>
      request.operation === 'authorization'
        ? lookUpAuthorization(api, request, call)
        : lookUpFollowUp(api, request, call),
    fence: (request, call) => fence(api, request, call),
    standing: (question, call) => standing(api, question, call),
    events: (question, call) => listEvents(api, question, call),
    dispute: (request, call) => answerDispute(api, request, call),
    lookUpDispute: (question, call) => readDispute(api, question, call),
    challengeOrigins: ({ apiUrl }) =>
      apiUrl === undefined ? ['https://hooks.stripe.com', 'https://js.stripe.com'] : [apiUrl],
    fields,
    notifications: verified,
    reread: read,
    refusal,
    examine: (call, webhookUrl, isOwnUrl) => examine(api, call, webhookUrl, isOwnUrl),
    prove: (call, run) => prove(api, call, run),
    close: () => api.close(),
  };
}
