// The fields of a client session as requests may send them (contract §3); recorded fields are in
// domain/client-session/recorded-fields.ts.
import { z } from 'zod';
import { FreeJson, Metadata } from '../../domain/metadata.ts';
import { MAX_AMOUNT } from '../../domain/money.ts';
import {
  lineTotal,
  ORDER_OVERFLOW,
  orderAmount,
  type PricedLine,
  type PricedOrder,
} from '../../domain/order-amount.ts';
import { OfferedMethod } from '../../domain/payment-method.ts';
import { ProposedAgreement } from './agreement-fields.ts';
import { Amount } from './amount.ts';
import { CurrencyCode } from './currency.ts';
import { identifier, shortText, textUpTo } from './text.ts';

const ASSIGNED = `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK
CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS
GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV
LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR
TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`;

/** ISO 3166-1 alpha-2 or XK, upper case. */
export const CountryCode: z.ZodType<string, string> = z
  .enum(ASSIGNED.trim().split(/\s+/), {
    error: 'Must be an ISO 3166-1 alpha-2 country code in upper case, such as FR.',
  })
  .meta({ id: 'CountryCode' });
export type CountryCode = z.infer<typeof CountryCode>;

export const CaptureMode = z.enum(['MANUAL', 'AUTOMATIC']);
export type CaptureMode = z.infer<typeof CaptureMode>;
export const AuthorizationType = z.enum(['FINAL', 'ESTIMATED']);
export type AuthorizationType = z.infer<typeof AuthorizationType>;
export const PaymentType = z.enum(['FIRST_PAYMENT', 'ECOMMERCE', 'SUBSCRIPTION', 'UNSCHEDULED']);
export type PaymentType = z.infer<typeof PaymentType>;
export const CardNetwork = z.enum(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER']);
export type CardNetwork = z.infer<typeof CardNetwork>;

/** Something before and something behind one @; only a message can prove that mail arrives. */
export const EmailAddress = shortText.regex(/^[^\s@]+@[^\s@]+$/, {
  error: 'Must be an e-mail address, such as ada@example.com.',
});

/** Customers are sent there: any absolute URL (apps have schemes of their own), but no script. */
export const ReturnUrl = shortText.regex(/^(?!(?:javascript|data|vbscript):)[A-Za-z][A-Za-z0-9+.-]*:\/\/\S+$/i, {
  error: 'Must be an absolute URL, such as https://shop.example/back.',
});

const addressShape = {
  firstName: shortText,
  lastName: shortText,
  addressLine1: shortText,
  addressLine2: shortText,
  city: shortText,
  state: shortText,
  postalCode: shortText,
  countryCode: CountryCode,
};
const Address = z.strictObject(addressShape).partial().meta({ id: 'Address' });

const customerScalars = {
  emailAddress: EmailAddress,
  mobileNumber: shortText,
  firstName: shortText,
  lastName: shortText,
  taxId: shortText,
  nationalDocumentId: shortText,
};
export const Customer = z
  .strictObject({ ...customerScalars, billingAddress: Address, shippingAddress: Address })
  .partial()
  .meta({ id: 'Customer' });
export type Customer = z.infer<typeof Customer>;

const ProductData = z
  .strictObject({
    sku: shortText,
    brand: shortText,
    color: shortText,
    globalTradeItemNumber: shortText,
    manufacturerPartNumber: shortText,
    weight: z.number().min(0),
    weightUnit: shortText,
    pageUrl: textUpTo(1_024),
  })
  .partial();

const PRICES: ReadonlySet<unknown> = new Set(['amount', 'quantity', 'discountAmount', 'taxAmount']);
/** Then there is no total: only the price is wrong, and a total would name a member that was perhaps never sent. */
const aPriceIsWrong = (issues: readonly z.core.$ZodRawIssue[]): boolean =>
  issues.some(({ path }) => PRICES.has(path?.at(-1)));

const refuseLineTotal = ({ value, issues }: z.core.ParsePayload<PricedLine>): void => {
  if (aPriceIsWrong(issues)) return;
  const total = lineTotal(value);
  if (total < 0)
    issues.push({
      code: 'custom',
      input: value,
      path: ['discountAmount'],
      message: 'The total of the line must not be negative.',
    });
  if (total > MAX_AMOUNT)
    issues.push({
      code: 'custom',
      input: value,
      path: ['amount'],
      message: 'The total of the line must not exceed 2^53 - 1.',
    });
};

const LineItem = z
  .strictObject({
    amount: Amount,
    quantity: z.int().min(1).max(1_000_000).optional(),
    discountAmount: Amount.optional(),
    taxAmount: Amount.optional(),
    itemId: identifier.optional(),
    name: shortText.optional(),
    description: shortText.optional(),
    taxCode: shortText.optional(),
    productType: z.enum(['PHYSICAL', 'DIGITAL']).optional(),
    productData: ProductData.optional(),
  })
  .check(refuseLineTotal)
  .meta({ id: 'LineItem' });

const Fee = z
  .strictObject({ amount: Amount, type: shortText.optional(), description: shortText.optional() })
  .meta({ id: 'Fee' });

const shippingShape = { amount: Amount, methodId: identifier, methodName: shortText, methodDescription: shortText };
const Shipping = z.strictObject(shippingShape).partial().meta({ id: 'Shipping' });

const lineItems = z.array(LineItem).max(500);
const fees = z.array(Fee).max(50);

const refuseOverflow = ({ value, issues }: z.core.ParsePayload<PricedOrder>): void => {
  if (!aPriceIsWrong(issues) && (orderAmount(value) ?? 0) > MAX_AMOUNT)
    issues.push({ code: 'custom', input: value, path: [], message: ORDER_OVERFLOW });
};

export const Order = z
  .strictObject({ lineItems, countryCode: CountryCode, retailerCountryCode: CountryCode, fees, shipping: Shipping })
  .partial()
  .check(refuseOverflow)
  .meta({ id: 'Order' });
export type Order = z.infer<typeof Order>;

const paymentMethodScalars = {
  vaultOnSuccess: z.boolean(),
  captureMode: CaptureMode,
  descriptor: shortText,
  paymentType: PaymentType,
  orderedAllowedCardNetworks: z
    .array(CardNetwork)
    .max(CardNetwork.options.length)
    .refine((networks) => new Set(networks).size === networks.length, { error: 'Must not name a network twice.' })
    .meta({ uniqueItems: true }),
  authorizationType: AuthorizationType,
  orderedAllowedMethods: z
    .array(OfferedMethod)
    .max(OfferedMethod.options.length)
    .refine((methods) => new Set(methods).size === methods.length, { error: 'Must not name a method twice.' })
    .meta({ uniqueItems: true }),
};
/** Payment method type to its options, which the service only passes on; within the limits of metadata. */
const Options = FreeJson.refine(
  (options) =>
    Object.values(options).every(
      (of) => of === undefined || (typeof of === 'object' && of !== null && !Array.isArray(of)),
    ),
  {
    error: 'Must map payment method types to objects.',
  },
).meta({ description: 'Maps payment method types to objects of options.' });

export const PaymentMethod = z
  .strictObject({ ...paymentMethodScalars, options: Options })
  .partial()
  .meta({ id: 'PaymentMethodOptions' });

const scalars = {
  orderId: identifier,
  customerId: identifier,
  currencyCode: CurrencyCode,
  amount: Amount,
  returnUrl: ReturnUrl,
};
const objects = {
  metadata: Metadata,
  customer: Customer,
  order: Order,
  paymentMethod: PaymentMethod,
  agreement: ProposedAgreement,
  agreementId: identifier,
};

/** The body of POST /client-session. */
export const CreateClientSessionFields = z
  .strictObject({ ...scalars, ...objects })
  .partial()
  .meta({ id: 'ClientSessionFields' });

function nullable<S extends Record<string, z.ZodType>>(shape: S): { [K in keyof S]: z.ZodNullable<S[K]> };
function nullable(shape: Record<string, z.ZodType>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.nullable()]));
}

const AddressPatch = z.strictObject(nullable(addressShape)).partial();
const CustomerPatch = z
  .strictObject(nullable({ ...customerScalars, billingAddress: AddressPatch, shippingAddress: AddressPatch }))
  .partial();
const ShippingPatch = z.strictObject(nullable(shippingShape)).partial();
const OrderPatch = z
  .strictObject(
    nullable({ lineItems, countryCode: CountryCode, retailerCountryCode: CountryCode, fees, shipping: ShippingPatch }),
  )
  .partial();
const PaymentMethodPatch = z.strictObject(nullable({ ...paymentMethodScalars, options: FreeJson })).partial();

/** The body of PATCH /client-session without its clientToken: null clears, except inside an element of an array. */
export const ClientSessionPatch = z
  .strictObject(
    nullable({
      ...scalars,
      metadata: Metadata,
      customer: CustomerPatch,
      order: OrderPatch,
      paymentMethod: PaymentMethodPatch,
      agreement: ProposedAgreement,
    }),
  )
  .partial();
export type ClientSessionPatch = z.infer<typeof ClientSessionPatch>;
