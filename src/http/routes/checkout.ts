// /checkout: the calls of the browser SDK with a client token. They tell no more than a customer may know
// (contract §3).
import { z } from 'zod';
import { AgreeInCheckout } from '../../commands/agreements/agreements.ts';
import type { AskedConsent } from '../../commands/agreements/consent-text.ts';
import { TokenizeCard } from '../../commands/instruments/tokenize-card.ts';
import { AuthorizeCheckoutPayment } from '../../commands/payments/authorize-payment.ts';
import { GiveUpAction, ResumePayment } from '../../commands/payments/customer-action.ts';
import { termsOf } from '../../commands/sessions/agreed.ts';
import type { OpenSession } from '../../domain/client-session/state.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { isOver } from '../../domain/payment/queries.ts';
import type { PaymentInstrument, UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { OfferedMethod } from '../../domain/payment-method.ts';
import { AgreementAnswer } from '../answers/agreement.ts';
import {
  CheckoutPaymentAnswer,
  CheckoutSessionAnswer,
  checkoutPaymentAnswer,
  checkoutSessionAnswer,
} from '../answers/checkout-session.ts';
import { TokenizedCardAnswer, tokenizedCardAnswer } from '../answers/payment-instrument.ts';
import { found, notFound, OWN, type Route, route, shaped } from '../route.ts';
import type { RouteParts } from './parts.ts';
import { paymentParams as params } from './payment-filter.ts';
import { CHANGED, KEYED, known } from './payments.ts';

const CARD = {
  number: '4242424242424242',
  expirationMonth: '12',
  expirationYear: '2030',
  cvc: '123',
  cardholderName: 'Ada Lovelace',
};

const common = { tag: 'Checkout', scope: 'clientToken' } as const;

/** A command that completed has an instrument. */
function usable(instrument: PaymentInstrument): UsableInstrument {
  if (instrument.status === 'absent') throw new TypeError('a command completed without an instrument');
  return instrument;
}

/**
 * What is fingerprinted: a token or another method as it was sent, and of a card the members that a store of ours may
 * hold, even in a hash (contract §6).
 */
const Fingerprinted = z.union([
  z.object({ processorToken: z.record(z.string(), z.unknown()) }),
  z.object({ method: z.record(z.string(), z.unknown()) }),
  z.object({
    card: z.object({ expirationMonth: z.string(), expirationYear: z.string(), cardholderName: z.string().nullish() }),
  }),
]);
/** '' for a body that the schema is going to refuse: fingerprints are made before the schema is asked. */
function withoutSecrets(body: unknown): string {
  const { success, data } = Fingerprinted.safeParse(body);
  return success ? JSON.stringify(data) : '';
}

/** As much of a browser's name as a consent keeps. */
const MOST_USER_AGENT = 255;

export function checkoutRoutes({
  agreements,
  payments,
  instruments,
  queries,
  processors,
}: RouteParts): readonly Route[] {
  const answerOf = (id: string, payment: KnownPayment): CheckoutPaymentAnswer =>
    checkoutPaymentAnswer(id, payment, payments.requiredActionToken);
  const proposalOf = async (
    { agreement, agreementId }: OpenSession['fields'],
    accountId: string,
  ): Promise<AskedConsent | undefined> => {
    if (agreement === undefined && agreementId === undefined) return undefined;
    const shopName = await queries.readShopName(accountId);
    if (agreement !== undefined) return { terms: termsOf(agreement), shopName };
    const named = agreementId === undefined ? undefined : await queries.readAgreement(agreementId, accountId);
    return named === undefined || 'kind' in named ? undefined : { terms: named.doc.terms, shopName };
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/checkout/session',
      id: 'getCheckoutSession',
      example: { on: 'session' },
      summary: 'Read the data of the checkout',
      request: z.object({}),
      answer: CheckoutSessionAnswer,
      errors: ['ClientSessionValidationError'],
      async handle(_request, { caller }) {
        const session = await queries.readOwnSession(caller);
        if ('kind' in session) return session;
        const { fields, payment } = session.doc;
        const { accountId } = caller;
        const wallet =
          fields.customerId === undefined ? undefined : await queries.readWallet(accountId, fields.customerId);
        // Absent between its claim and its making, and after a crash that kept it from being made.
        const carried = payment === undefined ? undefined : await queries.readPayment(payment.paymentId, accountId);
        const shown =
          carried === undefined || 'kind' in carried || isOver(carried.doc)
            ? undefined
            : answerOf(carried.id, carried.doc);
        const routeOf = (offered: OfferedMethod) =>
          payments.routeOffer({ sessionId: session.id, accountId, fields, offered });
        const agreement = await proposalOf(fields, accountId);
        const drawn = { wallet, payment: shown, routeOf, agreement, processors, at: caller.at };
        return found(checkoutSessionAnswer(session.doc, drawn), session.revision);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/checkout/payments/:id',
      id: 'getCheckoutPayment',
      isByRevision: true,
      example: { on: 'checkout payment' },
      summary: 'Read a payment of this session',
      request: z.object({ params }),
      answer: CheckoutPaymentAnswer,
      async handle({ params: { id } }, { caller }) {
        const read = await queries.readPayment(id, caller.accountId);
        if ('kind' in read || read.doc.sessionId !== caller.sessionId) return notFound();
        return found(answerOf(id, read.doc), read.revision);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/checkout/payment-instruments',
      id: 'tokenizeCard',
      example: { on: 'session', body: { card: CARD } },
      summary: 'Tokenize a card for this session',
      request: z.object({ body: TokenizeCard }),
      answer: TokenizedCardAnswer,
      errors: ['ClientSessionValidationError', ...KEYED],
      cardAt: 'card.number',
      fingerprint: withoutSecrets,
      handle: async ({ body }, { caller }) =>
        shaped(await instruments.tokenizeCard(body, caller), ({ id, doc }) => tokenizedCardAnswer(id, usable(doc))),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/checkout/agreement',
      id: 'agreeInCheckout',
      example: { on: 'session with an agreement', body: { language: 'en', textDigest: OWN } },
      summary: "Agree to the session's agreement, as the checkout has shown it",
      request: z.object({ body: AgreeInCheckout }),
      answer: AgreementAnswer.pick({ id: true, status: true }).meta({ id: 'CheckoutAgreement' }),
      errors: ['ClientSessionValidationError', 'ClientSessionCompleted', ...KEYED],
      handle: async ({ body }, { caller, headers }) => {
        const agreedWith = {
          shopName: await queries.readShopName(caller.accountId),
          userAgent: headers['user-agent']?.slice(0, MOST_USER_AGENT),
        };
        return shaped(await agreements.agreeInCheckout(body, agreedWith, caller), ({ id, doc: { status } }) => {
          if (status === 'absent') throw new TypeError('a command completed without an agreement');
          return { id, status };
        });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/checkout/payments',
      id: 'createCheckoutPayment',
      example: { on: 'card', body: { paymentMethodToken: OWN, shown: { amount: 1_000, currencyCode: 'EUR' } } },
      summary: 'Pay this session',
      accepts: true,
      request: z.object({ body: AuthorizeCheckoutPayment }),
      answer: CheckoutPaymentAnswer,
      errors: [
        'ClientSessionValidationError',
        'InvalidPaymentInstrumentToken',
        'ClientSessionCompleted',
        'AmountChanged',
        'ConsentMissing',
        'InvalidAgreementStatus',
        ...KEYED,
      ],
      handle: async ({ body }, { caller }) =>
        shaped(await payments.authorizeCheckoutPayment(body, caller), ({ id, doc }) => answerOf(id, known(doc))),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/checkout/payments/:id/resume',
      id: 'resumeCheckoutPayment',
      example: { on: 'returning payment', body: { resumeToken: OWN } },
      summary: 'Continue a payment of this session after the customer has acted',
      accepts: true,
      request: z.object({ params, body: ResumePayment }),
      answer: CheckoutPaymentAnswer,
      errors: CHANGED,
      handle: async ({ params: { id }, body }, { caller }) =>
        shaped(await payments.resumePayment(id, body, caller), ({ id: resumed, doc }) => answerOf(resumed, known(doc))),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/checkout/payments/:id/cancel',
      id: 'cancelCheckoutPayment',
      example: { on: 'challenged payment', body: {} },
      summary: 'Abandon the customer action of a payment of this session, to pay in another way',
      accepts: true,
      request: z.object({ params, body: GiveUpAction }),
      answer: CheckoutPaymentAnswer,
      errors: ['OperationNotSupported', ...CHANGED],
      handle: async ({ params: { id } }, { caller }) =>
        shaped(await payments.giveUpPaymentAction(id, caller), ({ id: ended, doc }) => answerOf(ended, known(doc))),
    }),
  ];
}
