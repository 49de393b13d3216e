// Stripe as a processor: PaymentIntents that are made first and confirmed next, each outcome graded by Stripe's own
// word, and a lost one settled by its burnt key and a read.
import type { World } from '../../world.ts';
import type { Processor } from '../processor.ts';
import { type OpenCaller, stripeApi } from './api.ts';
import { confirm, lookUpAuthorization, prepare } from './authorizing.ts';
import { answerDispute, readDispute } from './disputing.ts';
import { examine } from './examining.ts';
import { fence } from './fencing.ts';
import { follow, lookUpFollowUp } from './following.ts';
import { refusal } from './keys.ts';
import { read, verified } from './notifications.ts';
import { tokenize } from './tokenizing.ts';

/**
 * A read by id is consistent: only a request that is still on its way can appear later, and none is so for this time,
 * ms. It is over when the look-up an hour after the request comes.
 */
const CONSISTENCY_WINDOW_MS = 3_300_000;

export interface StripeOptions {
  readonly world: Pick<World, 'sleep'>;
  /** HTTP by default; the simulator has no sockets, and tests count and cut the calls of one process. */
  readonly openCaller?: OpenCaller;
}
export interface Stripe extends Processor {
  /** Ends the calls that are under way, and the connections that are kept. */
  close(): void;
}

/** Connects to nothing yet. */
export function openStripe({ world, openCaller }: StripeOptions): Stripe {
  const api = stripeApi(world, openCaller);
  return {
    name: 'stripe',
    takesCards: false,
    consistencyWindowMs: CONSISTENCY_WINDOW_MS,
    capabilities: ({ burnProven }) => ({
      partialCapture: true,
      multipleCaptures: false,
      adjustment: 'raise',
      ...(burnProven === true && { fenceProves: true }),
    }),
    tokenize: (request, call) => tokenize(api, request, call),
    prepare: (request, call) => prepare(api, request, call),
    perform: (request, call) =>
      request.operation === 'authorization' ? confirm(api, request, call) : follow(api, request, call),
    lookUp: (request, call) =>
      request.operation === 'authorization'
        ? lookUpAuthorization(api, request, call)
        : lookUpFollowUp(api, request, call),
    fence: (request, call) => fence(api, request, call),
    dispute: (request, call) => answerDispute(api, request, call),
    lookUpDispute: (question, call) => readDispute(api, question, call),
    challengeOrigins: () => ['https://hooks.stripe.com', 'https://js.stripe.com'],
    notifications: verified,
    reread: read,
    refusal,
    examine: (call, webhookUrl) => examine(api, call, webhookUrl),
    close: () => api.close(),
  };
}
