// Answers for the checkout in the customer's browser (contract §3): the payment with the members that it needs, and the
// data that draws it. Of personal data they have masked instruments only.
import { z } from 'zod';
import { type AskedConsent, consentText } from '../../commands/agreements/consent-text.ts';
import { withoutSecrets } from '../../commands/connections/connections.ts';
import { CardNetwork } from '../../commands/fields/session-fields.ts';
import { type OfferedAt, takesAmount } from '../../commands/payments/route-payment.ts';
import { ConsentLanguage } from '../../domain/agreement-terms.ts';
import { allowsInstrument, amountOf, keepsForAgreement } from '../../domain/client-session/queries.ts';
import type { OpenSession } from '../../domain/client-session/state.ts';
import { type CustomerWallet, usableInstruments, type WalletInstrument } from '../../domain/customer-wallet.ts';
import { shopperCode } from '../../domain/payment/decline-reason.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { statusReason } from '../../domain/payment/status-reason.ts';
import { lackedBy } from '../../domain/payment/terms.ts';
import { cardIn, last4In, type MethodData } from '../../domain/payment-instrument/recorded-data.ts';
import { OfferedMethod, PaymentMethodType, typeOfOffered, unfit } from '../../domain/payment-method.ts';
import { connectionAt } from '../../processors/connections.ts';
import type { Processor } from '../../processors/processor.ts';
import { formatTime } from '../../world.ts';
import { answer, unlessEmpty } from './answer.ts';
import { Fee, LineItem, Shipping } from './client-session.ts';
import { PaymentAnswer } from './payment.ts';
import { CardData } from './payment-instrument.ts';
import { type ActionToken, RequiredAction, requiredAction, StatusReasonAnswer } from './payment-status.ts';

const METHOD = 'PAYMENT_CARD';

const { id, status, amount, currencyCode } = PaymentAnswer.shape;

export const CheckoutPaymentAnswer = z
  .strictObject({
    id,
    status,
    amount,
    currencyCode,
    paymentMethodType: PaymentMethodType,
    requiredAction: RequiredAction.optional(),
    statusReason: z
      .strictObject({ code: z.string().optional(), type: StatusReasonAnswer.shape.type.optional() })
      .optional()
      .meta({ description: 'The `code` of a decline; the `type` of any other reason.' }),
  })
  .meta({ id: 'CheckoutPayment' });
export type CheckoutPaymentAnswer = z.infer<typeof CheckoutPaymentAnswer>;

/** `tokenOf` makes the client token of a required action. */
export function checkoutPaymentAnswer(id: string, payment: KnownPayment, tokenOf?: ActionToken): CheckoutPaymentAnswer {
  const { type, code } = payment.statusReason === undefined ? {} : statusReason(payment.statusReason);
  return answer(CheckoutPaymentAnswer, payment, {
    id,
    paymentMethodType: payment.paymentMethod.paymentMethodType,
    requiredAction: requiredAction(payment, tokenOf),
    statusReason: type && (code === undefined ? { type } : { code: shopperCode(code) }),
  });
}

/** The network, last four digits and expiry of a card; the last four characters of an account, and its known bank. */
const MaskedData = z
  .strictObject({
    network: CardData.shape.network,
    last4Digits: CardData.shape.last4Digits,
    expirationMonth: CardData.shape.expirationMonth,
    expirationYear: CardData.shape.expirationYear,
    bankName: z.string(),
    ibanLast4: z.string(),
  })
  .partial();

export const CheckoutSessionAnswer = z
  .strictObject({
    orderId: z.string().optional(),
    currencyCode: z.string().optional(),
    amount: z.int().optional(),
    lineItems: z.array(LineItem).optional(),
    fees: z.array(Fee).optional(),
    shipping: Shipping.optional(),
    paymentMethods: z
      .array(
        z.strictObject({
          paymentMethodType: OfferedMethod,
          cardNetworks: z
            .array(CardNetwork)
            .optional()
            .meta({ description: 'Of a card or a wallet, in the order of preference.' }),
          options: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .min(1)
      .optional(),
    fields: z
      .array(
        z.strictObject({
          connectionId: z.string().meta({ description: 'For `processorToken` of POST /checkout/payment-instruments.' }),
          processor: z.string().meta({ description: 'The name of the processor, such as stripe.' }),
          publishableKey: z
            .string()
            .meta({ description: 'The key with which the fields are made; browsers may see it.' }),
          script: z.string().meta({ description: "The processor's script that makes them." }),
          methods: z
            .array(OfferedMethod)
            .meta({ description: 'What the fields take, and the session can be paid with.' }),
        }),
      )
      .min(1)
      .optional()
      .meta({
        description:
          "Processors' own fields, a row for each connection: they take its methods in place of this service.",
      }),
    paymentInstruments: z
      .array(
        z.strictObject({
          token: z.string(),
          paymentMethodType: PaymentMethodType,
          paymentMethodData: MaskedData,
          description: z.string().optional(),
          default: z.boolean(),
        }),
      )
      .optional(),
    vaultOnSuccess: z.boolean().optional(),
    agreement: z
      .strictObject({
        isAgreed: z.boolean(),
        texts: z.array(z.strictObject({ language: ConsentLanguage, text: z.string(), textDigest: z.string() })),
      })
      .optional()
      .meta({
        description: 'What the payment method is charged for later. Its customer agrees to one of the texts first.',
      }),
    payment: CheckoutPaymentAnswer.optional(),
    lacks: z.array(z.string()).min(1).optional(),
    now: z.iso
      .datetime()
      .meta({ description: "The service's clock, by which `expiresAt` counts; test mode may move it." }),
  })
  .meta({ id: 'CheckoutSession' });
export type CheckoutSessionAnswer = z.infer<typeof CheckoutSessionAnswer>;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

interface Drawn {
  /** The wallet of the session's customer, if there is one. */
  readonly wallet: CustomerWallet | undefined;
  /** That the session carries. */
  readonly payment: CheckoutPaymentAnswer | undefined;
  /** Where a method is entered; undefined: nothing can take it. */
  readonly routeOf: (offered: OfferedMethod) => OfferedAt | undefined;
  /** What the customer agrees to, or has agreed to. */
  readonly agreement: AskedConsent | undefined;
  /** Of this node: what none of them can take is not offered. */
  readonly processors: ReadonlyMap<string, Processor>;
  /** Business time, ms. */
  readonly at: number;
}

export function checkoutSessionAnswer(
  { fields, link, agreed }: OpenSession,
  { wallet, payment, routeOf, agreement, processors, at }: Drawn,
): CheckoutSessionAnswer {
  const { orderId, currencyCode, order = {}, paymentMethod = {} } = fields;
  // Who has a link is not known to be the customer, whom a PATCH could name once.
  const customerId = link === undefined ? fields.customerId : undefined;
  const { lineItems, fees, shipping } = order;
  const paymentInstruments = customerId === undefined ? [] : instrumentsOf(fields, wallet, processors);
  const offers = offersOf(fields, routeOf);
  return {
    orderId,
    currencyCode,
    amount: amountOf(fields),
    lineItems,
    fees,
    shipping,
    fields: unlessEmpty(fieldsOf(offers, processors)),
    paymentMethods: unlessEmpty(offers.map(({ offered }) => methodOf(fields, offered))),
    paymentInstruments: unlessEmpty(paymentInstruments),
    // Without a customer there is nobody to vault a card for, and nothing to ask the shopper.
    vaultOnSuccess:
      customerId === undefined || keepsForAgreement(fields) ? undefined : (paymentMethod.vaultOnSuccess ?? false),
    agreement: agreement && {
      isAgreed: fields.agreement === undefined || agreed !== undefined,
      texts: ConsentLanguage.options.map((language) => ({ language, ...consentText(agreement, language) })),
    },
    payment,
    lacks: unlessEmpty([...lackedBy(fields)]),
    now: formatTime(at),
  };
}

interface Offer {
  readonly offered: OfferedMethod;
  readonly at: OfferedAt;
}

/**
 * The methods that can pay the session as it is, in its order: by its currency, its amount and its capture mode, and by
 * what the connection takes to which the session is routed.
 */
const offersOf = (fields: OpenSession['fields'], routeOf: Drawn['routeOf']): readonly Offer[] =>
  orderOf(fields).flatMap((offered) => {
    const at = fits(fields, typeOfOffered(offered)) ? routeOf(offered) : undefined;
    return at === undefined ? [] : [{ offered, at }];
  });

function methodOf(
  { paymentMethod = {} }: OpenSession['fields'],
  offered: OfferedMethod,
): NonNullable<CheckoutSessionAnswer['paymentMethods']>[number] {
  const cardNetworks = paymentMethod.orderedAllowedCardNetworks ?? [...CardNetwork.options];
  const isCard = typeOfOffered(offered) === METHOD;
  const options = paymentMethod.options?.[offered];
  return {
    paymentMethodType: offered,
    cardNetworks: isCard ? cardNetworks : undefined,
    options: isObject(options) ? options : undefined,
  };
}

const fits = (fields: OpenSession['fields'], type: PaymentMethodType): boolean => {
  const { currencyCode, paymentMethod: { captureMode } = {} } = fields;
  const mustKeep = keepsForAgreement(fields);
  return unfit(type, { currencyCode, amount: amountOf(fields), captureMode, mustKeep }) === undefined;
};

const orderOf = ({ paymentMethod }: OpenSession['fields']): readonly OfferedMethod[] =>
  paymentMethod?.orderedAllowedMethods ?? IN_ORDER;
/** Cards first, as without a list; wallets are next to them. */
const IN_ORDER: readonly OfferedMethod[] = [METHOD, ...OfferedMethod.options.filter((one) => one !== METHOD)];

/** A row for each connection, with the methods that are entered there. */
function fieldsOf(
  offers: readonly Offer[],
  processors: Drawn['processors'],
): NonNullable<CheckoutSessionAnswer['fields']> {
  const rows = [...new Set(offers.flatMap(({ at }) => (at === 'typed' ? [] : [at])))];
  return rows.flatMap((row) => {
    const { processor, publishableKey } = row.doc;
    const script = processors.get(processor)?.fields?.(withoutSecrets(row)).script;
    if (script === undefined || publishableKey === undefined) return [];
    const methods = offers.filter(({ at }) => at === row).map(({ offered }) => offered);
    return [{ connectionId: row.id, processor, publishableKey, script, methods }];
  });
}

/** Instruments of a customer that a checkout offers; nobody chooses among more. */
const MOST_INSTRUMENTS = 50;

/** The newest, and the default whatever its age. */
const newest = (usable: readonly WalletInstrument[], defaultToken: string | undefined): readonly WalletInstrument[] =>
  usable.filter(({ token }, place) => token === defaultToken || place >= usable.length - MOST_INSTRUMENTS);

/** Those that the session's payment accepts: by the terms of their method, and by the session's lists. */
function instrumentsOf(
  fields: OpenSession['fields'],
  wallet: CustomerWallet | undefined,
  processors: Drawn['processors'],
): NonNullable<CheckoutSessionAnswer['paymentInstruments']> {
  if (wallet === undefined || wallet.status === 'absent') return [];
  const usable = usableInstruments(wallet).filter(
    (instrument) =>
      isTakenAt(processors.get(instrument.processor), fields) &&
      fits(fields, instrument.paymentMethodType) &&
      allowsInstrument(fields, instrument),
  );
  return newest(usable, wallet.defaultToken).map(({ token, paymentMethodType, paymentMethodData, description }) => ({
    token,
    paymentMethodType,
    paymentMethodData: masked(paymentMethodData),
    description,
    default: wallet.defaultToken === token,
  }));
}

const isTakenAt = (processor: Processor | undefined, fields: OpenSession['fields']): boolean =>
  processor !== undefined &&
  takesAmount(processor.capabilities(connectionAt(processor.name)), {
    currencyCode: fields.currencyCode,
    amount: amountOf(fields),
  });

/**
 * The methods of the session that nothing takes for its amount alone; undefined if every processor takes the amount, so
 * that the connections do not matter. `routeOf`: where a method is entered; with `true`
 * as if every connection took any amount.
 */
export function lostToAmount(
  fields: OpenSession['fields'],
  processors: Drawn['processors'],
  routeOf: (offered: OfferedMethod, isOfAnyAmount?: true) => OfferedAt | undefined,
): readonly OfferedMethod[] | undefined {
  if ([...processors.values()].every((processor) => isTakenAt(processor, fields))) return undefined;
  return orderOf(fields).filter(
    (offered) =>
      fits(fields, typeOfOffered(offered)) && routeOf(offered) === undefined && routeOf(offered, true) !== undefined,
  );
}

function masked(data: MethodData): z.infer<typeof MaskedData> {
  const card = cardIn(data);
  if (card === undefined) {
    return { ibanLast4: last4In(data) ?? '', bankName: 'bankName' in data ? data.bankName : undefined };
  }
  const { network, last4Digits, expirationMonth, expirationYear } = card;
  return { network, last4Digits, expirationMonth, expirationYear };
}
