// Adapters of Stripe that are broken on purpose: each breaks a rule of the two steps, the burnt key or the read by id.
import { z } from 'zod';
import type { LookUp, Outcome, TakenBack } from '../../src/domain/payment/outcome.ts';
import type { AuthorizationRequest, Call, OperationRequest, Processor } from '../../src/processors/processor.ts';
import type { Api } from '../../src/processors/stripe/api.ts';
import { authorizationOf } from '../../src/processors/stripe/authorized.ts';
import { PaymentIntent } from '../../src/processors/stripe/wire.ts';
import type { BrokenVariant } from './variant.ts';

const CHARGED = /the twin holds money|the twin has hold|authorized \d times|paid \d times/;
type StripeVariant = BrokenVariant & Required<Pick<BrokenVariant, 'stripe'>>;

/**
 * Takes a read for the fence of what is not confirmed: nothing keeps the confirmation from taking effect when it is
 * delivered later. Its events are lost as well: they would get the late hold voided.
 */
const confirmAfterTheFence: StripeVariant = {
  name: 'a confirm is delivered after the fence',
  breaks: CHARGED,
  stripe: (stripe) => ({
    ...stripe,
    async fence(request, call) {
      const found = await stripe.lookUp(request, call);
      return found.kind === 'not_found' ? found : ((await stripe.fence?.(request, call)) ?? found);
    },
    notifications: withoutOutcomes(stripe),
  }),
};

/** Events that report an outcome, or that something changed, are lost. */
const withoutOutcomes =
  (stripe: Processor): Processor['notifications'] =>
  (...given) => {
    const told = stripe.notifications(...given);
    return typeof told === 'string' ? told : told.filter(({ about }) => !('operation' in about) && !('look' in about));
  };

/** Makes a PaymentIntent of its own and confirms it, so that the name on record is another one's. */
const prepareIgnored: StripeVariant = {
  name: 'prepare ignored',
  breaks: CHARGED,
  stripe: (stripe, api) => ({
    ...stripe,
    async perform(request, call) {
      if (request.operation !== 'authorization') return stripe.perform(request, call);
      const { reference, paymentId, amount, currencyCode } = request;
      const form = [
        ['amount', amount],
        ['currency', currencyCode.toLowerCase()],
        ['capture_method', 'manual'],
        ['metadata[counterfoil_reference]', reference],
        ['metadata[counterfoil_payment]', paymentId],
      ] as const;
      const made = {
        method: 'POST',
        path: '/v1/payment_intents',
        key: `${reference}q`,
        form,
        shape: PaymentIntent,
      } as const;
      const told = await api.ask(made, call);
      return told.kind === 'told'
        ? stripe.perform({ ...request, processorTransactionId: told.value.id }, call)
        : { kind: 'not_sent', detail: told.detail };
    },
  }),
};

/**
 * Takes a decline for final: a page that has the client secret confirms it again. Events of that are lost as well: they
 * would get the late hold voided.
 */
const declineConfirmedAgain: StripeVariant = {
  name: 'a decline confirmed again',
  breaks: CHARGED,
  stripe: (stripe) => ({
    ...stripe,
    perform: async (request, call) => asFinal(await stripe.perform(request, call)),
    lookUp: async (request, call) => asFinal(await stripe.lookUp(request, call)),
    notifications: withoutOutcomes(stripe),
  }),
};

const asFinal = <Told extends Outcome | LookUp | TakenBack>(told: Told): Told =>
  told.kind === 'declined' ? { ...told, fence: undefined } : told;

/** The newest PaymentIntents that Stripe lists. */
const LISTED = 10;
const Listed = z.looseObject({ data: z.array(PaymentIntent) });

async function listed(api: Api, request: AuthorizationRequest, call: Call) {
  const form = [['limit', LISTED]] as const;
  const told = await api.ask({ method: 'GET', path: '/v1/payment_intents', form, shape: Listed }, call);
  if (told.kind !== 'told') return { kind: 'unreachable', detail: told.detail } as const;
  const found = told.value.data.find(({ metadata }) => metadata?.['counterfoil_reference'] === request.reference);
  const state = found && authorizationOf(found, request, told.detail);
  if (state === undefined || state.kind === 'unconfirmed') return { kind: 'not_found' } as const;
  return state.kind === 'taken_back' ? state.released : state;
}

/** Looks for our reference among the newest PaymentIntents: others push it out. */
const lookUpByListing: StripeVariant = {
  name: 'a look-up by listing',
  breaks: CHARGED,
  stripe(stripe, api) {
    const lookUp = (request: OperationRequest, call: Call) =>
      request.operation === 'authorization' ? listed(api, request, call) : stripe.lookUp(request, call);
    return {
      ...stripe,
      lookUp,
      fence: async (request, call) => {
        if (request.operation !== 'authorization') return stripe.fence?.(request, call) ?? stripe.lookUp(request, call);
        const form = [['metadata[burnt]', request.reference]] as const;
        const path = `/v1/payment_intents/${request.processorTransactionId}`;
        await api.ask({ method: 'POST', path, key: request.reference, form, shape: PaymentIntent }, call);
        return lookUp(request, call);
      },
    };
  },
};

export const TWIN_VARIANTS: readonly StripeVariant[] = [
  confirmAfterTheFence,
  declineConfirmedAgain,
  prepareIgnored,
  lookUpByListing,
];
